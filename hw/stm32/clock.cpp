#include "hw/stm32/clock.hpp"

#include "hw/stm32/processor.hpp"
#include "hw/stm32/registers.hpp"
#include "hw/stm32/time.hpp"

namespace spillway::stm32 {
namespace {

constexpr std::uint32_t crystal_hz = 25'000'000;
constexpr std::uint32_t pll_m = 25, pll_n = 432, pll_p = 2, pll_q = 9;
static_assert(crystal_hz / pll_m * pll_n / pll_p == core_hz && crystal_hz / pll_m * pll_n / pll_q == sdmmc_hz);

/// One wait state for each 30 MHz begun, at 2.7 to 3.6 V (RM0385, 3.3.2).
constexpr std::uint32_t wait_states(std::uint32_t hz) {
  return (hz - 1) / 30'000'000;
}

constexpr std::uint32_t hse_on = 1u << 16, hse_ready = 1u << 17, pll_on = 1u << 24, pll_ready = 1u << 25;
constexpr std::uint32_t over_drive = 1u << 16, over_drive_switching = 1u << 17;
constexpr std::uint32_t prefetch = 1u << 8, accelerator = 1u << 9;
constexpr std::uint32_t source_pll = 2, ahb_divider = 15u << 4, apb1_by_4 = 5u << 10, apb2_by_2 = 4u << 13;
constexpr std::uint32_t bus_dividers = ahb_divider | 7u << 10 | 7u << 13;

/// Before the clocks are set there is no time to measure with: a count that is far beyond what the data sheet allows.
bool comes(const Register& where, std::uint32_t bits) {
  for (std::uint32_t attempt = 0; attempt < 1'000'000; ++attempt) {
    if ((where & bits) == bits) return true;
  }
  return false;
}

/// What the registers say.
std::uint32_t configured_hz() {
  const std::uint32_t pll = rcc().pllcfgr;
  if ((rcc().cfgr >> 2 & 3) != source_pll || (rcc().cfgr & ahb_divider) != 0) return 0;
  const std::uint32_t input_hz = (pll >> 22 & 1) != 0 ? crystal_hz : 16'000'000;
  return input_hz / (pll & 63) * (pll >> 6 & 511) / (2 * ((pll >> 16 & 3) + 1));
}

}  // namespace

Failure set_clocks() {
  rcc().apb1enr = rcc().apb1enr | 1u << 28;  // PWR
  (void)rcc().apb1enr;                       // the clock is there two cycles later
  pwr().cr1 = pwr().cr1 | 3u << 14;          // regulator scale 1
  rcc().cr = rcc().cr | hse_on;
  if (!comes(rcc().cr, hse_ready)) return {Error::oscillator};

  rcc().pllcfgr = 2u << 28 | pll_q << 24 | 1u << 22 | (pll_p / 2 - 1) << 16 | pll_n << 6 | pll_m;
  rcc().cr = rcc().cr | pll_on;
  // Over-drive goes on while the PLL locks and the core still runs slowly (RM0385, 4.1.4).
  pwr().cr1 = pwr().cr1 | over_drive;
  if (!comes(pwr().csr1, over_drive)) return {Error::over_drive};
  pwr().cr1 = pwr().cr1 | over_drive_switching;
  if (!comes(pwr().csr1, over_drive_switching)) return {Error::over_drive};
  if (!comes(rcc().cr, pll_ready)) return {Error::pll};

  flash_interface().acr = wait_states(core_hz) | prefetch | accelerator;
  rcc().cfgr = (rcc().cfgr & ~(bus_dividers | 3u)) | apb1_by_4 | apb2_by_2 | source_pll;
  if (!comes(rcc().cfgr, source_pll << 2)) return {Error::clock_switch};
  return {};
}

Failure check_clocks() {
  const std::uint32_t hz = configured_hz();
  if (hz != core_hz) return {Error::clock_switch, hz};
  constexpr std::uint32_t both = over_drive | over_drive_switching;
  if ((pwr().csr1 & both) != both) return {Error::over_drive};
  if ((flash_interface().acr & 15) < wait_states(hz)) return {Error::wait_states, flash_interface().acr & 15};

  const InterruptsOff alone;
  constexpr std::uint32_t ticks = 1000, expected = ticks * (core_hz / apb1_timer_hz), tolerance = expected / 20;
  const std::uint32_t first_cycle = cycles(), first_tick = timer_ticks();
  while (timer_ticks() - first_tick < ticks) {
  }
  const std::uint32_t measured = cycles() - first_cycle;
  if (measured < expected - tolerance || measured > expected + tolerance) return {Error::clock_ratio, measured};
  return {};
}

}  // namespace spillway::stm32
