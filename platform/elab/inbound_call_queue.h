// Calls from outside models, which arrive in the arbitrary process order of the SystemC kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/elab/event_scheduler.h"

namespace kb::elab {

class IInboundCall {
 public:
  // `entered` is the time of the call including its delay; the current time is 1 fs later.
  virtual void on_inward(TimeFs entered, std::uint64_t argument) = 0;

 protected:
  ~IInboundCall() = default;
};

// A call with effect at time T is delivered at T + 1 fs, when all processes of time T have made their calls, in the
// order of (T, port, call on that port). Therefore no result depends on the order of SystemC's processes and delta
// cycles.
class InboundCallQueue final : private EventHandler {
 public:
  explicit InboundCallQueue(EventScheduler& scheduler) : scheduler_(scheduler) {}
  InboundCallQueue(const InboundCallQueue&) = delete;
  InboundCallQueue& operator=(const InboundCallQueue&) = delete;

  // Ports are numbered in the order of creation.
  std::uint32_t add_port() { return ports_++; }
  // Called from a SystemC process; `at` is not before its time.
  void post(TimeFs at, std::uint32_t port, IInboundCall& call, std::uint64_t argument);
  bool empty() const { return letters_.empty(); }

 private:
  struct PendingCall {
    TimeFs time;
    std::uint32_t port = 0;
    std::uint64_t order = 0;
    IInboundCall* call = nullptr;
    std::uint64_t argument = 0;
  };
  struct Later {
    bool operator()(const PendingCall& a, const PendingCall& b) const;
  };
  void on_event(TimeFs now, std::uint64_t argument) override;
  void wake_at(TimeFs at);

  EventScheduler& scheduler_;
  std::vector<PendingCall> letters_;  // min-heap
  std::uint64_t order_ = 0;
  std::uint32_t ports_ = 0;
  TimeFs wake_time_ = kNever;
};

}  // namespace kb::elab
