#include "platforms/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "platforms/nearest.hpp"

namespace spillway::platforms {
namespace {

/// One unit is factor x 10^exponent base units. The two are apart so that a decimal unit only moves the point of the
/// decimal number, which then is rounded once.
struct Spelling {
  std::string_view text;
  std::uint64_t factor;
  int exponent;
};

constexpr std::uint64_t kibi = 1024, mebi = kibi * kibi, gibi = kibi * mebi, tebi = kibi * gibi;

constexpr std::array byte_spellings = std::to_array<Spelling>({{"B", 1, 0},
                                                               {"kB", 1, 3},
                                                               {"KiB", kibi, 0},
                                                               {"MB", 1, 6},
                                                               {"MiB", mebi, 0},
                                                               {"GB", 1, 9},
                                                               {"GiB", gibi, 0},
                                                               {"TB", 1, 12},
                                                               {"TiB", tebi, 0}});
// A bit is 125 thousandths of a byte.
constexpr std::array byte_rate_spellings = std::to_array<Spelling>({{"B/s", 1, 0},
                                                                    {"kB/s", 1, 3},
                                                                    {"KiB/s", kibi, 0},
                                                                    {"MB/s", 1, 6},
                                                                    {"MiB/s", mebi, 0},
                                                                    {"GB/s", 1, 9},
                                                                    {"GiB/s", gibi, 0},
                                                                    {"b/s", 125, -3},
                                                                    {"kb/s", 125, 0},
                                                                    {"Mb/s", 125, 3},
                                                                    {"Gb/s", 125, 6}});
constexpr std::array second_spellings = std::to_array<Spelling>(
    {{"s", 1, 0}, {"ns", 1, -9}, {"us", 1, -6}, {"ms", 1, -3}, {"min", 60, 0}, {"h", 3600, 0}, {"day", 86400, 0}});
constexpr std::array hertz_spellings =
    std::to_array<Spelling>({{"Hz", 1, 0}, {"kHz", 1, 3}, {"MHz", 1, 6}, {"GHz", 1, 9}});
constexpr std::array watt_spellings = std::to_array<Spelling>({{"W", 1, 0}, {"mW", 1, -3}, {"uW", 1, -6}});
constexpr std::array joule_spellings =
    std::to_array<Spelling>({{"J", 1, 0}, {"mJ", 1, -3}, {"kJ", 1, 3}, {"Wh", 3600, 0}, {"mWh", 36, -1}});
constexpr std::array mac_rate_spellings =
    std::to_array<Spelling>({{"MAC/s", 1, 0}, {"kMAC/s", 1, 3}, {"MMAC/s", 1, 6}, {"GMAC/s", 1, 9}});
constexpr std::array element_rate_spellings =
    std::to_array<Spelling>({{"element/s", 1, 0}, {"kelement/s", 1, 3}, {"Melement/s", 1, 6}, {"Gelement/s", 1, 9}});
constexpr std::array ratio_spellings = std::to_array<Spelling>({{"", 1, 0}, {"%", 1, -2}});
constexpr std::array year_spellings = std::to_array<Spelling>({{"years", 1, 0}, {"year", 1, 0}});
constexpr std::array cycle_spellings = std::to_array<Spelling>({{"cycles", 1, 0}, {"cycle", 1, 0}});
constexpr std::array cycle_per_byte_spellings = std::to_array<Spelling>({{"cycles/B", 1, 0}});

struct Kind {
  Unit unit;
  std::string_view description;
  std::span<const Spelling> spellings;
  std::string_view example;  ///< behind a number, in the error for a bare number
};

// In the order of Unit.
const std::array kinds = std::to_array<Kind>(
    {{Unit::bytes, "a size", byte_spellings, "B, {0} kB, {0} KiB, {0} MiB, ..."},
     {Unit::bytes_per_second, "a data rate", byte_rate_spellings, "B/s, {0} kB/s, {0} MiB/s, {0} Mb/s (bits), ..."},
     {Unit::seconds, "a time", second_spellings, "us, {0} ms, {0} s, {0} h, ..."},
     {Unit::hertz, "a frequency", hertz_spellings, "Hz, {0} kHz, {0} MHz, {0} GHz"},
     {Unit::watts, "a power", watt_spellings, "W, {0} mW, {0} uW"},
     {Unit::joules, "an energy", joule_spellings, "J, {0} mJ, {0} Wh, ..."},
     {Unit::macs_per_second, "a MAC rate", mac_rate_spellings, "MAC/s, {0} kMAC/s, {0} MMAC/s, {0} GMAC/s"},
     {Unit::elements_per_second, "an element rate", element_rate_spellings,
      "element/s, {0} kelement/s, {0} Melement/s, {0} Gelement/s"},
     {Unit::ratio, "a ratio", ratio_spellings, "%"},
     {Unit::years, "a time in years", year_spellings, "years"},
     {Unit::cycles, "a number of cycles", cycle_spellings, "cycles"},
     {Unit::cycles_per_byte, "a number of cycles per byte", cycle_per_byte_spellings, "cycles/B"}});

const Kind& kind_of(Unit unit) {
  return kinds[static_cast<std::size_t>(unit)];
}

// Enough for any number a person writes; bounds the exact arithmetic below.
constexpr std::size_t longest_text = 64;
constexpr std::size_t most_digits = 25;
constexpr int largest_exponent = 400;

/// A decimal number without its unit: digits x 10^exponent.
struct Decimal {
  std::string digits;  ///< without leading zeros; empty: zero
  int exponent = 0;
};

struct Scanned {
  Decimal number;
  std::string_view number_text;
  std::string_view unit;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::string with_unit(std::string_view number, std::string_view unit) {
  return unit.empty() ? std::string(number) : fmt::format("{} {}", number, unit);
}

[[noreturn]] void fail_without_number(std::string_view text, const Kind& kind) {
  if (text.empty()) throw UnitError(fmt::format("is empty; expected {}", kind.description));
  if (text.front() == '-') {
    throw UnitError(fmt::format("\"{}\" is negative; expected {} of 0 or more", text, kind.description));
  }
  const std::string example = with_unit("512", kind.spellings.front().text);
  throw UnitError(fmt::format("\"{}\" is not {}: it does not begin with a decimal number; expected, for example, {}",
                              text, kind.description, example));
}

Scanned scan(std::string_view whole, const Kind& kind) {
  const std::string_view text = trimmed(whole);
  if (text.size() > longest_text) {
    throw UnitError(
        fmt::format("is {} characters long; {} has at most {}", text.size(), kind.description, longest_text));
  }
  std::string_view rest = text;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  const std::string_view whole_digits = take_digits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    if (fraction.empty()) fail_without_number(text, kind);
  }
  if (whole_digits.empty()) fail_without_number(text, kind);
  if (rest.starts_with(',') || rest.starts_with('_') || rest.starts_with('\'') || rest.starts_with('.')) {
    throw UnitError(fmt::format("\"{}\": a number has one decimal point and no separators between its digits", text));
  }

