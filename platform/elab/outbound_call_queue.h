// Calls to outside models, which do not know of an engine that runs ahead of SystemC time.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <queue>
#include <systemc>
#include <utility>
#include <vector>

#include "platform/elab/event_scheduler.h"

namespace kb::elab {

class IOutboundCall {
 public:
  // Runs in a SystemC process, when SystemC time equals the engine's time.
  virtual void on_outward(std::uint64_t argument) = 0;

 protected:
  ~IOutboundCall() = default;
};

// One process makes all calls. Calls posted by the engine are made when SystemC time equals the engine's time, after
// all events of that time, in the order of (port, post), so that the order of events has no effect. A call that
// acknowledges a model's call is made at the time of that call plus its delay, one delta cycle later.
class OutboundCallQueue final : public sc_core::sc_module {
 public:
  OutboundCallQueue(const sc_core::sc_module_name& name, EventScheduler& scheduler);

  // `done` is called when all posted calls have been made.
  void on_done(std::function<void()> done) { done_ = std::move(done); }
  // `failed` is called with an exception thrown by a call, which does not leave the process; later calls are dropped.
  void on_failed(std::function<void(std::exception_ptr)> failed) { failed_ = std::move(failed); }
  bool empty() const { return posts_.empty() && later_.empty() && going_out_.empty(); }

  // Ports are numbered in the order of creation.
  std::uint32_t add_port() { return ports_++; }
  // Posts `call` at the engine's current time.
  void post(std::uint32_t port, IOutboundCall& call, std::uint64_t argument);
  // For a SystemC process: posts `call` at the kernel's time plus `delay`, in a later delta cycle.
  void post_after(const sc_core::sc_time& delay, std::uint32_t port, IOutboundCall& call, std::uint64_t argument);

 private:
  struct Post {
    std::uint32_t port;
    IOutboundCall* call;
    std::uint64_t argument;
  };
  struct LaterPost {
    sc_core::sc_time time;
    std::uint64_t order;
    Post post;
    bool operator>(const LaterPost& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  void call_method();
  void take_due();
  bool make_calls();

  EventScheduler& scheduler_;
  sc_core::sc_event event_, later_event_;
  std::vector<Post> posts_;
  std::priority_queue<LaterPost, std::vector<LaterPost>, std::greater<>> later_;
  std::uint64_t order_ = 0;
  std::vector<Post> going_out_;
  std::function<void()> done_;
  std::function<void(std::exception_ptr)> failed_;
  std::uint32_t ports_ = 0;
};

}  // namespace kb::elab
