// Detects that a simulation continues while its device makes no progress.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>

#include "platform/elab/event_scheduler.h"

namespace kb::sim {

// Calls `silent` when the engine has handled no event for `limit` since the latest start(). A limit of zero disables
// it.
class Watchdog final : public sc_core::sc_module {
 public:
  Watchdog(const sc_core::sc_module_name& name, const sc_core::sc_time& limit, const elab::EventScheduler& scheduler,
           std::function<void()> silent)
      : sc_core::sc_module(name), limit_(limit), scheduler_(scheduler), silent_(std::move(silent)) {
    SC_HAS_PROCESS(Watchdog);
    SC_METHOD(look);
    dont_initialize();
    sensitive << event_;
  }

  // Starts the timer: from now on, only outside models can cause events.
  void start() {
    if (limit_ == sc_core::SC_ZERO_TIME) return;
    events_ = scheduler_.events();
    event_.cancel();
    event_.notify(limit_);
  }
  void stop() { event_.cancel(); }

 private:
  void look() {
    if (scheduler_.events() == events_ && scheduler_.pending() == 0) silent_();
  }

  sc_core::sc_time limit_;
  const elab::EventScheduler& scheduler_;
  std::function<void()> silent_;
  sc_core::sc_event event_;
  std::uint64_t events_ = 0;
};

}  // namespace kb::sim
