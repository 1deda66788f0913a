#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace spillway::hil {

/// A port that cannot be opened or has gone; the message names it and the reason.
class LineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A line to a device, bytes in both directions.
class Line {
 public:
  virtual ~Line() = default;

  /// Throws LineError.
  virtual void send(std::span<const std::uint8_t> bytes) = 0;

  /// What has come; waits for the first byte until the deadline. Empty: nothing came. Throws LineError where the other
  /// end has closed the line.
  virtual std::vector<std::uint8_t> receive(std::chrono::steady_clock::time_point deadline) = 0;
};

/// Whether a port's name can be one: `unix:PATH`, or the path of a serial device. Else what is wrong.
std::string problem_of_port(const std::string& port);

/// Opens a unix socket (waits for it until the deadline: who makes it may just be starting) or a serial device with
/// 8 bits, no parity, 1 stop bit. Throws LineError.
std::unique_ptr<Line> open_line(const std::string& port, unsigned baud, std::chrono::milliseconds patience);

}  // namespace spillway::hil
