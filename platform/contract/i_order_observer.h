// The interface between the machine and the checker of the order in which kernels use memory.
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

// Everything that puts uses of memory into an order, as it happens. Never moves time. A command is named by its PE and
// a number that is unique there.
class IOrderObserver {
 public:
  virtual ~IOrderObserver() = default;

  // The host has submitted the launch; it has seen that the launch is complete.
  virtual void launch_submitted(RequestId request) = 0;
  virtual void launch_completed(RequestId request) = 0;
  // The host has submitted a read or a write of memory at a physical address; it is complete. Requests of the host are
  // numbered in their order.
  virtual void host_access_submitted(RequestId request, const Extent& bytes, bool writes, TimeFs now) = 0;
  virtual void host_access_completed(RequestId request, TimeFs now) = 0;
  // On one PE. What a kernel started has completed when it ends.
  virtual void kernel_begins(const PeCoord& pe, RequestId request, std::shared_ptr<const KernelLaunch> launch) = 0;
  virtual void kernel_ends(const PeCoord& pe) = 0;

  // The kernel has given the command to the PE; it has completed; the kernel has waited for it. Addresses as in the
  // command: `translator` makes them physical, null: they are.
  virtual void issued(const PeCoord& pe, std::uint64_t command) = 0;
  virtual void completed(const PeCoord& pe, std::uint64_t id, const Command& command, const ITranslator* translator,
                         TimeFs start, TimeFs end) = 0;
  virtual void waited_for(const PeCoord& pe, std::uint64_t command) = 0;
  // The kernel will never use what this command, a prefetch, reads.
  virtual void abandoned(const PeCoord& pe, std::uint64_t command) = 0;

  // The kernel has come to a barrier of its cube or SIP; it goes on, with all others.
  virtual void barrier_reached(const PeCoord& pe, RequestId request, BarrierScope scope) = 0;
  virtual void barrier_passed(const PeCoord& pe, RequestId request, BarrierScope scope) = 0;

  // A message leaves for the slot at `slot_pa`; the receive `command` has the one that lies there.
  virtual void message_sent(const PeCoord& pe, std::uint64_t slot_pa) = 0;
  virtual void message_received(const PeCoord& pe, std::uint64_t command, std::uint64_t slot_pa) = 0;
};

}  // namespace kb::contract
