#include "hw/hil/host/line.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio.hpp>
#include <fmt/format.h>

namespace spillway::hil {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::string_view unix_prefix = "unix:";

/// A line over anything that Asio reads and writes.
template <class Stream>
class StreamLine final : public Line {
 public:
  StreamLine(std::unique_ptr<asio::io_context> context, Stream stream, std::string port)
      : context_(std::move(context)), stream_(std::move(stream)), port_(std::move(port)) {}

  void send(std::span<const std::uint8_t> bytes) override {
    error_code error;
    asio::write(stream_, asio::buffer(bytes.data(), bytes.size()), error);
    if (error) throw LineError(fmt::format("{}: {}", port_, error.message()));
  }

  std::vector<std::uint8_t> receive(Clock::time_point deadline) override {
    std::array<std::uint8_t, 4096> buffer;
    std::size_t size = 0;
    error_code error;
    stream_.async_read_some(asio::buffer(buffer), [&](const error_code& how, std::size_t count) {
      error = how;
      size = count;
    });
    context_->restart();
    context_->run_until(deadline);
    if (!context_->stopped()) {
      stream_.cancel();
      context_->run();
    }
    if (error && error != asio::error::operation_aborted) {
      throw LineError(fmt::format("{}: {}", port_,
                                  error == asio::error::eof ? "the other end has closed the line" : error.message()));
    }
    return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size)};
  }

 private:
  std::unique_ptr<asio::io_context> context_;
  Stream stream_;
  std::string port_;
};

std::unique_ptr<Line> open_socket(const std::string& port, Clock::time_point deadline) {
  constexpr std::chrono::milliseconds pause{20};
  auto context = std::make_unique<asio::io_context>();
  const asio::local::stream_protocol::endpoint endpoint(port.substr(unix_prefix.size()));
  for (;;) {
    asio::local::stream_protocol::socket socket(*context);
    error_code error;
    socket.connect(endpoint, error);
    if (!error)
      return std::make_unique<StreamLine<asio::local::stream_protocol::socket>>(std::move(context), std::move(socket),
                                                                                port);
    if (Clock::now() + pause > deadline) throw LineError(fmt::format("{}: {}", port, error.message()));
    std::this_thread::sleep_for(pause);
  }
}

std::unique_ptr<Line> open_serial(const std::string& port, unsigned baud) {
  auto context = std::make_unique<asio::io_context>();
  asio::serial_port serial(*context);
  error_code error;
  serial.open(port, error);
  const auto set = [&](const auto& option) {
    if (!error) serial.set_option(option, error);
  };
  set(asio::serial_port::baud_rate(baud));
  set(asio::serial_port::character_size(8));
  set(asio::serial_port::parity(asio::serial_port::parity::none));
  set(asio::serial_port::stop_bits(asio::serial_port::stop_bits::one));
  set(asio::serial_port::flow_control(asio::serial_port::flow_control::none));
  if (error) throw LineError(fmt::format("{}: {}", port, error.message()));
  return std::make_unique<StreamLine<asio::serial_port>>(std::move(context), std::move(serial), port);
}

}  // namespace

std::string problem_of_port(const std::string& port) {
  // The kernel's own bound of a socket's path (unix(7)), its end included.
  constexpr std::size_t longest_socket = 107;
  if (port.empty()) return "is missing; expected unix:PATH or a serial device, /dev/ttyACM0 say";
  std::error_code error;
  if (port.starts_with('/')) {
    const bool other = std::filesystem::exists(port, error) && !std::filesystem::is_character_file(port, error);
    return other ? fmt::format("\"{}\" is no serial device; expected one, /dev/ttyACM0 say, or unix:PATH", port) : "";
  }
  if (!port.starts_with(unix_prefix))
    return fmt::format("\"{}\" is no port; expected unix:PATH or the path of a serial device, /dev/ttyACM0 say", port);
  const std::size_t length = port.size() - unix_prefix.size();
  if (length == 0) return "\"unix:\" has no path; expected unix:PATH";
  if (length > longest_socket)
    return fmt::format("the path of a socket has {} bytes; expected at most {}", length, longest_socket);
  const std::string path = port.substr(unix_prefix.size());
  if (std::filesystem::exists(path, error) && !std::filesystem::is_socket(path, error))
    return fmt::format("\"{}\" is no socket; expected one, as `scripts/emulate --serial` makes it", path);
  return "";
}

std::unique_ptr<Line> open_line(const std::string& port, unsigned baud, std::chrono::milliseconds patience) {
  return port.starts_with(unix_prefix) ? open_socket(port, Clock::now() + patience) : open_serial(port, baud);
}

}  // namespace spillway::hil