  int exponent = 0;
  const bool has_sign = rest.size() > 1 && (rest[1] == '+' || rest[1] == '-');
  const std::size_t sign = has_sign ? 1 : 0;
  const bool has_exponent =
      (rest.starts_with('e') || rest.starts_with('E')) && rest.size() > 1 + sign && is_digit(rest[1 + sign]);
  if (has_exponent) {
    const bool negative = rest[1] == '-';
    rest.remove_prefix(1 + sign);
    const std::string_view exponent_digits = take_digits(rest);
    const auto [end, error] =
        std::from_chars(exponent_digits.data(), exponent_digits.data() + exponent_digits.size(), exponent);
    if (error != std::errc() || exponent > largest_exponent) {
      throw UnitError(fmt::format("\"{}\" is out of range", text));
    }
    if (negative) exponent = -exponent;
  }

  Scanned scanned;
  scanned.number_text = text.substr(0, text.size() - rest.size());
  scanned.unit = trimmed(rest);
  std::string digits = std::string(whole_digits) + std::string(fraction);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  scanned.number = {std::move(digits), exponent - static_cast<int>(fraction.size())};
  return scanned;
}

const Kind* other_kind_with(std::string_view unit) {
  const auto has_it = [&](const Kind& kind) {
    return !unit.empty() && std::ranges::find(kind.spellings, unit, &Spelling::text) != kind.spellings.end();
  };
  const auto found = std::ranges::find_if(kinds, has_it);
  return found == kinds.end() ? nullptr : &*found;
}

[[noreturn]] void fail_with_unit(const Scanned& scanned, const Kind& kind) {
  if (scanned.unit.empty()) {
    throw UnitError(fmt::format("\"{0}\": {1} needs a unit: {0} {2}", scanned.number_text, kind.description,
                                fmt::format(fmt::runtime(kind.example), scanned.number_text)));
  }
  std::vector<std::string> allowed = spellings(kind.unit);
  std::erase(allowed, "");
  const std::string expected = fmt::format("{} has one of {}{}", kind.description, fmt::join(allowed, ", "),
                                           kind.unit == Unit::ratio ? " or no unit" : "");
  if (const Kind* other = other_kind_with(scanned.unit)) {
    throw UnitError(fmt::format("\"{}\" is the unit of {}; {}", scanned.unit, other->description, expected));
  }
  const bool kilo_or_kibi = scanned.unit.starts_with("KB");
  const std::string hint = kilo_or_kibi ? "; kB is 1000 bytes, KiB is 1024 bytes" : did_you_mean(scanned.unit, allowed);
  throw UnitError(
      fmt::format("unknown unit \"{}\"{}{} {}", scanned.unit, hint, hint.ends_with('?') ? "" : ";", expected));
}

const Spelling& spelling_of(const Scanned& scanned, const Kind& kind) {
  const auto found = std::ranges::find(kind.spellings, scanned.unit, &Spelling::text);
  if (found == kind.spellings.end()) fail_with_unit(scanned, kind);
  return *found;
}

double scaled(const Scanned& scanned, const Spelling& spelling, const Kind& kind) {
  if (scanned.number.digits.empty()) return 0;
  const std::string text = fmt::format("{}e{}", scanned.number.digits, scanned.number.exponent + spelling.exponent);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  value *= static_cast<double>(spelling.factor);
  if (error != std::errc() || !std::isfinite(value)) {
    throw UnitError(
        fmt::format("\"{} {}\" is out of range for {}", scanned.number_text, spelling.text, kind.description));
  }
  return value;
}

std::uint64_t scaled_bytes(const Scanned& scanned, const Spelling& spelling) {
  __extension__ using Wide = unsigned __int128;
  std::string digits = scanned.number.digits;
  int exponent = scanned.number.exponent + spelling.exponent;
  while (!digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  const auto fail = [&](std::string_view why) {
    throw UnitError(fmt::format("\"{} {}\" {}", scanned.number_text, spelling.text, why));
  };
  if (digits.size() > most_digits) fail("has too many digits");
  Wide bytes = 0;
  for (const char digit : digits)
    bytes = bytes * 10 + static_cast<unsigned>(digit - '0');
  bytes *= spelling.factor;  // at most 10^25 x 2^40 < 2^128
  for (; exponent < 0 && bytes != 0; ++exponent) {
    if (bytes % 10 != 0) fail("is not a whole number of bytes");
    bytes /= 10;
  }
  constexpr Wide limit = std::numeric_limits<std::uint64_t>::max();
  for (; exponent > 0 && bytes != 0 && bytes <= limit; --exponent)
    bytes *= 10;
  if (bytes > limit) fail("is out of range: a size is below 2^64 bytes");
  return static_cast<std::uint64_t>(bytes);
}

/// Number with so many significant digits, digits before the point kept, trailing zeros dropped.
std::string significant(double value, int digits) {
  const int before_point = value >= 1 ? static_cast<int>(std::floor(std::log10(value))) + 1 : 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits - before_point));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

double size_of(const Spelling& spelling) {
  return static_cast<double>(spelling.factor) * std::pow(10, spelling.exponent);
}

}  // namespace

double parse_quantity(std::string_view text, Unit unit) {
  const Kind& kind = kind_of(unit);
  if (unit == Unit::bytes) {
    const std::uint64_t bytes = parse_bytes(text);
    constexpr std::uint64_t exact_limit = std::uint64_t{1} << std::numeric_limits<double>::digits;
    if (bytes >= exact_limit)
      throw UnitError(fmt::format("\"{}\" is out of range: a size here is below 8192 TiB", text));
    return static_cast<double>(bytes);
  }
  const Scanned scanned = scan(text, kind);
  return scaled(scanned, spelling_of(scanned, kind), kind);
}

std::uint64_t parse_bytes(std::string_view text) {
  const Kind& kind = kind_of(Unit::bytes);
  const Scanned scanned = scan(text, kind);
  return scaled_bytes(scanned, spelling_of(scanned, kind));
}

std::vector<std::string> spellings(Unit unit) {
  std::vector<std::string> texts;
  for (const Spelling& spelling : kind_of(unit).spellings)
    texts.emplace_back(spelling.text);
  return texts;
}

std::string_view description(Unit unit) {
  return kind_of(unit).description;
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array binary = std::to_array<std::pair<std::string_view, std::uint64_t>>(
      {{"TiB", tebi}, {"GiB", gibi}, {"MiB", mebi}, {"KiB", kibi}});
  static constexpr std::array decimal = std::to_array<std::pair<std::string_view, std::uint64_t>>(
      {{"TB", 1'000'000'000'000}, {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}});
  if (bytes < 1000) return fmt::format("{} B", bytes);
  for (const auto& family : {binary, decimal}) {
    const auto unit = std::ranges::find_if(family, [&](const auto& entry) { return bytes >= entry.second; });
    if (unit == family.end()) continue;
    const std::uint64_t remainder = bytes % unit->second;
    // Exact with two decimals when 100 / size of the unit divides evenly; the remainder is below 2^40, so no overflow.
    if (remainder * 100 % unit->second != 0) continue;
    const std::string fraction = fmt::format("{:02}", remainder * 100 / unit->second);
    std::string number = fmt::format("{}.{}", bytes / unit->second, fraction);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
    return fmt::format("{} {}", number, unit->first);
  }
  const auto unit = std::ranges::find_if(binary, [&](const auto& entry) { return bytes >= entry.second; });
  if (unit == binary.end()) return fmt::format("{} B", bytes);
  return fmt::format("{} {}", significant(static_cast<double>(bytes) / static_cast<double>(unit->second), 4),
                     unit->first);
}

std::string format_seconds(double seconds) {
  if (seconds >= 864'000) return fmt::format("{} day", significant(seconds / 86'400, 3));
  if (seconds >= 10'000) return fmt::format("{} h", significant(seconds / 3600, 3));
  if (seconds >= 0.9995 || seconds == 0) return fmt::format("{} s", significant(seconds, 3));
  if (seconds >= 0.9995e-3) return fmt::format("{} ms", significant(seconds * 1e3, 3));
  if (seconds >= 0.9995e-6) return fmt::format("{} us", significant(seconds * 1e6, 3));
  return fmt::format("{} ns", significant(seconds * 1e9, 3));
}

std::string format_quantity(double value, Unit unit) {
  if (unit == Unit::seconds) return format_seconds(value);
  if (unit == Unit::bytes) return format_bytes(static_cast<std::uint64_t>(value));
  const auto& all = kind_of(unit).spellings;
  const Spelling* best = &all.front();
  if (unit == Unit::ratio) return with_unit(fmt::format("{:.3g}", value), "");
  for (const Spelling& spelling : all) {
    // Binary units, bits and watt-hours are not prefixes of the base unit.
    if (spelling.factor != 1) continue;
    const bool fits = value >= size_of(spelling) * 0.9995;
    const bool best_fits = value >= size_of(*best) * 0.9995;
    if (fits && (!best_fits || size_of(spelling) > size_of(*best))) best = &spelling;
  }
  return with_unit(significant(value / size_of(*best), 3), best->text);
}

std::string exact_quantity(double value, Unit unit) {
  std::string shortest;
  for (const Spelling& spelling : kind_of(unit).spellings) {
    const double number = value / size_of(spelling);
    const std::string text = with_unit(fmt::format("{}", number), spelling.text);
    // Of equally short texts the larger unit, unless that leaves a fraction: 4.31 MB/s, 900 us.
    const bool better =
        shortest.empty() || text.size() < shortest.size() || (text.size() == shortest.size() && number >= 1);
    if (!better) continue;
    try {
      if (parse_quantity(text, unit) == value) shortest = text;
    } catch (const UnitError&) {
      continue;  // rounding made a fraction of a byte: not a spelling of this value
    }
  }
  return shortest;
}

}  // namespace spillway::platforms
