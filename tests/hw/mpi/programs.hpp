#pragma once

#include <vector>

/// A generated program whose `main` has another name, and the folder with its data.
struct SplitProgram {
  const char* folder;
  int (*run)(int argc, char** argv);
};

/// All that were made for this executable.
const std::vector<SplitProgram>& programs();
