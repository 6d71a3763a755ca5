// Accesses to ring slots in HBM or SRAM as transactions of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/contract/queues.h"
#include "platform/elab/block.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

class PeDma;

// Models: a write or read between PE_DMA and the memory of the ring, beside the channels of loads and stores, which
// meets whatever else is on its way. Contents take no part in it.
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

  // `pa`: a slot of this PE's rings, not in a TCM. `queue` comes back when the access ends.
  void begin(payload::Op op, std::uint64_t pa, std::uint64_t nbytes, std::size_t queue);
  // Transactions without response.
  std::uint64_t under_way() const { return under_way_; }

 private:
  void on_response(payload::Transaction& transaction) override;

  IUser& user_;
  PeDma& dma_;
  elab::BlockContext& context_;
  std::uint64_t under_way_ = 0;
};

}  // namespace kb::modules
