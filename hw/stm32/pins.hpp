#pragma once

namespace spillway::stm32 {

/// Connects the serial port of the ST-LINK (PA9, PB7) to USART1.
void connect_serial_pins();

/// Connects the slot of the card (PC8 to PC12, PD2) to SDMMC1, and makes its switch (PC13) readable.
void connect_card_pins();

/// Whether the slot's switch says that a card is in.
bool card_is_in();

/// The green light of the board (PI1).
void switch_light(bool on);

}  // namespace spillway::stm32
