#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim/trace/output_file.hpp"
#include "sim/trace/sink.hpp"
#include "sim/trace/wire.hpp"

namespace spillway::trace {

/// Writes a run as a device would send it (wire.hpp): a start, every record and pool level, an end. The file holds the
/// bytes of the line.
class WireFile final : public Sink {
 public:
  /// Throws FileError.
  WireFile(std::filesystem::path path, const StartMessage& start);

  /// Throw FileError.
  void record(const Record& record) override { send(record); }
  void pools(const PoolLevels& levels) override { send(levels); }

  /// Completes the file and gives it its name; without it no file appears. Throws FileError.
  void finish(const EndMessage& end = {});

 private:
  template <class Content>
  void send(const Content& content);

  OutputFile file_;
  std::string buffer_;
  std::uint16_t number_ = 0;
};

}  // namespace spillway::trace
