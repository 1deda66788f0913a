#include "tests/hw/stm32/lm3s/spi_bus.hpp"

namespace spillway::lm3s {
namespace {

using Register = volatile std::uint32_t;

Register& at(std::uintptr_t address) {
  return *reinterpret_cast<Register*>(address);
}

void set_bits(std::uintptr_t address, std::uint32_t bits) {
  at(address) = at(address) | bits;
}

constexpr std::uintptr_t system = 0x400FE000, clock_of_ssi = system + 0x104, clock_of_gpio = system + 0x108;

constexpr std::uintptr_t gpio_a = 0x40004000, gpio_d = 0x40007000;
/// The address of a port's data holds the mask of the pins that an access means.
constexpr std::uintptr_t chip_select = gpio_d + (1u << 0 << 2);
constexpr std::uintptr_t direction = 0x400, alternate_function = 0x420, digital_enable = 0x51C;
constexpr std::uint32_t clock_receive_transmit = 1u << 2 | 1u << 4 | 1u << 5;

constexpr std::uintptr_t ssi = 0x40008000, control_0 = ssi, control_1 = ssi + 0x04, data = ssi + 0x08,
                         status = ssi + 0x0C, prescale = ssi + 0x10;
constexpr std::uint32_t bits_8 = 7, enable = 1u << 1, can_send = 1u << 1, has_received = 1u << 2;

constexpr std::uint32_t core_hz = 12'000'000, identification_divisor = 40, transfer_divisor = 2;
static_assert(core_hz / transfer_divisor / 8 == SpiBus::transfer_bytes_per_s);

void set_speed(std::uint32_t divisor) {
  at(control_1) = 0;
  at(prescale) = divisor;
  at(control_0) = bits_8;
  at(control_1) = enable;
}

}  // namespace

void SpiBus::start() {
  set_bits(clock_of_ssi, 1u << 4);
  set_bits(clock_of_gpio, 1u << 0 | 1u << 3);
  set_bits(gpio_a + alternate_function, clock_receive_transmit);
  set_bits(gpio_a + digital_enable, clock_receive_transmit);
  set_bits(gpio_d + direction, 1u << 0);
  set_bits(gpio_d + digital_enable, 1u << 0);
  at(chip_select) = 1u << 0;
  set_speed(identification_divisor);
}

void SpiBus::transfer_speed() {
  set_speed(transfer_divisor);
}

void SpiBus::select_card() {
  at(chip_select) = 0;
}

std::uint8_t SpiBus::exchange(std::uint8_t byte) {
  while ((at(status) & can_send) == 0) {
  }
  at(data) = byte;
  while ((at(status) & has_received) == 0) {
  }
  return static_cast<std::uint8_t>(at(data));
}

}  // namespace spillway::lm3s
