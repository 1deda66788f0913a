#include "sim/engine/engine.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <xbt/log.h>

// SimGrid keeps its clock over the runs of one process. A run that begins late loses digits, so each run begins at 0.
extern double simgrid_clock asm("_ZN7simgrid6kernel10EngineImpl4now_E");

namespace spillway::engine {
namespace {

namespace s4u = simgrid::s4u;

struct EngineState {
  std::unique_ptr<s4u::Engine> engine;
  std::string platform;
  std::string factors;
  const std::function<void(const s4u::Activity&)>* completed = nullptr;
};

/// Never destroyed: SimGrid's own static objects go first.
EngineState& state() {
  static EngineState& the_state = *new EngineState;
  return the_state;
}

/// Must only be called while no activity and no timer is alive.
void reset_clock() {
  simgrid_clock = 0;
}

/// The clock is reached by its symbol: a SimGrid that keeps it elsewhere must not go unnoticed.
void check_clock() {
  s4u::Host* host = s4u::Engine::get_instance()->get_all_hosts().front();
  for (int run = 0; run < 2; ++run) {
    reset_clock();
    s4u::ExecPtr work = s4u::Exec::init();
    work->set_host(host)->set_flops_amount(host->get_speed() / 2);
    work->start();
    s4u::Engine::get_instance()->run();
    if (std::abs(s4u::Engine::get_clock() - 0.5) > 1e-12) {
      throw std::runtime_error("this version of SimGrid does not let its clock be reset between runs");
    }
  }
}

/// Of the engine just made, before its first platform.
void configure() {
  xbt_log_control_set("xbt_cfg.thresh:warning");  // the settings are no news
  s4u::Engine::set_config("network/model:SMPI");
  s4u::Engine::set_config("network/crosstraffic:0");
  s4u::Engine::set_config("network/weight-S:0");
  s4u::Engine::set_config("smpi/bw-factor:0:1");
  s4u::Activity::on_completion_cb([](const s4u::Activity& activity) {
    if (state().completed != nullptr) (*state().completed)(activity);
  });
}

void configure_messages(const Messages& messages) {
  const std::string factors = fmt::format("0:1;{}:{}", messages.eager_bytes, messages.rendezvous_latencies);
  std::string& read = state().factors;
  if (read == factors) return;
  if (!read.empty())
    throw std::runtime_error(
        fmt::format("SimGrid has read the latency factors {} and cannot take {} in the same process", read, factors));
  s4u::Engine::set_config("smpi/lat-factor:" + factors);
  read = factors;
}

}  // namespace

void use_platform(const std::string& name, const std::function<void()>& build, const Messages* messages) {
  EngineState& here = state();
  if (here.engine && here.platform == name) return;
  const bool first = !here.engine;
  here.engine.reset();
  int argc = 1;
  char program[] = "spillway";
  char* argv[] = {program, nullptr};
  here.engine = std::make_unique<s4u::Engine>(&argc, argv);
  if (first) configure();
  if (messages != nullptr) configure_messages(*messages);
  here.platform = name;
  build();
  if (first) check_clock();
}

void run(const std::function<void()>& begin, const std::function<void(const s4u::Activity&)>& completed) {
  reset_clock();
  state().completed = &completed;
  begin();
  s4u::Engine::get_instance()->run();
  state().completed = nullptr;
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::llround(s4u::Engine::get_clock() * 1e9));
}

}  // namespace spillway::engine
