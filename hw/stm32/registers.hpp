#pragma once

#include <cstddef>
#include <cstdint>

/// Registers of the STM32F746NG that the firmware uses, after ST's reference manual RM0385 and ARM's Cortex-M7 manual.
namespace spillway::stm32 {

using Register = volatile std::uint32_t;

/// The registers at an address.
template <class Block>
inline Block& at(std::uintptr_t address) {
  return *reinterpret_cast<Block*>(address);
}

struct Rcc {
  Register cr, pllcfgr, cfgr, cir, ahb1rstr, ahb2rstr, ahb3rstr, reserved0, apb1rstr, apb2rstr, reserved1[2];
  Register ahb1enr, ahb2enr, ahb3enr, reserved2, apb1enr, apb2enr;
};
static_assert(offsetof(Rcc, ahb1enr) == 0x30 && offsetof(Rcc, apb2enr) == 0x44);

struct Pwr {
  Register cr1, csr1;
};

struct FlashInterface {
  Register acr;
};

struct Gpio {
  Register moder, otyper, ospeedr, pupdr, idr, odr, bsrr, lckr, afr[2];
};
static_assert(offsetof(Gpio, afr) == 0x20);

struct Timer {
  Register cr1, cr2, smcr, dier, sr, egr, ccmr1, ccmr2, ccer, cnt, psc, arr;
};
static_assert(offsetof(Timer, cnt) == 0x24 && offsetof(Timer, arr) == 0x2C);

struct Usart {
  Register cr1, cr2, cr3, brr, gtpr, rtor, rqr, isr, icr, rdr, tdr;
};
static_assert(offsetof(Usart, isr) == 0x1C && offsetof(Usart, tdr) == 0x28);

struct DmaStream {
  Register cr, ndtr, par, m0ar, m1ar, fcr;
};
struct Dma {
  Register isr[2], ifcr[2];
  DmaStream streams[8];
};
static_assert(offsetof(Dma, streams) == 0x10 && sizeof(DmaStream) == 0x18);

/// System control block of the core, as far as used.
struct SystemControl {
  Register cpuid, icsr, vtor, aircr, scr, ccr, shpr[3], shcsr, cfsr, hfsr, dfsr, mmfar, bfar;
};
static_assert(offsetof(SystemControl, cfsr) == 0x28 && offsetof(SystemControl, bfar) == 0x38);

/// Cache maintenance, from 0xE000EF50.
struct CacheMaintenance {
  Register iciallu, reserved, icimvau, dcimvac, dcisw, dccmvau, dccmvac, dccsw, dccimvac, dccisw;
};

inline Rcc& rcc() {
  return at<Rcc>(0x40023800);
}
inline Pwr& pwr() {
  return at<Pwr>(0x40007000);
}
inline FlashInterface& flash_interface() {
  return at<FlashInterface>(0x40023C00);
}
inline Timer& tim2() {
  return at<Timer>(0x40000000);
}
inline Timer& tim5() {
  return at<Timer>(0x40000C00);
}
inline Usart& usart1() {
  return at<Usart>(0x40011000);
}
inline Dma& dma2() {
  return at<Dma>(0x40026400);
}
inline SystemControl& system_control() {
  return at<SystemControl>(0xE000ED00);
}
inline CacheMaintenance& cache_maintenance() {
  return at<CacheMaintenance>(0xE000EF50);
}
inline constexpr std::uintptr_t sdmmc1_address = 0x40012C00;

inline Gpio& gpio(char port) {
  return at<Gpio>(0x40020000 + 0x400 * static_cast<std::uintptr_t>(port - 'A'));
}

enum class Interrupt : std::uint8_t { tim2 = 28, usart1 = 37, sdmmc1 = 49, tim5 = 50, dma2_stream3 = 59 };

}  // namespace spillway::stm32
