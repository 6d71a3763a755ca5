#include "modules/pe/slot_access.h"

#include "modules/pe/pe_dma.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/elab/route_table.h"

namespace kb::modules {

using payload::Op;
using payload::Transaction;

namespace {
constexpr std::uint16_t kMessageLane = 1;
}

void SlotAccess::begin(Op op, const Extent& slot, std::size_t queue, account::PlaceId place) {
  const address::PhysAddr address = address::PhysAddr::decode(slot.pa);
  const NodeId node = context_.routes.resolver().resolve(address, slot.nbytes);
  ++under_way_;
  Transaction& transaction = context_.pool.acquire(op, dma_.route_to(node), slot.pa, slot.nbytes);
  transaction.place = place;
  if (address.is_hbm()) transaction.hbm_offset = address.hbm_offset();
  transaction.initiator = this;
  transaction.cookie = queue;
  const auto order = op == Op::read ? FabricEndpoint::FirstWire::slip : FabricEndpoint::FirstWire::fifo;
  dma_.issue(transaction, context_.scheduler.now(), order, kMessageLane);
}

void SlotAccess::on_response(Transaction& transaction) {
  if (!transaction.status.ok) {
    throw Error::model("an access to a slot of " + dma_.node_id() + " was refused: " + transaction.status.message);
  }
  const Op op = transaction.op;
  const std::size_t queue = transaction.cookie;
  context_.pool.release(transaction);
  --under_way_;
  user_.on_slot_accessed(op, queue);
}

}  // namespace kb::modules
