#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/stm32/board.hpp"
#include "hw/stm32/processor.hpp"
#include "hw/stm32/report.hpp"
#include "hw/stm32/time.hpp"
#include "hw/stm32/transfer.hpp"
#include "sim/core/scheduler.hpp"

namespace spillway::stm32 {

/// What carries tasks out. An IO task is one transfer or several: begin_io(), then next_transfer() until it is empty.
/// Its end may be worth a note on the card.
template <class Type>
concept Executor = requires(Type executor, const core::Task& task) {
  executor.begin_io(task);
  { executor.next_transfer() } -> std::same_as<std::optional<Transfer>>;
  { executor.note() } -> std::same_as<std::optional<Transfer>>;
  executor.compute(task);
};

/// Runs a plan: computes in thread mode, while PendSV, which the end of a transfer asks for, ends IO tasks and selects
/// the next ones. Both use the scheduler, so each holds the other off while it does.
template <Executor Tasks>
class SwapLoop {
 public:
  SwapLoop(core::Scheduler& scheduler, Tasks& tasks) : scheduler_(scheduler), tasks_(tasks) {}

  /// Until the plan is done. Ends the program where something fails.
  void run() {
    pend_sv();
    while (const std::optional<core::Task> task = wait_for_compute()) {
      const std::uint64_t begin_ns = now_ns() - origin_ns_;
      tasks_.compute(*task);
      finish(*task, begin_ns, 0);
      pend_sv();
    }
  }

  /// For PendSV.
  void io() {
    if (io_ != Io::idle) {
      if (card().busy()) return;
      end_if(card().result());
      if (io_ == Io::task && (start(tasks_.next_transfer()) || end_io_task())) return;
      io_ = Io::idle;
    }
    while (const std::optional<core::Task> task = select_io()) {
      io_ = Io::task;
      io_task_ = *task;
      io_begin_ns_ = now_ns() - origin_ns_;
      io_sectors_ = 0;
      tasks_.begin_io(*task);
      if (start(tasks_.next_transfer()) || end_io_task()) return;
      io_ = Io::idle;
    }
  }

 private:
  enum class Io : std::uint8_t { idle, task, note };

  std::optional<core::Task> select_io() {
    const InterruptsOff alone;
    return scheduler_.select_io();
  }

  /// Whether there is something to start.
  bool start(const std::optional<Transfer>& transfer) {
    if (!transfer) return false;
    io_sectors_ += transfer->sectors;
    end_if(card().start(transfer->direction, transfer->sector, transfer->sectors, transfer->memory));
    return true;
  }

  /// Whether a note is on its way.
  bool end_io_task() {
    finish(io_task_, io_begin_ns_, io_sectors_ * std::uint64_t{sector_bytes});
    if (!start(tasks_.note())) return false;
    io_ = Io::note;
    return true;
  }

  std::optional<core::Task> wait_for_compute() {
    for (;;) {
      const InterruptsOff alone;
      if (scheduler_.done() && io_ == Io::idle) return std::nullopt;
      if (const std::optional<core::Task> task = scheduler_.select_compute()) return task;
      if (scheduler_.stalled()) end({Error::plan_stalled, 0});
      sleep();
    }
  }

  void finish(const core::Task& task, std::uint64_t begin_ns, std::uint64_t bytes) {
    const std::uint64_t end_ns = now_ns() - origin_ns_;
    {
      const InterruptsOff alone;
      const core::Status status = scheduler_.finish(task);
      if (status != core::Status::ok) end({Error::task_refused, static_cast<std::uint32_t>(status)});
    }
    report(trace::Record{task, begin_ns, end_ns, bytes});
  }

  core::Scheduler& scheduler_;
  Tasks& tasks_;
  const std::uint64_t origin_ns_ = now_ns();
  volatile Io io_ = Io::idle;
  core::Task io_task_;
  std::uint64_t io_begin_ns_ = 0;
  std::uint32_t io_sectors_ = 0;
};

}  // namespace spillway::stm32
