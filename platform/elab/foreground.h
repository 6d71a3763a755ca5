// Which code of the user the simulation is in, for another thread that has to say so when nothing else answers any
// more. The simulation's thread writes, any thread may read at any time.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/base/units.h"

namespace kb::elab {

class Foreground {
 public:
  struct View {
    const char* kernel = nullptr;  // null: no kernel runs
    const char* place = nullptr;   // "sip0.cube0.pe3.pe_cpu", or the host thread; null: no code of the user runs
    const char* call = nullptr;    // the latest one of the kernel; null: none yet
    std::uint64_t index = 0;       // of the call
    TimeFs since = 0_fs;           // simulated time, which stands still while code of the user runs
  };

  // The texts have to outlive the run, or the code that they name.
  void enter(const char* place, const char* kernel, TimeFs now) {
    kernel_.store(kernel, std::memory_order_relaxed);
    since_.store(now, std::memory_order_relaxed);
    place_.store(place, std::memory_order_release);
  }
  void set_call(const char* call, std::uint64_t index) {
    call_.store(call, std::memory_order_relaxed);
    index_.store(index, std::memory_order_relaxed);
  }
  void leave() { place_.store(nullptr, std::memory_order_relaxed); }

  View view() const {
    View view;
    view.place = place_.load(std::memory_order_acquire);
    view.kernel = kernel_.load(std::memory_order_relaxed);
    view.since = since_.load(std::memory_order_relaxed);
    view.call = call_.load(std::memory_order_relaxed);
    view.index = index_.load(std::memory_order_relaxed);
    return view;
  }

 private:
  std::atomic<const char*> place_{nullptr}, kernel_{nullptr}, call_{nullptr};
  std::atomic<std::uint64_t> index_{0};
  std::atomic<TimeFs> since_{0_fs};
};

}  // namespace kb::elab
