#pragma once

#include <cstdint>

/// The int8 kernels on many random shapes, tiles, chunks and scatters of memory, in a form that a microcontroller runs
/// too: no heap, the same numbers on every machine.
namespace spillway::int8::test {

/// A kernel and a hash (FNV-1a) of everything that it computed.
struct Digest {
  const char* kernel;
  std::uint32_t hash;
};

inline constexpr int digests = 8;

/// One digest for each kernel.
void exercise(Digest (&results)[digests]);

}  // namespace spillway::int8::test
