#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace spillway::hil::tests {

/// hil_device as a process of its own, and a folder for its socket. Both end with the object.
class DeviceProcess {
 public:
  /// Starts it and waits until its port is there; `arguments` are those behind the port. Throws std::runtime_error.
  explicit DeviceProcess(const std::vector<std::string>& arguments, bool pty = false);
  ~DeviceProcess();
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;

  /// As `spillway hil --port` takes it.
  const std::string& port() const { return port_; }

 private:
  std::filesystem::path folder_;
  std::string port_;
  ::pid_t process_ = -1;
};

}  // namespace spillway::hil::tests
