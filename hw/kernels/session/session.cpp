#include "hw/kernels/session/session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#ifdef SPILLWAY_HAS_ONEDNN
#include "hw/kernels/session/onednn.hpp"
#endif
#include "hw/kernels/session/prepared_layer.hpp"
#include "hw/kernels/session/storage.hpp"

namespace spillway::kernels {
namespace {

#ifdef SPILLWAY_HAS_ONEDNN
constexpr std::array available = {Backend::onednn, Backend::eigen};
#else
constexpr std::array available = {Backend::eigen};
#endif

/// Bytes aligned as the kernels want them, zero at first: the first frame finds every page in place.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : begin_(static_cast<char*>(::operator new(bytes, alignment))) {
    std::fill_n(begin_, bytes, char{0});
  }
  ~Memory() { ::operator delete(begin_, alignment); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  float* at(std::size_t offset) const { return reinterpret_cast<float*>(begin_ + offset); }

 private:
  static constexpr std::align_val_t alignment{64};

  char* begin_;
};

}  // namespace

std::string_view to_string(Backend backend) {
  return backend == Backend::eigen ? "eigen" : "onednn";
}

std::span<const Backend> backends() {
  return available;
}

class Session::Implementation {
 public:
  Implementation(Program program, const SessionOptions& options) : program_(std::move(program)) {
    if (std::ranges::find(available, options.backend) == available.end())
      throw std::invalid_argument(fmt::format("this build has no back-end {}", to_string(options.backend)));
    const StoragePlan plan = plan_storage(program_, prepare(options));
    memory_.arena = plan.memory.bytes;
    memory_.largest_live = plan.memory.largest_live;
    arena_ = std::make_unique<Memory>(memory_.arena);
    scratch_ = std::make_unique<Memory>(memory_.scratch);
    execution_ = {options.threads, scratch_->at(0), nullptr, nullptr};
    bind(plan);
  }

  void run(std::span<double> seconds) {
    using Clock = std::chrono::steady_clock;
    for (std::size_t step = 0; step < calls_.size(); ++step) {
      const Clock::time_point begin = seconds.empty() ? Clock::time_point() : Clock::now();
      const PreparedCall& call = calls_[step];
      call.layer->run(call.operands.data(), call.output, execution_);
      if (!seconds.empty()) seconds[step] += std::chrono::duration<double>(Clock::now() - begin).count();
    }
  }

  std::span<float> numbers(ValueId id) {
    return {addresses_[program_.storage_of(id)], static_cast<std::size_t>(program_.values[id].elements())};
  }

  const Program& program() const { return program_; }
  const SessionMemory& memory() const { return memory_; }
  std::string_view computed_by(std::size_t step) const { return calls_.at(step).layer->library(); }

 private:
  struct PreparedCall {
    std::unique_ptr<PreparedLayer> layer;
    std::vector<const float*> operands;
    float* output = nullptr;
  };

  /// Returns the bytes of each value; empty: four for each element.
  std::vector<std::size_t> prepare(const SessionOptions& options) {
#ifdef SPILLWAY_HAS_ONEDNN
    std::optional<OneDnn> onednn;
    if (options.backend == Backend::onednn) onednn.emplace(program_, options.threads);
#endif
    std::vector<bool> counted(program_.values.size(), false);
    for (const Step& step : program_.steps) {
      for (const ValueId input : step.inputs) {
        if (input == no_value || !program_.values[program_.storage_of(input)].is_constant) continue;
        const ValueId storage = program_.storage_of(input);
        const Value& value = program_.values[storage];
        if (static_cast<std::int64_t>(value.numbers.values().size()) != value.elements())
          throw std::invalid_argument(fmt::format("the numbers of \"{}\" are missing", value.name));
        if (!counted[storage]) memory_.weights += value.numbers.values().size_bytes();
        counted[storage] = true;
      }
      PreparedCall call;
#ifdef SPILLWAY_HAS_ONEDNN
      if (onednn) call.layer = onednn->prepare(step);
#endif
      if (call.layer == nullptr) call.layer = prepare_eigen(step, options.threads);
      memory_.scratch = std::max(memory_.scratch, call.layer->scratch_bytes());
      memory_.prepared += call.layer->prepared_bytes();
      calls_.push_back(std::move(call));
    }
    std::vector<std::size_t> bytes;
#ifdef SPILLWAY_HAS_ONEDNN
    if (onednn)
      for (ValueId id = 0; id < program_.values.size(); ++id)
        bytes.push_back(onednn->bytes_of(id));
#endif
    return bytes;
  }

  void bind(const StoragePlan& plan) {
    for (ValueId id = 0; id < program_.values.size(); ++id) {
      const Value& value = program_.values[id];
      if (value.is_constant)
        // A constant is only read; one that is an output as well is handed out as const.
        addresses_.push_back(const_cast<float*>(value.numbers.values().data()));
      else
        addresses_.push_back(plan.buffers[id] == no_buffer ? nullptr
                                                           : arena_->at(plan.memory.offsets[plan.buffers[id]]));
    }
    for (std::size_t step = 0; step < calls_.size(); ++step) {
      for (const ValueId input : program_.steps[step].inputs)
        calls_[step].operands.push_back(input == no_value ? nullptr : addresses_[program_.storage_of(input)]);
      calls_[step].output = addresses_[program_.storage_of(program_.steps[step].output)];
    }
  }

  Program program_;
  SessionMemory memory_;
  std::unique_ptr<Memory> arena_, scratch_;
  std::vector<float*> addresses_;  ///< by value that has memory of its own
  std::vector<PreparedCall> calls_;
  Execution execution_;
};

Session::Session(Program program, const SessionOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(program), options)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const Program& Session::program() const {
  return implementation_->program();
}

const SessionMemory& Session::memory() const {
  return implementation_->memory();
}

std::span<float> Session::input(std::size_t position) {
  return implementation_->numbers(program().inputs.at(position));
}

std::span<const float> Session::output(std::size_t position) const {
  return implementation_->numbers(program().outputs.at(position));
}

void Session::run() {
  implementation_->run({});
}

void Session::run(std::span<double> seconds) {
  implementation_->run(seconds);
}

std::string_view Session::computed_by(std::size_t step) const {
  return implementation_->computed_by(step);
}

}  // namespace spillway::kernels
