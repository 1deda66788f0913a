#pragma once

#include <cstdint>
#include <span>

#include "hw/stm32/clock.hpp"

/// USART1, which the ST-LINK passes on as a serial port: 921,600 baud, 8 bits, no parity, 1 stop bit.
namespace spillway::stm32 {

inline constexpr std::uint32_t serial_baud = 921'600;

/// Bytes that wait for the line; in the data TCM.
inline constexpr std::uint32_t serial_ring_bytes = 8192;

/// `bus_hz`: of APB2, which the baud rate is made from.
void start_serial(std::uint32_t bus_hz = apb2_hz);

/// Queues bytes; an interrupt sends them. Waits where the queue is full, so that nothing is lost: the line goes on by
/// itself. Callers keep each other out.
void send(std::span<const std::uint8_t> bytes);

/// Times that send() had to wait: the trace then slows down what it shows.
std::uint32_t serial_waits();

/// Sends what is queued without interrupts, and waits until the line is idle. Works in every state.
void flush_serial();

}  // namespace spillway::stm32
