// Accesses to ring slots in HBM or SRAM as separate transactions.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/contract/queues.h"
#include "platform/elab/block.h"
#include "platform/ops/op_types.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

class PeDma;

// Models: a write or read between PE_DMA and the memory of the ring, outside the channels of loads and stores, with
// contention on the fabric. The transaction carries no contents.
// Timing: an access ends with the response of its transaction.
class SlotAccess final : private payload::IInitiator {
 public:
  class IUser {
   public:
    virtual void on_slot_accessed(payload::Op op, std::size_t queue) = 0;

   protected:
    ~IUser() = default;
  };

  SlotAccess(IUser& user, PeDma& dma, elab::BlockContext& context) : user_(user), dma_(dma), context_(context) {}

  // Starts an access to a slot of this PE's rings, not in a TCM. `queue` is passed back when the access ends.
  void begin(payload::Op op, const Extent& slot, std::size_t queue, account::PlaceId place);
  // Number of transactions without a response.
  std::uint64_t in_flight() const { return under_way_; }

 private:
  void on_response(payload::Transaction& transaction) override;

  IUser& user_;
  PeDma& dma_;
  elab::BlockContext& context_;
  std::uint64_t under_way_ = 0;
};

}  // namespace kb::modules
