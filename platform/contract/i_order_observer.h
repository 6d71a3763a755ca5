// Interface between the machine and the checker of memory order (race checker).
#pragma once

#include <cstdint>
#include <memory>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/barrier_scope.h"
#include "platform/contract/request_id.h"
#include "platform/ops/op_types.h"

namespace kb::contract {

struct Command;
class ITranslator;
struct KernelLaunch;

// Receives all events that order memory accesses, as they happen. An observer never changes a simulated time. A command
// is identified by its PE and a number that is unique on that PE.
class IOrderObserver {
 public:
  virtual ~IOrderObserver() = default;

  // The host has submitted a launch / has seen its completion.
  virtual void launch_submitted(RequestId request) = 0;
  virtual void launch_completed(RequestId request) = 0;
  // A read or write of memory by the host, at a physical address, is submitted / completes. Requests are numbered in
  // the order of submission.
  virtual void host_access_submitted(RequestId request, const Extent& bytes, bool writes, TimeFs now) = 0;
  virtual void host_access_completed(RequestId request, TimeFs now) = 0;
  // A kernel begins / ends on one PE. All commands of the kernel have completed when it ends.
  virtual void kernel_begins(const PeCoord& pe, RequestId request, std::shared_ptr<const KernelLaunch> launch) = 0;
  virtual void kernel_ends(const PeCoord& pe) = 0;

  // A PE comes to / leaves the barrier before the kernels of a queued launch.
  virtual void start_reached(const PeCoord& pe, RequestId request) = 0;
  virtual void start_passed(const PeCoord& pe, RequestId request) = 0;

  // A command is issued by the kernel / completes / has been waited for. Its addresses are those that the kernel gave;
  // `translator` makes them physical, and is null when they are physical.
  virtual void issued(const PeCoord& pe, std::uint64_t command) = 0;
  virtual void completed(const PeCoord& pe, std::uint64_t id, const Command& command, const ITranslator* translator,
                         TimeFs start, TimeFs end) = 0;
  virtual void waited_for(const PeCoord& pe, std::uint64_t command) = 0;
  // The kernel drops the result of this prefetch command.
  virtual void abandoned(const PeCoord& pe, std::uint64_t command) = 0;

  // The kernel reaches / leaves a barrier of its cube or SIP.
  virtual void barrier_reached(const PeCoord& pe, RequestId request, BarrierScope scope) = 0;
  virtual void barrier_passed(const PeCoord& pe, RequestId request, BarrierScope scope) = 0;

  // A message is sent to the slot at `slot_pa` / the receive `command` has taken the message from that slot.
  virtual void message_sent(const PeCoord& pe, std::uint64_t slot_pa) = 0;
  virtual void message_received(const PeCoord& pe, std::uint64_t command, std::uint64_t slot_pa) = 0;
};

}  // namespace kb::contract
