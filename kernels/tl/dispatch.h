// Issues a kernel's commands to its PE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/tl/call.h"
#include "kernels/tl/future.h"
#include "kernels/tl/in_flight.h"
#include "kernels/tl/ptr.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

class Prefetches;

// Issues synchronous and asynchronous commands, and waits for the latter. A call that uses scratch of an asynchronous
// command is a KERNEL_ERROR. A prefetch is waited for here, because kernels cannot wait for it.
class Dispatch {
 public:
  // A command and its result tensor.
  struct Work {
    contract::Command& command;
    TensorHandle result;
  };

  // `prefetches` is notified of every command.
  Dispatch(contract::IPe& pe, Call& call, Prefetches& prefetches);

  // Begins a call that costs the PE's CPU its dispatch_cycles (P-45); a free call begins in Call. C++ evaluates the
  // arguments of a member function of the result later, so that a call can be written as
  // dispatch.begin("dot").execute(make_command()).
  Dispatch& begin(const char* call, contract::SourceLine at) {
    call_.begin(call, at);
    if (overhead_.cycles > 0) execute(overhead_);
    return *this;
  }
  void execute(contract::Command& command);  // returns when the command has ended
  TensorHandle execute(Work&& work) {
    execute(work.command);
    return std::move(work.result);
  }
  std::string receive(contract::Command& command);  // receives from any direction and returns it
  Future submit(contract::Command& command, TensorHandle result = {});
  Future submit(Work&& work) { return submit(work.command, std::move(work.result)); }
  void prefetch(Ptr ptr, std::int64_t row_stride, Work&& load);
  // Waits for prefetches whose scope has ended and that still write to this scratch.
  void reclaim(const Extent& scratch);

  // Implement tl.wait and tl.wait_any.
  TensorHandle wait(const Future& future);
  void wait_for_all();
  std::size_t wait_any(const std::vector<Future>& futures);
  // Requires that all operations with a result were waited for.
  void require_waited() const;

  const InFlight& in_flight() const { return in_flight_; }

 private:
  void announce(contract::Command& command);
  void check_apart(const contract::Command& command);
  const InFlight::Operation* unfinished(const Future& future) const;
  void take(const InFlight::Operation& operation);
  void finish_prefetch(const InFlight::Operation& prefetch);

  contract::IPe& pe_;
  Call& call_;
  contract::Command overhead_;
  Prefetches& prefetches_;
  InFlight in_flight_;
  std::uint64_t waited_for_all_ = 0;  // the latest operation at the last wait_for_all()
};

}  // namespace kb::tl
