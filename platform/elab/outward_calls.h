// Calls to models outside of the platform, whose sockets know nothing of an engine that runs ahead.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "platform/elab/event_scheduler.h"

namespace kb::elab {

class IOutwardCall {
 public:
  // In a process of the SystemC kernel, whose time is the engine's.
  virtual void on_outward(std::uint64_t argument) = 0;

 protected:
  ~IOutwardCall() = default;
};

// All calls go out from one process, at a SystemC time that equals the engine's and after all events of that time, in
// the order of (port, post): whatever the order of events was, it does not show.
class OutwardCalls final : public sc_core::sc_module {
 public:
  OutwardCalls(const sc_core::sc_module_name& name, EventScheduler& scheduler);

  // `done` is called when all posted calls have been made.
  void on_done(std::function<void()> done) { done_ = std::move(done); }
  bool empty() const { return posts_.empty() && going_out_.empty(); }

  // Ports are numbered in the order in which they are made.
  std::uint32_t add_port() { return ports_++; }
  // Calls `call` at the present time of the engine.
  void post(std::uint32_t port, IOutwardCall& call, std::uint64_t argument);

 private:
  struct Post {
    std::uint32_t port;
    IOutwardCall* call;
    std::uint64_t argument;
  };
  void call_method();

  EventScheduler& scheduler_;
  sc_core::sc_event event_;
  std::vector<Post> posts_;
  std::vector<Post> going_out_;
  std::function<void()> done_;
  std::uint32_t ports_ = 0;
};

}  // namespace kb::elab
