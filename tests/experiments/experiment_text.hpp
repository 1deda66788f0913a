#pragma once

#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "platforms/problems.hpp"

namespace spillway::experiments {

/// A small experiment on a small network; `more` goes behind the sweep.
inline std::string small_experiment(const std::string& more = "") {
  return "name: small\n"
         "title: A small sweep\n"
         "question: Does it run?\n"
         "sweep:\n"
         "  network: mobilenet\n"
         "  board: swapnn-paper\n"
         "  card: swapnn-paper\n"
         "  sram: [128 KiB, 512 KiB]\n"
         "  buffer: [16 KiB, 64 KiB]\n"
         "  mode: [sequential, parallel]\n" +
         more;
}

/// What is wrong with an experiment file, as the user sees it, one string for each mistake.
inline std::vector<std::string> problems_of(const std::string& yaml) {
  std::vector<std::string> problems;
  try {
    parse_experiment(yaml, "e.yaml");
  } catch (const platforms::InputError& error) {
    for (const platforms::Problem& problem : error.problems())
      problems.push_back(to_string(problem));
  }
  return problems;
}

}  // namespace spillway::experiments
