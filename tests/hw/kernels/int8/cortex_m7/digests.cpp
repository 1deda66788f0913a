// Prints what the kernels compute as a line for each: the same on every machine and for both kinds of arithmetic.
#include "exercise.hpp"
#include "machine.hpp"

int main() {
  using namespace spillway;
  int8::test::Digest results[int8::test::digests];
  int8::test::exercise(results);
  for (const int8::test::Digest& result : results) {
    cortex_m7::print_hexadecimal(result.hash);
    cortex_m7::print(" ");
    cortex_m7::print(result.kernel);
    cortex_m7::print("\n");
  }
  return 0;
}
