#include "platforms/card.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "platforms/catalogue.hpp"
#include "platforms/yaml_reader.hpp"

namespace spillway::platforms {
namespace {

const Catalogue catalogue("card", "platforms/cards");

std::vector<MeasuredOperation> read_operations(Fields& measured, std::string_view key) {
  std::vector<MeasuredOperation> operations;
  if (!measured.has(key)) return operations;
  measured.list_of_maps(key, [&](Fields& fields) {
    MeasuredOperation operation;
    operation.size = fields.required("size", bytes());
    operation.rate = fields.required("rate", quantity(Unit::bytes_per_second, positive));
    operation.fitted = fields.optional("fitted", boolean()).value_or(true);
    operations.push_back(operation);
  });
  return operations;
}

MeasuredTransfers read_measured(Fields& fields) {
  MeasuredTransfers transfers;
  fields.optional_map("measured", [&](Fields& measured) {
    transfers.source = measured.required("source", text());
    transfers.reads = read_operations(measured, "reads");
    transfers.writes = read_operations(measured, "writes");
  });
  return transfers;
}

void check_erase_block(Fields& fields, const Card& card) {
  const bool both_read = !card.erase_block.source.empty() && !card.capacity.source.empty();
  if (both_read && card.erase_block.value > card.capacity.value) {
    fields.problem("erase_block", fmt::format("{} is more than the card's capacity, {}",
                                              format_quantity(card.erase_block.value, Unit::bytes),
                                              format_quantity(card.capacity.value, Unit::bytes)));
  }
}

Card read_card(const YamlDocument& document) {
  ProblemList problems(document);
  Card card;
  card.name = std::filesystem::path(document.name()).stem().string();
  {
    Fields fields(document.root(), problems);
    card.description = fields.required("description", text());
    card.read_overhead = fields.figure("read_overhead", Unit::seconds);
    card.read_bandwidth = fields.figure("read_bandwidth", Unit::bytes_per_second, positive);
    card.write_overhead = fields.figure("write_overhead", Unit::seconds);
    card.write_bandwidth = fields.figure("write_bandwidth", Unit::bytes_per_second, positive);
    card.full_buffers = fields.optional("full_buffers", boolean()).value_or(false);
    card.power = fields.figure("power", Unit::watts);
    card.capacity = fields.figure("capacity", Unit::bytes, positive);
    card.endurance = fields.figure("endurance", Unit::cycles, positive);
    card.erase_block = fields.figure("erase_block", Unit::bytes, positive);
    card.write_amplification = fields.figure("write_amplification", Unit::ratio, at_least_one);
    card.measured = read_measured(fields);
    check_erase_block(fields, card);
  }
  problems.throw_if_any();
  return card;
}

}  // namespace

Card load_card(std::string_view name_or_path) {
  return read_card(YamlDocument::open(catalogue.file_of(name_or_path)));
}

Card parse_card(std::string_view yaml, const std::string& file) {
  return read_card(YamlDocument::from_text(yaml, file));
}

std::vector<std::string> card_names() {
  return catalogue.names();
}

}  // namespace spillway::platforms
