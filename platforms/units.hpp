#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Quantities as text. A quantity always carries its unit, KiB is not kB, and a bare number is an error.
namespace spillway::platforms {

/// What a quantity measures; named after its base unit.
enum class Unit {
  bytes,                ///< B, kB, KiB, MB, MiB, GB, GiB, TB, TiB
  bytes_per_second,     ///< B/s, kB/s, KiB/s, ...; b/s, kb/s, Mb/s, Gb/s are bits
  seconds,              ///< ns, us, ms, s, min, h, day
  hertz,                ///< Hz, kHz, MHz, GHz
  watts,                ///< uW, mW, W
  joules,               ///< mJ, J, kJ, mWh, Wh
  macs_per_second,      ///< MAC/s, kMAC/s, MMAC/s, GMAC/s: multiply-accumulates
  elements_per_second,  ///< element/s, kelement/s, Melement/s, Gelement/s
  ratio,                ///< a plain number, or %
  years,                ///< years, year
  cycles,               ///< cycles, cycle: program/erase cycles of a memory cell
  cycles_per_byte,      ///< cycles/B: of the processor's clock
};

/// The text is not a quantity of the wanted kind; what() says what was expected.
class UnitError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The quantity in base units: `0.9 ms` is 0.0009. Number and unit may be separated by spaces; the nearest double of
/// the decimal number is taken before a factor that is no power of ten. A size must be a whole number of bytes below
/// 2^53, so that a double holds it exactly.
/// Throws UnitError: no number, no unit, unknown unit or one of another kind, negative, not finite, out of range.
double parse_quantity(std::string_view text, Unit unit);

/// A size in bytes, exact over the whole range. Throws UnitError as parse_quantity does.
std::uint64_t parse_bytes(std::string_view text);

/// The spellings of a kind of quantity, base unit first (a ratio's is empty).
std::vector<std::string> spellings(Unit unit);

/// "a size", "a data rate", ...
std::string_view description(Unit unit);

/// For people: `16 KiB`, `1.5 MiB`, `64 GB`. Exact where two decimals of a unit suffice (binary units first), else
/// rounded to four significant digits.
std::string format_bytes(std::uint64_t bytes);

/// For people, three significant digits: `3.03 ms`, `651 s`, `27.8 h`. Seconds are kept up to 10,000 s.
std::string format_seconds(double seconds);

/// For people, three significant digits and the largest unit that leaves a number of at least 1: `4.31 MB/s`,
/// `25 MMAC/s`, `216 MHz`, `274 mW`. `unit` may be any but Unit::bytes and Unit::seconds, which have their own
/// functions.
std::string format_quantity(double value, Unit unit);

/// A rate for people: format_quantity under the name of its commonest use.
inline std::string format_rate(double per_second, Unit unit) {
  return format_quantity(per_second, unit);
}

/// For files: the shortest text that parse_quantity reads back to exactly the same value.
std::string exact_quantity(double value, Unit unit);

}  // namespace spillway::platforms
