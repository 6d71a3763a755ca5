// Installation of message queues (Q-75 .. Q-83).
#pragma once

#include <cstdint>
#include <map>

#include "platform/base/ids.h"
#include "platform/contract/queues.h"

namespace kb::elab {

// Implemented by the block of each `pe_ipcq`.
class IQueueControl {
 public:
  static constexpr const char* kRole = "the control of message queues";

  // Maps the base address of each ring to the PE that sends to it.
  using Senders = std::map<std::uint64_t, PeCoord>;

  // Replaces all queues; takes no time. A queue with the label and rings of an existing one continues with its
  // counters and messages; others begin anew. Program Error QUEUE_ERROR while messages, credits or commands of a
  // removed queue are in flight, and when a ring has no sender.
  virtual void install(const contract::PeQueues& queues, const contract::QueuePlan& plan, const Senders& senders) = 0;
  // Removes all queues.
  virtual void remove() = 0;

 protected:
  ~IQueueControl() = default;
};

}  // namespace kb::elab
