#include "experiments/material.hpp"

#include <stdexcept>

#include "models/zoo.hpp"

namespace spillway::experiments {
namespace {

tiling::Rule rule_of(const Point& point) {
  for (const tiling::Rule rule :
       {tiling::Rule::paper, tiling::Rule::paper_counts, tiling::Rule::halo, tiling::Rule::min_traffic}) {
    if (tiling::to_string(rule) == point.name(Parameter::rule)) return rule;
  }
  throw std::logic_error("unknown rule " + point.name(Parameter::rule));
}

swap::Crypto crypto_of(const Point& point) {
  const std::string& name = point.name(Parameter::crypto);
  if (name == "cpu") return swap::Crypto::cpu;
  return name == "accelerator" ? swap::Crypto::accelerator : swap::Crypto::none;
}

}  // namespace

Material::Material(std::span<const Point> points) : endurance_(platforms::load_endurance()) {
  for (const Point& point : points) {
    const std::string& network = point.name(Parameter::network);
    if (!networks_.contains(network)) networks_.emplace(network, models::zoo(network).value());
    const std::string& board = point.name(Parameter::board);
    if (!boards_.contains(board)) boards_.emplace(board, platforms::load_board(board));
    const std::string& card = point.name(Parameter::card);
    if (!cards_.contains(card)) cards_.emplace(card, platforms::load_card(card));
  }
}

const models::Network& Material::network(const Point& point) const {
  return networks_.at(point.name(Parameter::network));
}

const platforms::Card& Material::card(const Point& point) const {
  return cards_.at(point.name(Parameter::card));
}

platforms::Board Material::board(const Point& point) const {
  platforms::Board board = boards_.at(point.name(Parameter::board));
  board.contention.value = point.figure(Parameter::contention);
  return board;
}

tiling::Request request_of(const Point& point) {
  tiling::Request request;
  request.sram_bytes = point.count(Parameter::sram);
  request.buffer_bytes = point.count(Parameter::buffer);
  request.element = point.name(Parameter::element) == "int8" ? models::ElementType::int8 : models::ElementType::float32;
  request.rule = rule_of(point);
  request.frames = static_cast<std::uint32_t>(point.count(Parameter::frames));
  request.window = static_cast<std::uint32_t>(point.count(Parameter::window));
  request.queue = point.name(Parameter::queue) == "skip" ? core::Queue::skip : core::Queue::strict;
  request.shared_pool = point.name(Parameter::pools) == "shared";
  return request;
}

swap::Options options_of(const Point& point) {
  swap::Options options;
  options.mode = point.name(Parameter::mode) == "parallel" ? swap::Mode::parallel : swap::Mode::sequential;
  options.driver =
      point.name(Parameter::driver) == "virtual-clock" ? swap::Driver::virtual_clock : swap::Driver::simgrid;
  options.crypto = crypto_of(point);
  return options;
}

}  // namespace spillway::experiments
