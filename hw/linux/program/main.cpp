#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/linux/program/program_file.hpp"
#include "hw/linux/runtime.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/layout.hpp"
#include "sim/trace/csv_trace.hpp"
#include "sim/trace/names.hpp"

// The runtime as a program of its own, for a board that has neither the simulators nor the model reader: it takes what
// `spillway run --program` has written, and the card.

namespace spillway::execution {
namespace {

constexpr const char* usage =
    "usage: spillway-runtime PROGRAM CARD [--cached] [--lockstep] [--trace-csv FILE] [--decisions FILE]\n"
    "\n"
    "Runs a program that `spillway run --program PROGRAM --card-file CARD` has written.\n"
    "--cached         lets the page cache answer (without: O_DIRECT)\n"
    "--lockstep       makes the same decisions in every run and on every machine\n"
    "--trace-csv      writes the executed tasks (sim/trace/README.md)\n"
    "--decisions      writes the tasks in the order in which the scheduler gave them out\n";

struct Arguments {
  std::string program, card;
  std::optional<std::string> trace_csv, decisions;
  bool cached = false, lockstep = false;
};

std::optional<Arguments> read(int argc, char** argv) {
  Arguments asked;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--cached") {
      asked.cached = true;
    } else if (argument == "--lockstep") {
      asked.lockstep = true;
    } else if ((argument == "--trace-csv" || argument == "--decisions") && i + 1 < argc) {
      (argument == "--decisions" ? asked.decisions : asked.trace_csv) = argv[++i];
    } else if (argument.starts_with("-")) {
      return std::nullopt;
    } else {
      files.emplace_back(argument);
    }
  }
  if (files.size() != 2) return std::nullopt;
  asked.program = files[0];
  asked.card = files[1];
  return asked;
}

const char* text_of(CardFault fault) {
  switch (fault) {
    case CardFault::none:
      break;
    case CardFault::no_header:
      return "it has no header of a card";
    case CardFault::other_version:
      return "its header has another version";
    case CardFault::damaged:
      return "its header is damaged";
    case CardFault::other_plan:
      return "it was made for another plan";
    case CardFault::other_weights:
      return "it holds other weights";
    case CardFault::too_short:
      return "it has too few sectors";
  }
  return "";
}

/// Refuses a card of another program, and clears the results of earlier runs.
void prepare_card(const CardFile& card, const std::string& path, const StoredProgram& program, const CardMap& map) {
  std::vector<std::uint8_t> sector(header_bytes);
  card.read(header_sector, sector);
  const CardFault fault = check_header(std::span<std::uint8_t, header_bytes>(sector), program.card);
  if (fault != CardFault::none) throw CardError("card " + path + ": " + text_of(fault));
  std::fill(sector.begin(), sector.end(), std::uint8_t{0});
  for (std::uint32_t at = map.results; at < map.maps; ++at)
    card.write(at, sector);
  card.flush();
}

/// Times of its own that lie in the order of a microcontroller's: 100 us and 100 ns a byte for the card, 10 ns a
/// multiply-accumulate for the CPU.
std::uint64_t lockstep_ns(const core::Plan& plan, const core::Task& task) {
  return core::is_io(task.kind) ? 100'000 + 100 * core::bytes_of(plan, task) : 1'000 + 10 * core::work_of(plan, task);
}

std::uint32_t results_crc(const CardFile& card, const CardMap& map, std::uint32_t frame) {
  std::vector<std::uint8_t> bytes(std::size_t{map.result_sectors} * core::sector_bytes);
  card.read(map.results + frame * map.result_sectors, bytes);
  return crc32(bytes);
}

void print(const RunResult& result, const CardFile& card, const CardMap& map) {
  std::printf("time        %.3f ms, %llu transfers\n", static_cast<double>(result.makespan_ns) / 1e6,
              static_cast<unsigned long long>(result.transfers));
  for (std::size_t kind = 0; kind < result.tasks.size(); ++kind) {
    std::printf("%-12s%llu tasks, %llu bytes, %.3f ms\n", trace::to_string(trace::task_kinds[kind]).data(),
                static_cast<unsigned long long>(result.tasks[kind]),
                static_cast<unsigned long long>(result.bytes[kind]), static_cast<double>(result.busy_ns[kind]) / 1e6);
  }
  for (std::uint32_t frame = 0; frame < result.frame_done_ns.size(); ++frame)
    std::printf("frame %-6u%.3f ms, results' CRC %08x\n", frame, static_cast<double>(result.frame_done_ns[frame]) / 1e6,
                results_crc(card, map, frame));
}

void run_program(const Arguments& asked) {
  const StoredProgram program = read_program(asked.program);
  const core::Plan plan = program.plan();
  const std::vector<QuantizedLayer> layers = program.quantized_layers();
  std::vector<LayerPlace> places(plan.layers.size());
  const CardMap map = lay_out(plan, places);
  {
    const CardFile cached(asked.card, Access::cached);
    prepare_card(cached, asked.card, program, map);
  }
  std::optional<trace::CsvTrace> csv;
  if (asked.trace_csv) csv.emplace(*asked.trace_csv, program.layer_names);
  std::string decisions;
  FixedTimes times([&plan](const core::Task& task) { return lockstep_ns(plan, task); });
  RunOptions options;
  if (asked.lockstep) options.lockstep = &times;
  if (csv) options.sink = &*csv;
  if (asked.decisions) {
    options.selected = [&decisions](const core::Task& task) {
      decisions += std::string(trace::to_string(task.kind)) + ' ' + std::to_string(task.frame) + ' ' +
                   std::to_string(task.layer) + ' ' + std::to_string(task.tile) + ' ' + std::to_string(task.index) +
                   '\n';
    };
  }
  {
    const CardFile card(asked.card, asked.cached ? Access::cached : Access::direct);
    const RunResult result =
        run({plan, map, program.operators, int8_kernels(plan, program.operators, layers)}, card, options);
    print(result, CardFile(asked.card, Access::cached), map);
  }
  if (csv) csv->finish();
  if (asked.decisions) trace::write_file(*asked.decisions, decisions);
}

}  // namespace
}  // namespace spillway::execution

int main(int argc, char** argv) {
  using namespace spillway;
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(execution::usage, stdout);
    return 0;
  }
  const std::optional<execution::Arguments> asked = execution::read(argc, argv);
  if (!asked) {
    std::fputs(execution::usage, stderr);
    return 2;
  }
  try {
    execution::run_program(*asked);
    return 0;
  } catch (const execution::ProgramError& error) {
    std::fprintf(stderr, "spillway-runtime: %s\n", error.what());
    return 2;
  } catch (const execution::CardError& error) {
    std::fprintf(stderr, "spillway-runtime: %s\n", error.what());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spillway-runtime: %s\n", error.what());
    return 1;
  }
}
