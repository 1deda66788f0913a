#include "platforms/units.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::platforms {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::string_view text, Unit unit) {
  try {
    parse_quantity(text, unit);
  } catch (const UnitError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Units, SizesAreExact) {
  EXPECT_EQ(parse_bytes("16KiB"), 16384u);
  EXPECT_EQ(parse_bytes("16 KiB"), 16384u);
  EXPECT_EQ(parse_bytes("  16   KiB "), 16384u);
  EXPECT_EQ(parse_bytes("16 kB"), 16000u);
  EXPECT_EQ(parse_bytes("1.5 MiB"), 1572864u);
  EXPECT_EQ(parse_bytes("0.001 kB"), 1u);
  EXPECT_EQ(parse_bytes("64 GB"), 64'000'000'000u);
  EXPECT_EQ(parse_bytes("1e3 B"), 1000u);
  EXPECT_EQ(parse_bytes("5e-1 KiB"), 512u);
  EXPECT_EQ(parse_bytes("0 B"), 0u);
  EXPECT_EQ(parse_bytes("0e400 TiB"), 0u);
  EXPECT_EQ(parse_bytes("18446744073709551615 B"), std::numeric_limits<std::uint64_t>::max());
}

TEST(Units, SizesOutOfRange) {
  EXPECT_THROW(parse_bytes("18446744073709551616 B"), UnitError);
  EXPECT_THROW(parse_bytes("16777216 TiB"), UnitError);
  EXPECT_EQ(parse_bytes("16777215 TiB"), 16777215ull << 40);
  EXPECT_THROW(parse_bytes("1e400 TiB"), UnitError);
  EXPECT_EQ(error_of("8192 TiB", Unit::bytes), "\"8192 TiB\" is out of range: a size here is below 8192 TiB");
  EXPECT_EQ(error_of("1.5 B", Unit::bytes), "\"1.5 B\" is not a whole number of bytes");
  EXPECT_EQ(error_of("0.3 KiB", Unit::bytes), "\"0.3 KiB\" is not a whole number of bytes");
  EXPECT_EQ(error_of("1e-400 TiB", Unit::bytes), "\"1e-400 TiB\" is not a whole number of bytes");
  EXPECT_THAT(error_of("1e401 B", Unit::bytes), HasSubstr("out of range"));
  EXPECT_THAT(error_of("12345678901234567890123456 B", Unit::bytes), HasSubstr("too many digits"));
}

struct Reading {
  std::string text;
  Unit unit;
  double value;
};

TEST(Units, EveryKind) {
  const std::vector<Reading> readings = {{"4.31 MB/s", Unit::bytes_per_second, 4.31e6},
                                         {"9851 KiB/s", Unit::bytes_per_second, 9851 * 1024.0},
                                         {"1 Gb/s", Unit::bytes_per_second, 125e6},
                                         {"100Mb/s", Unit::bytes_per_second, 12.5e6},
                                         {"8 b/s", Unit::bytes_per_second, 1},
                                         {"0.9 ms", Unit::seconds, 0.9e-3},
                                         {"10 ns", Unit::seconds, 10e-9},
                                         {"3 us", Unit::seconds, 3e-6},
                                         {"2 min", Unit::seconds, 120},
                                         {"1.5 h", Unit::seconds, 5400},
                                         {"1 day", Unit::seconds, 86400},
                                         {"216 MHz", Unit::hertz, 216e6},
                                         {"1.421 GHz", Unit::hertz, 1.421e9},
                                         {"274 mW", Unit::watts, 0.274},
                                         {"0.07 Wh", Unit::joules, 0.07 * 3600},
                                         {"1 mWh", Unit::joules, 3.6},
                                         {"25 MMAC/s", Unit::macs_per_second, 25e6},
                                         {"200 Melement/s", Unit::elements_per_second, 200e6},
                                         {"16.4 %", Unit::ratio, 0.164},
                                         {"0.164", Unit::ratio, 0.164},
                                         {"5 years", Unit::years, 5},
                                         {"1 year", Unit::years, 1},
                                         {"10000 cycles", Unit::cycles, 10000},
                                         {"+2 W", Unit::watts, 2}};
  for (const Reading& reading : readings)
    EXPECT_EQ(parse_quantity(reading.text, reading.unit), reading.value) << reading.text;
}

TEST(Units, BareNumbersAreErrors) {
  EXPECT_EQ(error_of("512", Unit::bytes), "\"512\": a size needs a unit: 512 B, 512 kB, 512 KiB, 512 MiB, ...");
  EXPECT_EQ(error_of("25", Unit::macs_per_second),
            "\"25\": a MAC rate needs a unit: 25 MAC/s, 25 kMAC/s, 25 MMAC/s, 25 GMAC/s");
  for (const Unit unit : {Unit::bytes_per_second, Unit::seconds, Unit::hertz, Unit::watts, Unit::joules,
                          Unit::elements_per_second, Unit::years, Unit::cycles}) {
    EXPECT_THAT(error_of("1", unit), HasSubstr("needs a unit"));
  }
}

TEST(Units, UnknownUnitsAndOtherKinds) {
  EXPECT_EQ(error_of("16 kib", Unit::bytes),
            "unknown unit \"kib\"; did you mean \"KiB\"? a size has one of B, kB, KiB, MB, MiB, GB, GiB, TB, TiB");
  EXPECT_EQ(error_of("16 KB", Unit::bytes),
            "unknown unit \"KB\"; kB is 1000 bytes, KiB is 1024 bytes; a size has one of B, kB, KiB, MB, MiB, GB, GiB, "
            "TB, TiB");
  EXPECT_EQ(error_of("16 furlongs", Unit::bytes),
            "unknown unit \"furlongs\"; a size has one of B, kB, KiB, MB, MiB, GB, GiB, TB, TiB");
  EXPECT_EQ(error_of("16 ms", Unit::watts), "\"ms\" is the unit of a time; a power has one of W, mW, uW");
  EXPECT_EQ(error_of("25 Mmac/s", Unit::macs_per_second),
            "unknown unit \"Mmac/s\"; did you mean \"MMAC/s\"? a MAC rate has one of MAC/s, kMAC/s, MMAC/s, GMAC/s");
  EXPECT_EQ(error_of("25 MMAC/s", Unit::elements_per_second),
            "\"MMAC/s\" is the unit of a MAC rate; an element rate has one of element/s, kelement/s, Melement/s, "
            "Gelement/s");
  EXPECT_EQ(error_of("3 W", Unit::ratio), "\"W\" is the unit of a power; a ratio has one of % or no unit");
}

TEST(Units, NoNumber) {
  EXPECT_EQ(error_of("", Unit::bytes), "is empty; expected a size");
  EXPECT_EQ(error_of("-3 W", Unit::watts), "\"-3 W\" is negative; expected a power of 0 or more");
  EXPECT_EQ(error_of("KiB", Unit::bytes),
            "\"KiB\" is not a size: it does not begin with a decimal number; expected, for example, 512 B");
  for (const std::string text : {"nan W", "inf W", "infinity", ".5 W", "1. W", "0x10 W", "1,000 W", "1_000 W",
                                 "1.2.3 W", "1e W", "1e999 W", "1e99999999999999 W", "+ W", "--1 W", "\xff W"}) {
    EXPECT_NE(error_of(text, Unit::watts), "no error") << text;
  }
  EXPECT_THAT(error_of("10,000 cycles", Unit::cycles), HasSubstr("no separators between its digits"));
  EXPECT_THAT(error_of(std::string(1000, '9') + " W", Unit::watts), HasSubstr("is 1002 characters long"));
}

TEST(Units, OutOfRangeIsNotRounded) {
  EXPECT_THAT(error_of("1e309 W", Unit::watts), HasSubstr("out of range"));
  EXPECT_THAT(error_of("1e308 min", Unit::seconds), HasSubstr("out of range"));
  EXPECT_THAT(error_of("1e-400 ns", Unit::seconds), HasSubstr("out of range"));
}

TEST(Units, FormatsForPeople) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1000), "1 kB");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(16384), "16 KiB");
  EXPECT_EQ(format_bytes(1572864), "1.5 MiB");
  EXPECT_EQ(format_bytes(64'000'000'000), "64 GB");
  EXPECT_EQ(format_bytes(123'456'789), "117.7 MiB");
  EXPECT_EQ(format_bytes(1001), "1001 B");
  EXPECT_EQ(format_bytes(12345), "12.06 KiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "16777216 TiB");

  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(3.0312e-3), "3.03 ms");
  EXPECT_EQ(format_seconds(650.7), "651 s");
  EXPECT_EQ(format_seconds(2701.4), "2701 s");
  EXPECT_EQ(format_seconds(100'000), "27.8 h");
  EXPECT_EQ(format_seconds(864'000), "10 day");
  EXPECT_EQ(format_seconds(0.99999), "1 s");
  EXPECT_EQ(format_seconds(0.0009), "900 us");
  EXPECT_EQ(format_seconds(1e-8), "10 ns");

  EXPECT_EQ(format_rate(4.31e6, Unit::bytes_per_second), "4.31 MB/s");
  EXPECT_EQ(format_rate(25e6, Unit::macs_per_second), "25 MMAC/s");
  EXPECT_EQ(format_rate(200e6, Unit::elements_per_second), "200 Melement/s");
  EXPECT_EQ(format_quantity(216e6, Unit::hertz), "216 MHz");
  EXPECT_EQ(format_quantity(0.274, Unit::watts), "274 mW");
  EXPECT_EQ(format_quantity(1.416, Unit::watts), "1.42 W");
  EXPECT_EQ(format_quantity(0.164, Unit::ratio), "0.164");
  EXPECT_EQ(format_quantity(10000, Unit::cycles), "10000 cycles");
  EXPECT_EQ(format_quantity(320 * 1024, Unit::bytes), "320 KiB");
  EXPECT_EQ(format_quantity(3.03e-3, Unit::seconds), "3.03 ms");
}

TEST(Units, ExactTextReadsBack) {
  EXPECT_EQ(exact_quantity(0.0009, Unit::seconds), "900 us");
  EXPECT_EQ(exact_quantity(4.31e6, Unit::bytes_per_second), "4.31 MB/s");
  EXPECT_EQ(exact_quantity(320 * 1024, Unit::bytes), "320 KiB");
  EXPECT_EQ(exact_quantity(0, Unit::bytes), "0 B");
  EXPECT_EQ(exact_quantity(0.164, Unit::ratio), "0.164");

  std::mt19937_64 random(1);
  const auto all = {
      Unit::bytes_per_second,    Unit::seconds, Unit::hertz, Unit::watts, Unit::joules, Unit::macs_per_second,
      Unit::elements_per_second, Unit::ratio,   Unit::years, Unit::cycles};
  for (int i = 0; i < 2000; ++i) {
    const double mantissa = std::uniform_real_distribution<double>(1, 10)(random);
    const double value = mantissa * std::pow(10, std::uniform_int_distribution<int>(-12, 12)(random));
    for (const Unit unit : all)
      EXPECT_EQ(parse_quantity(exact_quantity(value, unit), unit), value);
    const double size = static_cast<double>(random() >> std::uniform_int_distribution<int>(12, 60)(random));
    EXPECT_EQ(parse_quantity(exact_quantity(size, Unit::bytes), Unit::bytes), size);
  }
}

TEST(Units, RoundSizesReadBack) {
  for (std::uint64_t quarters = 1; quarters < 4096; ++quarters) {
    for (const std::uint64_t unit : {1024ull, 1024ull * 1024, 1024ull * 1024 * 1024}) {
      const std::uint64_t bytes = quarters * (unit / 4);
      const std::string text = format_bytes(bytes);
      if (quarters < 4 && text.ends_with(" B")) continue;
      EXPECT_EQ(parse_bytes(text), bytes) << text;
    }
  }
}

}  // namespace
}  // namespace spillway::platforms
