#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "hw/hil/responder.hpp"
#include "hw/swap/card_header.hpp"
#include "models/load.hpp"
#include "sim/tiling/swap_plan.hpp"

/// A device for tests of lockstep: what a firmware does, as a process with a port.
///
///     hil_device unix:PATH|pty NETWORK SRAM_KIB BUFFER_KIB FRAMES [FAULT N]
///
/// It prints the port's name once it can be opened, serves one run and ends. FAULT: `corrupt` damages every Nth frame
/// that it sends, `deaf` every Nth that it gets; `silent` says nothing from the Nth answer on, `restart` begins anew
/// before it, `babble` sends garbage and half a frame before every Nth, `hang-up` closes the line before it.
namespace {

using namespace spillway;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "hil_device: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

int open_socket(const std::string& path) {
  const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) fail("the path is too long");
  path.copy(address.sun_path, path.size());
  if (server < 0 || ::bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(server, 1) != 0)
    fail(path);
  std::printf("unix:%s\n", path.c_str());
  std::fflush(stdout);
  const int connection = ::accept(server, nullptr, nullptr);
  if (connection < 0) fail(path);
  return connection;
}

int open_pty() {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) fail("pty");
  // Held open here as well, or reading fails until somebody else has opened it.
  const int own = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  termios mode{};
  if (own < 0 || ::tcgetattr(own, &mode) != 0) fail("pty");
  ::cfmakeraw(&mode);
  if (::tcsetattr(own, TCSANOW, &mode) != 0) fail("pty");
  std::printf("%s\n", ::ptsname(master));
  std::fflush(stdout);
  return master;
}

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) fail(std::string(text));
  return value;
}

struct Fault {
  std::string name;
  std::uint32_t every = 0;

  bool is(std::string_view which, std::uint64_t count) const { return name == which && count % every == 0; }
};

void put(int port, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(port, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) std::exit(0);  // the host has gone
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void serve(int port, const core::Plan& plan, const Fault& fault) {
  std::vector<std::uint32_t> words(core::Scheduler::storage_words(core::size_of(plan)));
  const auto fresh = [&] { return hil::Responder(plan, execution::hash_of(plan), "hil_device", words); };
  hil::Responder responder = fresh();
  std::uint64_t came = 0, answers = 0;
  std::uint8_t buffer[256];
  for (;;) {
    const ssize_t size = ::read(port, buffer, sizeof buffer);
    if (size <= 0) return;
    for (std::uint8_t byte : std::span(buffer, static_cast<std::size_t>(size))) {
      // An empty frame ends garbage; it is none of the host's messages.
      if (byte == 0) ++came;
      if (byte != 0 && fault.is("deaf", came / 2 + 1)) byte ^= 0x40;
      const std::span<const std::uint8_t> answer = responder.take(byte);
      if (answer.empty()) continue;
      ++answers;
      if (fault.name == "silent" && answers >= fault.every) continue;
      if (fault.is("hang-up", answers)) return;
      if (fault.name == "restart" && answers == fault.every) {
        responder = fresh();
        continue;
      }
      if (fault.is("babble", answers)) {
        const std::uint8_t garbage[] = {0x55, 0x00, 0x03, 0x11, 0x00, 0x07, 0x20, 0x21};
        put(port, garbage);
        put(port, answer.first(answer.size() / 2));
        put(port, std::span(garbage).subspan(1, 1));
      }
      std::vector<std::uint8_t> frame(answer.begin(), answer.end());
      if (fault.is("corrupt", answers)) frame[frame.size() / 2] ^= 0x04;
      put(port, frame);
      if (responder.stopped()) return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6 && argc != 8) {
    std::fprintf(stderr, "usage: hil_device unix:PATH|pty NETWORK SRAM_KIB BUFFER_KIB FRAMES [FAULT N]\n");
    return 2;
  }
  tiling::Request request;
  request.rule = tiling::Rule::halo;
  request.sram_bytes = std::uint64_t{number(argv[3])} << 10;
  request.buffer_bytes = std::uint64_t{number(argv[4])} << 10;
  request.frames = number(argv[5]);
  request.window = request.frames;
  const tiling::SwapPlan plan = tiling::make_plan(models::load(argv[2]).network, request);
  Fault fault;
  if (argc == 8) fault = {argv[6], number(argv[7])};
  const std::string port = argv[1];
  serve(port == "pty" ? open_pty() : open_socket(port.substr(port.find(':') + 1)), plan.view(), fault);
  return 0;
}
