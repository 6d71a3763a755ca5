// Accesses to ring slots in HBM or SRAM as transactions of their own.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "modules/pe/slot_cost.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

class PeDma;

// Models: a write or read between PE_DMA and the memory of the ring, beside the channels of loads and stores, which
// meets whatever else is on its way. Contents take no part in it.
// Timing: an access that meets nobody takes what SlotCost says. What its transaction takes longer than a lone one of
// that size comes on top; where the transaction alone takes longer than SlotCost says, as with small messages, that
// cannot be waited for and is charged to the next access of the queue.
class SlotAccess final : private payload::IInitiator, private elab::EventHandler {
 public:
  class IUser {
   public:
    virtual void on_slot_accessed(payload::Op op, std::size_t queue) = 0;

   protected:
    ~IUser() = default;
  };

  SlotAccess(IUser& user, PeDma& dma, const SlotCost& cost) : user_(user), dma_(dma), cost_(cost) {}

  // `pa`: a slot of this PE's rings, not in a TCM. `queue` comes back when the access ends.
  void begin(payload::Op op, contract::QueueMemory memory, std::uint64_t pa, std::uint64_t nbytes, std::size_t queue);
  // Transactions without response.
  std::uint64_t under_way() const { return under_way_; }

 private:
  struct Access {
    std::size_t queue = 0;
    payload::Op op{};
    TimeFs begun = 0, cost = 0, lone = 0;
    bool answered = false, ended = false;

    bool is_short() const { return lone > cost; }
  };
  void on_response(payload::Transaction& transaction) override;
  void on_event(TimeFs now, std::uint64_t slot) override;
  TimeFs lone_time(payload::Op op, NodeId memory, std::uint64_t nbytes);
  void release_when_over(std::uint64_t slot);

  IUser& user_;
  PeDma& dma_;
  const SlotCost& cost_;
  std::vector<Access> accesses_;  // by transaction cookie and event argument
  std::vector<std::uint64_t> free_;
  std::vector<TimeFs> owed_;  // by queue: waiting of short accesses that was not charged yet
  std::map<std::tuple<payload::Op, NodeId, std::uint64_t>, TimeFs> lone_times_;
  std::uint64_t under_way_ = 0;
};

}  // namespace kb::modules
