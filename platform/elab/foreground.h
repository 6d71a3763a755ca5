// Tracks which user code the simulation is executing, for another thread or a signal handler that reports it when the
// simulation does not respond. The simulation's thread writes; any thread may read at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "platform/base/units.h"
#include "platform/contract/source_line.h"

namespace kb::elab {

enum class UserCode : std::uint8_t { none, plug_in, workload, kernel, block };

class Foreground {
 public:
  struct View {
    UserCode code = UserCode::none;
    const char* name = nullptr;   // kernel name, the block's implementation, or file name of the library
    const char* place = nullptr;  // "sip0.cube0.pe3.pe_cpu", or the name of the host thread
    const char* call = nullptr;   // latest call of the kernel; null before the first one
    std::uint64_t index = 0;      // number of that call
    contract::SourceLine at;      // of that call
    TimeFs since = 0_fs;          // simulated time, which does not advance while user code runs
  };

  // `name` and `place` must stay valid at least until the code returns.
  void enter(UserCode code, const char* name, const char* place, TimeFs now) {
    name_.store(name, std::memory_order_relaxed);
    place_.store(place, std::memory_order_relaxed);
    since_.store(now, std::memory_order_relaxed);
    code_.store(code, std::memory_order_release);
  }
  void set_call(const char* call, std::uint64_t index, contract::SourceLine at) {
    call_.store(call, std::memory_order_relaxed);
    file_.store(at.file(), std::memory_order_relaxed);
    line_.store(at.line(), std::memory_order_relaxed);
    index_.store(index, std::memory_order_relaxed);
  }
  void leave() { code_.store(UserCode::none, std::memory_order_relaxed); }

  View view() const {
    View view;
    view.code = code_.load(std::memory_order_acquire);
    view.name = name_.load(std::memory_order_relaxed);
    view.place = place_.load(std::memory_order_relaxed);
    view.since = since_.load(std::memory_order_relaxed);
    view.call = call_.load(std::memory_order_relaxed);
    view.index = index_.load(std::memory_order_relaxed);
    view.at = contract::SourceLine::here(file_.load(std::memory_order_relaxed), line_.load(std::memory_order_relaxed));
    return view;
  }

 private:
  std::atomic<UserCode> code_{UserCode::none};
  std::atomic<const char*> name_{nullptr}, place_{nullptr}, call_{nullptr}, file_{""};
  std::atomic<std::uint64_t> index_{0};
  std::atomic<int> line_{0};
  std::atomic<TimeFs> since_{0_fs};
};

// Writes "in kernel copy on sip0.cube0.pe0.pe_cpu, after tl.load #3" to `text`, truncated to its size, or an empty text
// when no user code runs. Safe in a signal handler.
void describe(const Foreground::View& view, char* text, std::size_t size);

}  // namespace kb::elab
