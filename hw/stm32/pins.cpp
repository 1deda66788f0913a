#include "hw/stm32/pins.hpp"

#include <cstdint>

#include "hw/stm32/registers.hpp"

namespace spillway::stm32 {
namespace {

/// Where the board's pins lead: user manual UM1907 of the STM32F746G-Discovery; functions: data sheet DS10916,
/// table 12.
constexpr std::uint32_t function_usart1 = 7, function_sdmmc1 = 12;
constexpr std::uint32_t card_switch = 13, light = 1;

enum class Pull : std::uint8_t { none = 0, up = 1 };

void enable_port(char port) {
  rcc().ahb1enr = rcc().ahb1enr | 1u << (port - 'A');
  (void)rcc().ahb1enr;
}

void set_field(Register& where, std::uint32_t pin, std::uint32_t bits, std::uint32_t value) {
  const std::uint32_t mask = (1u << bits) - 1;
  where = (where & ~(mask << bits * pin)) | value << bits * pin;
}

void connect(char port, std::uint32_t pin, std::uint32_t function, Pull pull) {
  enable_port(port);
  Gpio& pins = gpio(port);
  set_field(pins.afr[pin / 8], pin % 8, 4, function);
  set_field(pins.ospeedr, pin, 2, 3);
  set_field(pins.pupdr, pin, 2, static_cast<std::uint32_t>(pull));
  set_field(pins.moder, pin, 2, 2);
}

}  // namespace

void connect_serial_pins() {
  connect('A', 9, function_usart1, Pull::none);
  connect('B', 7, function_usart1, Pull::up);
}

void connect_card_pins() {
  for (std::uint32_t data = 8; data <= 11; ++data)
    connect('C', data, function_sdmmc1, Pull::up);
  connect('C', 12, function_sdmmc1, Pull::none);
  connect('D', 2, function_sdmmc1, Pull::up);
  set_field(gpio('C').pupdr, card_switch, 2, static_cast<std::uint32_t>(Pull::up));
}

bool card_is_in() {
  return (gpio('C').idr >> card_switch & 1) == 0;
}

void switch_light(bool on) {
  enable_port('I');
  set_field(gpio('I').moder, light, 2, 1);
  gpio('I').bsrr = 1u << (on ? light : light + 16);
}

}  // namespace spillway::stm32
