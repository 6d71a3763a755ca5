// Transport of credits between the queue controls of two PEs, on a separate path.
#pragma once

#include <cstdint>

namespace kb::contract {

class IQueueEndpoint {
 public:
  // A credit has arrived: the receiver has consumed `consumed` of the messages that this PE sent to the ring at
  // `ring_pa`. Model Error when no queue sends to that ring.
  virtual void on_credit(std::uint64_t ring_pa, std::uint64_t consumed) = 0;
  // The credit that this PE sent for its ring at `ring_pa` has arrived at the sender of the messages.
  virtual void on_credit_delivered(std::uint64_t ring_pa) = 0;

 protected:
  ~IQueueEndpoint() = default;
};

}  // namespace kb::contract
