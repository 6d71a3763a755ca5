#include "modules/pe/tcm_access.h"

#include <algorithm>

#include "modules/pe/pe_context.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/elab/route_table.h"

namespace kb::modules {

using payload::Op;
using payload::Transaction;

TcmAccess::TcmAccess(NodeId node, const PeContext& pe, elab::BlockContext& context, Uses uses)
    : pe_(pe), context_(context), uses_(std::move(uses)) {
  if (context.recorder == nullptr || !context.graph.spec.energy) return;
  copied_for_ = context.recorder->add_resource({node, record::Role::command, "tcm_copied", NodeId(), 0,
                                                record::ActivityRecorder::group_of(context.graph.node(node).sip)});
}

ITcmPort& TcmAccess::port() const {
  if (pe_.tcm != nullptr) return *pe_.tcm;
  throw Error::program("UNSUPPORTED", "the PE_TCM of " + pe_name(pe_.coord) +
                                          " serves no PE_DMA, so tensors cannot lie there; put them into sram or hbm");
}

std::uint64_t TcmAccess::insert(const Entry& entry) {
  if (free_.empty()) {
    entries_.push_back(entry);
    return entries_.size() - 1;
  }
  const std::uint64_t index = free_.back();
  free_.pop_back();
  entries_[index] = entry;
  return index;
}

// The TCM works during the transfer on the wire; at least one flit remains.
TimeFs TcmAccess::time_of(const Transaction& transaction, TcmDirection direction) const {
  const std::uint64_t flit = context_.graph.spec.flit_bytes();
  const std::uint64_t n = transaction.bytes;
  const bool read = direction == TcmDirection::read;
  const std::uint64_t last = n - (n - 1) / flit * flit;
  const TimeFs on_wire = (read ? wires_.out : wires_.in).occupancy(n - last);
  const TimeFs one_flit = port().occupancy(direction, read ? std::min(n, flit) : last);
  return std::max(one_flit, port().occupancy(direction, n) - on_wire);
}

void TcmAccess::serve(Transaction& transaction) {
  try {
    const address::PhysAddr at = address::PhysAddr::decode(transaction.address);
    context_.routes.resolver().config().require_implemented(at, transaction.bytes);
    if (!at.is_tcm() || !(PeCoord{at.sip(), at.cube(), at.pe()} == pe_.coord)) {
      throw Error::program("ADDRESS_ERROR", at.to_string() + " is not in the TCM of " + pe_name(pe_.coord));
    }
    const TcmDirection direction = transaction.op == Op::read ? TcmDirection::read : TcmDirection::write;
    const TimeFs time = time_of(transaction, direction);
    const auto bytes = static_cast<std::int64_t>(transaction.bytes);
    ++(transaction.op == Op::read ? reads_ : writes_);
    (transaction.op == Op::read ? read_bytes_ : written_bytes_) += bytes;
    port().access(direction, transaction.bytes, time, transaction.place, *this,
                  insert({&transaction, transaction.place, transaction.bytes, 0, 1}));
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) throw;
    transaction.status = {false, error.code(), error.what()};
    uses_.answer(transaction);
  }
}

void TcmAccess::copy(std::uint64_t nbytes, TimeFs at, account::PlaceId place, std::uint64_t cookie) {
  ++copies_;
  copied_bytes_ += static_cast<std::int64_t>(nbytes);
  if (copied_for_) copied_for_.account->add(place, {0_fs, 0_fs, nbytes, 1});
  const std::uint64_t index = insert({nullptr, place, nbytes, cookie, 2});
  if (at == context_.scheduler.now()) {
    on_event(at, index);
  } else {
    context_.scheduler.schedule(at, *this, index);
  }
}

void TcmAccess::on_event(TimeFs, std::uint64_t index) {
  const std::uint64_t nbytes = entries_[index].nbytes;
  for (const TcmDirection direction : {TcmDirection::read, TcmDirection::write}) {
    port().access(direction, nbytes, port().occupancy(direction, nbytes), entries_[index].place, *this, index);
  }
}

void TcmAccess::on_tcm_access(TcmDirection, std::uint64_t index) {
  if (--entries_[index].open > 0) return;
  const Entry entry = entries_[index];
  free_.push_back(index);
  if (entry.transaction == nullptr) {
    uses_.copied(entry.cookie);
    return;
  }
  if (entry.transaction->op == Op::write) entry.transaction->delivered = context_.scheduler.now();
  uses_.answer(*entry.transaction);
}

void TcmAccess::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  const auto add = [&](const char* count, std::int64_t n, const char* bytes, std::int64_t nbytes) {
    if (n == 0) return;
    statistics.push_back({count, n, "1"});
    statistics.push_back({bytes, nbytes, "B"});
  };
  add("tcm_reads", reads_, "tcm_read_bytes", read_bytes_);
  add("tcm_writes", writes_, "tcm_written_bytes", written_bytes_);
  add("tcm_copies", copies_, "tcm_copied_bytes", copied_bytes_);
}

}  // namespace kb::modules
