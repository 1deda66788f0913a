#include "platforms/devices.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "platforms/cluster.hpp"
#include "platforms/nearest.hpp"
#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

constexpr int most_cores = 1024;
constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::string_view expected_line =
    "expected \"NAME, ARCHITECTURE, slots=FIRST-LAST\" and perhaps \"gpu=ARCHITECTURE (LIBRARY)\"";

struct Field {
  std::string_view text;
  std::size_t column = 0;  ///< from 1
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<Field> fields_of(std::string_view line) {
  std::vector<Field> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::string_view text = line.substr(begin, end - begin);
    const std::size_t blanks = text.find_first_not_of(" \t\r");
    fields.push_back({trimmed(text), begin + (blanks == std::string_view::npos ? 0 : blanks) + 1});
    begin = end + 1;
  }
  return fields;
}

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size() || value < 0 || value >= most_cores)
    return std::nullopt;
  return value;
}

class LineReader {
 public:
  LineReader(const std::string& file, std::size_t line, std::vector<Problem>& problems)
      : file_(file), line_(line), problems_(problems) {}

  std::optional<Device> read(std::string_view text) {
    const std::size_t before = problems_.size();
    const std::vector<Field> fields = fields_of(text);
    Device device;
    if (fields.size() < 3) {
      problem(1, "", fmt::format("\"{}\" has {} of 3 fields; {}", trimmed(text), fields.size(), expected_line));
      return std::nullopt;
    }
    device.name = fields[0].text;
    if (!is_device_name(device.name))
      problem(
          fields[0].column, "",
          fmt::format("\"{}\" is no name of a device; expected letters, digits, ., - and _, a letter or digit first",
                      device.name));
    device.architecture = fields[1].text;
    if (!is_device_name(device.architecture) || device.architecture == "gpu")
      problem(fields[1].column, "",
              fmt::format("\"{}\" is no CPU architecture; expected a word such as arm or x86", device.architecture));
    for (std::size_t i = 2; i < fields.size(); ++i)
      read_setting(fields[i], device);
    if (device.cores.empty() && problems_.size() == before)
      problem(1, device.name, fmt::format("has no slots; {}", expected_line));
    return problems_.size() == before ? std::optional(std::move(device)) : std::nullopt;
  }

  void problem(std::size_t column, std::string key, std::string message) {
    problems_.push_back({file_, line_, column, std::move(key), std::move(message)});
  }

 private:
  void read_setting(const Field& field, Device& device) {
    const std::size_t equals = std::min(field.text.find('='), field.text.size());
    const std::string name(trimmed(field.text.substr(0, equals)));
    const std::string_view value = equals == field.text.size() ? "" : trimmed(field.text.substr(equals + 1));
    if (name == "slots")
      read_slots(field, value, device);
    else if (name == "gpu")
      read_gpu(field, value, device);
    else
      problem(field.column, device.name,
              fmt::format("unknown field \"{}\"{} expected slots=FIRST-LAST or gpu=ARCHITECTURE (LIBRARY)", field.text,
                          with_hint(name)));
  }

  static std::string with_hint(const std::string& name) {
    const std::string hint = did_you_mean(name, {"slots", "gpu"});
    return hint.empty() ? ";" : hint;
  }

  void read_slots(const Field& field, std::string_view value, Device& device) {
    const std::size_t dash = std::min(value.find('-'), value.size());
    const std::optional<int> first = number_of(trimmed(value.substr(0, dash)));
    const std::optional<int> last = dash == value.size() ? first : number_of(trimmed(value.substr(dash + 1)));
    if (!first || !last || *last < *first)
      return problem(field.column, device.name,
                     fmt::format("\"{}\" are no cores; expected slots=FIRST-LAST with numbers from 0 to {}", field.text,
                                 most_cores - 1));
    if (!device.cores.empty()) return problem(field.column, device.name, "slots are given twice; expected once");
    for (int core = *first; core <= *last; ++core)
      device.cores.push_back(core);
  }

  void read_gpu(const Field& field, std::string_view value, Device& device) {
    const std::size_t open = value.find('(');
    Gpu gpu;
    if (open != std::string_view::npos && value.ends_with(')')) {
      gpu.architecture = trimmed(value.substr(0, open));
      gpu.api = trimmed(value.substr(open + 1, value.size() - open - 2));
    }
    if (gpu.architecture.empty() || gpu.api.empty())
      return problem(field.column, device.name,
                     fmt::format("\"{}\" is no GPU; expected gpu=ARCHITECTURE (LIBRARY)", field.text));
    if (device.gpu) return problem(field.column, device.name, "a GPU is given twice; expected at most one a device");
    device.gpu = std::move(gpu);
  }

  const std::string& file_;
  std::size_t line_;
  std::vector<Problem>& problems_;
};

}  // namespace

bool is_device_name(std::string_view name) {
  const auto is_plain = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
  };
  return !name.empty() && name.size() <= 64 && is_plain(name.front()) && std::ranges::all_of(name, [&](char letter) {
    return is_plain(letter) || letter == '.' || letter == '-' || letter == '_';
  });
}

std::vector<Device> parse_devices(std::string_view text, const std::string& file) {
  std::vector<Device> devices;
  std::vector<Problem> problems;
  if (text.size() > most_bytes)
    throw InputError({{file, 0, 0, "", fmt::format("has {} bytes; expected at most {}", text.size(), most_bytes)}});
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = text.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (trimmed(content).empty() || trimmed(content).front() == '#') continue;
    LineReader reader(file, line, problems);
    std::optional<Device> device = reader.read(content);
    if (!device) continue;
    const auto same_name = [&](const Device& other) { return other.name == device->name; };
    if (std::ranges::any_of(devices, same_name))
      reader.problem(1, device->name, "is given twice; expected one line for each device");
    else
      devices.push_back(std::move(*device));
  }
  if (devices.empty() && problems.empty())
    problems.push_back({file, 0, 0, "", fmt::format("lists no device; {}, one a line", expected_line)});
  if (!problems.empty()) throw InputError(std::move(problems));
  return devices;
}

std::vector<Device> load_devices(const std::string& name_or_path) {
  const bool is_name = name_or_path.find('/') == std::string::npos && name_or_path.find('.') == std::string::npos;
  if (is_name || name_or_path.ends_with(".yaml")) {
    Cluster cluster = load_cluster(name_or_path);
    if (cluster.devices.empty())
      throw InputError({{name_or_path, 0, 0, "devices",
                         "the cluster has none that run an operating system; expected a list of devices with their "
                         "names, architecture and cores"}});
    return std::move(cluster.devices);
  }
  std::ifstream stream(name_or_path, std::ios::binary);
  std::error_code error;
  if (!stream || std::filesystem::is_directory(name_or_path, error))
    throw InputError({{name_or_path, 0, 0, "", "cannot be read; expected a platform file or a cluster"}});
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_devices(text, name_or_path);
}

}  // namespace spillway::platforms
