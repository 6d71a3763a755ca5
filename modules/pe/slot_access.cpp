#include "modules/pe/slot_access.h"

#include <algorithm>
#include <utility>

#include "modules/pe/pe_dma.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/elab/route_table.h"
#include "platform/routing/lone_transfer.h"

namespace kb::modules {

using payload::Op;
using payload::Transaction;

namespace {
constexpr std::uint16_t kMessageLane = 1;
}

void SlotAccess::begin(Op op, contract::QueueMemory memory, std::uint64_t pa, std::uint64_t nbytes, std::size_t queue) {
  const address::PhysAddr address = address::PhysAddr::decode(pa);
  const NodeId node = dma_.context().routes.resolver().resolve(address, nbytes);
  std::uint64_t slot = accesses_.size();
  if (free_.empty()) {
    accesses_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  Access& access = accesses_[slot];
  access = {queue, op, dma_.now(), cost_.of(memory, nbytes), lone_time(op, node, nbytes)};
  if (access.is_short()) {
    if (owed_.size() <= queue) owed_.resize(queue + 1);
    const TimeFs end = time_sum(access.begun, access.cost);
    dma_.scheduler().schedule(time_sum(end, std::exchange(owed_[queue], 0)), *this, slot);
  }
  ++under_way_;
  Transaction& transaction = dma_.context().pool.acquire(op, dma_.route_to(node), pa, nbytes);
  if (address.is_hbm()) transaction.hbm_offset = address.hbm_offset();
  transaction.initiator = this;
  transaction.cookie = slot;
  const auto order = op == Op::read ? FabricEndpoint::FirstWire::slip : FabricEndpoint::FirstWire::fifo;
  dma_.issue(transaction, dma_.now(), order, kMessageLane);
}

// From the first wire to the response, PE_DMA's overhead included.
TimeFs SlotAccess::lone_time(Op op, NodeId memory, std::uint64_t nbytes) {
  const auto [entry, is_new] = lone_times_.try_emplace({op, memory, nbytes}, 0);
  if (is_new) {
    const routing::TransferPath path =
        routing::transfer_path(dma_.context().graph, dma_.context().routes.router().find_path(dma_.node(), memory));
    const routing::TransferTimes lone =
        op == Op::read ? routing::lone_read(path, nbytes) : routing::lone_write(path, nbytes);
    entry->second = time_sum(lone.answered, dma_.overhead());
  }
  return entry->second;
}

void SlotAccess::on_response(Transaction& transaction) {
  const std::uint64_t slot = transaction.cookie;
  if (!transaction.status.ok) {
    throw Error::model("an access to a slot of " + dma_.node_id() + " was refused: " + transaction.status.message);
  }
  dma_.context().pool.release(transaction);
  --under_way_;
  Access& access = accesses_[slot];
  access.answered = true;
  if (access.is_short()) {
    accumulate(owed_[access.queue], std::max<TimeFs>(0, dma_.now() - access.begun - access.lone));
    release_when_over(slot);
  } else {
    dma_.scheduler().schedule(dma_.now() + access.cost - access.lone, *this, slot);
  }
}

void SlotAccess::on_event(TimeFs, std::uint64_t slot) {
  Access& access = accesses_[slot];
  access.ended = true;
  const Access ended = access;
  release_when_over(slot);
  user_.on_slot_accessed(ended.op, ended.queue);
}

void SlotAccess::release_when_over(std::uint64_t slot) {
  if (accesses_[slot].answered && accesses_[slot].ended) free_.push_back(slot);
}

}  // namespace kb::modules
