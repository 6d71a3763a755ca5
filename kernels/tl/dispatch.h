// The way of a kernel's commands to its PE.
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

// Gives the PE the commands of a kernel, to run now or beside it, and waits for the latter. No call may use
// scratch that a command beside the kernel works on: KERNEL_ERROR. A prefetch, which no kernel can wait for, is waited
// for.
class Dispatch {
 public:
  // A command, and the tensor that it makes.
  struct Work {
    contract::Command& command;
    TensorHandle result;
  };

  // `prefetches` are told of every command.
  Dispatch(contract::IPe& pe, Call& call, Prefetches& prefetches);

  // A call that costs the PE's CPU its dispatch_cycles (P-45); a free one begins in Call. C++ evaluates what is given
  // to a member function of the result later, so that a call can read dispatch.begin("dot").execute(make_command()).
  Dispatch& begin(const char* call) {
    call_.begin(call);
    if (overhead_.cycles > 0) execute(overhead_);
    return *this;
  }
  void execute(contract::Command& command);  // returns when it has ended
  TensorHandle execute(Work&& work) {
    execute(work.command);
    return std::move(work.result);
  }
  std::string receive(contract::Command& command);  // from any direction; gives it
  Future submit(contract::Command& command, TensorHandle result = {});
  Future submit(Work&& work) { return submit(work.command, std::move(work.result)); }
  void prefetch(Ptr ptr, std::int64_t row_stride, Work&& load);
  // Waits for the prefetches that still write to this scratch, whose scope has ended.
  void reclaim(const Extent& scratch);

  // As tl.wait and tl.wait_any.
  TensorHandle wait(const Future& future);
  void wait_for_all();
  std::size_t wait_any(const std::vector<Future>& futures);
  // That everything with a result was waited for.
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
  std::uint64_t waited_for_all_ = 0;  // the last operation that wait_for_all() has waited for
};

}  // namespace kb::tl
