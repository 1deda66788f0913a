#include "platforms/resource.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platforms/nearest.hpp"

namespace spillway::platforms {
namespace {

/// One way to read a key: a resource, or why this device's key is wrong.
struct Reading {
  Resource resource;
  std::string mistake;
};

std::string forms_of(const Device& device) {
  std::string forms = fmt::format("\"{0}_{1}:{2}\"", device.name, device.architecture, device.cores.front());
  if (device.gpu) forms += fmt::format(" or \"{}_gpu\"", device.name);
  return forms;
}

std::string slots_of(const Device& device) {
  return device.cores.size() == 1 ? fmt::format("slot {}", device.cores.front())
                                  : fmt::format("slots {}-{}", device.cores.front(), device.cores.back());
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) { return letter >= '0' && letter <= '9'; });
}

std::optional<std::vector<int>> read_cores(std::string_view text) {
  std::vector<int> cores;
  if (!text.starts_with(':')) {
    if (!is_number(text)) return std::nullopt;
    for (const char digit : text)
      cores.push_back(digit - '0');
    return cores;
  }
  for (std::size_t begin = 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view number = text.substr(begin, end - begin);
    int core = 0;
    if (!is_number(number) || std::from_chars(number.data(), number.data() + number.size(), core).ec != std::errc())
      return std::nullopt;
    cores.push_back(core);
    begin = end + 1;
  }
  return cores;
}

std::string mistake_in(const std::vector<int>& cores, const Device& device) {
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (std::ranges::find(device.cores, cores[i]) == device.cores.end())
      return fmt::format("core {} is outside {} of {}", cores[i], slots_of(device), device.name);
    if (std::ranges::find(cores.begin(), cores.begin() + static_cast<std::ptrdiff_t>(i), cores[i]) !=
        cores.begin() + static_cast<std::ptrdiff_t>(i))
      return fmt::format("core {} is given twice (a core above 9 is written \"{}_{}:10\")", cores[i], device.name,
                         device.architecture);
  }
  return "";
}

/// Empty when the key is none of this device.
std::optional<Reading> read_as(std::string_view key, const std::vector<Device>& devices, std::size_t position) {
  const Device& device = devices[position];
  if (!key.starts_with(device.name + '_')) return std::nullopt;
  const std::string_view rest = key.substr(device.name.size() + 1);
  if (rest == "gpu") {
    if (device.gpu) return Reading{{position, true, {}}, ""};
    return Reading{{}, fmt::format("{} has no GPU; expected {}", device.name, forms_of(device))};
  }
  if (!rest.starts_with(device.architecture)) return std::nullopt;
  std::optional<std::vector<int>> cores = read_cores(rest.substr(device.architecture.size()));
  if (!cores) return std::nullopt;
  std::string mistake = mistake_in(*cores, device);
  return Reading{{position, false, std::move(*cores)}, std::move(mistake)};
}

[[noreturn]] void refuse_unknown(std::string_view key, const std::vector<Device>& devices) {
  const Device* owner = nullptr;
  std::vector<std::string> names;
  for (const Device& device : devices) {
    names.push_back(device.name);
    if (key.starts_with(device.name + '_') && (owner == nullptr || owner->name.size() < device.name.size()))
      owner = &device;
  }
  if (owner != nullptr)
    throw ResourceError(fmt::format("\"{}\" is no resource of {}; expected {}", key, owner->name, forms_of(*owner)));
  const std::string_view name = key.substr(0, key.rfind('_'));
  const std::string hint = did_you_mean(name, names);
  throw ResourceError(fmt::format("unknown device \"{}\"{}{} expected one of {}", name, hint, hint.empty() ? ";" : "",
                                  fmt::join(names, ", ")));
}

}  // namespace

Resource parse_resource(std::string_view key, const std::vector<Device>& devices) {
  std::vector<std::size_t> longest_first(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i)
    longest_first[i] = i;
  std::ranges::stable_sort(longest_first, std::ranges::greater(),
                           [&](std::size_t i) { return devices[i].name.size(); });

  std::optional<Reading> found;
  for (const std::size_t position : longest_first) {
    std::optional<Reading> reading = read_as(key, devices, position);
    if (!reading) continue;
    if (found && found->mistake.empty() && reading->mistake.empty())
      throw ResourceError(fmt::format("\"{}\" may be {} or {}; expected a key that fits one device: rename one", key,
                                      key_of(found->resource, devices), key_of(reading->resource, devices)));
    if (!found || (!found->mistake.empty() && reading->mistake.empty())) found = std::move(reading);
  }
  if (!found) refuse_unknown(key, devices);
  if (!found->mistake.empty()) throw ResourceError(found->mistake);
  return found->resource;
}

std::string key_of(const Resource& resource, const std::vector<Device>& devices) {
  const Device& device = devices.at(resource.device);
  if (resource.gpu) return device.name + "_gpu";
  return fmt::format("{}_{}:{}", device.name, device.architecture, fmt::join(resource.cores, ","));
}

}  // namespace spillway::platforms
