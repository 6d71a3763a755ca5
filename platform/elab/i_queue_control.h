// Installation of message queues (Q-75 .. Q-83).
#pragma once

#include <cstdint>
#include <map>

#include "platform/base/ids.h"
#include "platform/contract/queues.h"

namespace kb::elab {

// Implemented by the block behind each `pe_ipcq`.
class IQueueControl {
 public:
  static constexpr const char* kRole = "the control of message queues";

  // The PE that sends into each ring, by the ring's base address.
  using Senders = std::map<std::uint64_t, PeCoord>;

  // Replaces all queues; takes no time. A queue with the label and rings of one that is there goes on, counters,
  // messages and all; others begin anew. Program Error QUEUE_ERROR while messages, credits or commands of a queue that
  // ends are under way here, and when a ring has no sender.
  virtual void install(const contract::PeQueues& queues, const contract::QueuePlan& plan, const Senders& senders) = 0;
  // Without queues again.
  virtual void remove() = 0;

 protected:
  ~IQueueControl() = default;
};

}  // namespace kb::elab
