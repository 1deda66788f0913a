#include "hw/mpi/charged/cost_table.hpp"

#include <fstream>
#include <limits>
#include <sstream>

#include "hw/mpi/runtime/options.hpp"

namespace spillway::mpi {
namespace {

/// Whether the line is an entry; it is added to the table then.
bool read_line(const std::string& line, CostTable& table) {
  std::istringstream words(line);
  std::string kind, rest;
  words >> kind;
  if (kind == "message") {
    words >> table.message_ns;
  } else if (kind == "send_byte") {
    words >> table.send_byte_ns;
  } else if (kind == "receive_byte") {
    words >> table.receive_byte_ns;
  } else if (kind == "layer") {
    std::pair<int, std::int32_t> which;
    std::uint64_t cost_ns = 0;
    words >> which.first >> which.second >> cost_ns;
    table.layer_ns[which] = cost_ns;
  } else {
    return false;
  }
  return !words.fail() && !(words >> rest);
}

[[noreturn]] void refuse(const std::string& path, int number, const std::string& line) {
  std::string message = path + ":" + std::to_string(number);
  message += ": \"" + line + "\" is no cost; expected message, send_byte, receive_byte or layer with their numbers";
  throw JobError(2, message);
}

}  // namespace

std::string to_text(const CostTable& table) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << "message " << table.message_ns << "\nsend_byte " << table.send_byte_ns << "\nreceive_byte "
       << table.receive_byte_ns << '\n';
  for (const auto& [which, cost_ns] : table.layer_ns)
    text << "layer " << which.first << ' ' << which.second << ' ' << cost_ns << '\n';
  return text.str();
}

CostTable read_cost_table(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw JobError(2, path + ": the table of costs cannot be read");
  CostTable table;
  int number = 1;
  for (std::string line; std::getline(stream, line); ++number)
    if (!read_line(line, table)) refuse(path, number, line);
  return table;
}

}  // namespace spillway::mpi
