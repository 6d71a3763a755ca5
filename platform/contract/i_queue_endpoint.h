// Credits from the queue control of one PE to that of another, over a path of their own.
#pragma once

#include <cstdint>

namespace kb::contract {

class IQueueEndpoint {
 public:
  // A credit has arrived: of the messages that this PE sent into the ring at `ring_pa`, `consumed` are consumed.
  // Model Error when no queue sends there.
  virtual void on_credit(std::uint64_t ring_pa, std::uint64_t consumed) = 0;
  // The credit that this PE sent for the messages of its ring at `ring_pa` has arrived there.
  virtual void on_credit_delivered(std::uint64_t ring_pa) = 0;

 protected:
  ~IQueueEndpoint() = default;
};

}  // namespace kb::contract
