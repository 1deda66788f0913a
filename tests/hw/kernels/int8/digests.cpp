// Prints what the kernels compute here, as cortex_m7/digests.cpp does on a microcontroller.
#include <cstdio>

#include "exercise.hpp"

int main() {
  using namespace spillway::int8::test;
  Digest results[digests];
  exercise(results);
  for (const Digest& result : results)
    std::printf("%08x %s\n", result.hash, result.kernel);
}
