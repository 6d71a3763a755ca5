#include "modules/bridge/tlm_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/address/phys_addr.h"
#include "platform/params/hbm_ctrl_params.h"
#include "platform/params/sram_params.h"

namespace kb::modules {
namespace {

// A tag combines the slot of the served transaction and the entry of its access.
constexpr int kEntryBits = 32;

std::unique_ptr<elab::Block> make_hbm(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context) {
  const topology::Node& record = context.graph.node(node);
  const auto& kind = record.params.as<params::HbmCtrlParams>();
  TlmMemoryParams params = record.impl_params.as<TlmMemoryParams>();
  params.access_bytes = kind.access_bytes;
  return std::make_unique<TlmMemory>(name, node, kind.overhead.time(), params, context);
}

std::unique_ptr<elab::Block> make_sram(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context) {
  const topology::Node& record = context.graph.node(node);
  const auto& kind = record.params.as<params::SramParams>();
  return std::make_unique<TlmMemory>(name, node, kind.overhead.time(), record.impl_params.as<TlmMemoryParams>(),
                                     context);
}

params::Fields<TlmMemoryParams> common_fields() {
  using P = TlmMemoryParams;
  params::Fields<P> fields;
  fields.add("socket", &P::socket, "name of the device's socket that the memory is bound to")
      .add("max_reads", &P::max_reads, at_least(1, 1 << 20), "reads that the memory has not answered")
      .add("max_writes", &P::max_writes, at_least(1, 1 << 20), "writes that the memory has not answered")
      .add("address", &P::address, {"slice_offset", "hbm_offset", "pa"},
           "what the memory gets as address: offset in the slice or SRAM, in the cube's HBM, or the physical one")
      .add("mode", &P::mode, {"at", "lt"}, "calls by phases, or b_transport")
      .add("write_ack", &P::write_ack, {"response", "accept"}, "a write ends with its answer, or when it is taken")
      .add("end_resp", &P::end_resp, {"explicit", "early"},
           "END_RESP on the forward path a delta after BEGIN_RESP, or TLM_COMPLETED as answer to BEGIN_RESP")
      .add("data", &P::data, {"engine", "through"},
           "contents stay in kernbench, or are with the memory and go through its transport_dbg");
  return fields;
}

enum OutsideCause : std::size_t { kNotAccepted, kNotAnswered };
resource::Declaration outside_declaration() {
  using resource::CauseClass;
  return {"outside",
          resource::Role::memory,
          1,
          "The outside memory has an access that it has not answered.",
          {{"accept", CauseClass::full, "the outside memory had not accepted it"},
           {"answer", CauseClass::other, "the outside memory had not answered"}}};
}

}  // namespace

const params::FieldTable& TlmMemoryParams::fields() {
  static const params::FieldTable table = common_fields().table();
  return table;
}

const params::FieldTable& TlmMemoryParams::sram_fields() {
  static const params::FieldTable table =
      common_fields()
          .add("access_bytes", &TlmMemoryParams::access_bytes, at_least(1, 4096), "bytes of an access to the memory")
          .power_of_two()
          .table();
  return table;
}

void add_tlm_memory(elab::BlockCatalog& catalog) {
  using topology::NodeKind;
  catalog.add_block({NodeKind::hbm_ctrl, "tlm.memory", TlmMemoryParams::fields(), make_hbm, topology::Origin::own});
  catalog.add_block({NodeKind::sram, "tlm.memory", TlmMemoryParams::sram_fields(), make_sram, topology::Origin::own});
}

TlmMemory::TlmMemory(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, const TlmMemoryParams& params,
                     elab::BlockContext& context)
    : ArrivalNode(name, node, context),
      overhead_(overhead),
      params_(params),
      flit_bytes_(context.graph.spec.flit_bytes()),
      port_("port",
            {params.socket, static_cast<std::size_t>(params.max_reads), static_cast<std::size_t>(params.max_writes),
             params.mode == TlmMemoryParams::Style::at, params.end_resp == TlmMemoryParams::EndResp::early,
             params.data == TlmMemoryParams::Data::through},
            *this, *this, context.shared<OutsideModels>(), context),
      outside_(declare(outside_declaration())) {
  using Address = TlmMemoryParams::Address;
  const topology::MachineSpec& spec = context.graph.spec;
  const topology::Node& record = node_record();
  const bool sram = record.kind == topology::NodeKind::sram;
  bytes_ = sram ? spec.sram_bytes_per_cube : spec.hbm_slice_bytes();
  const address::PhysAddr first =
      sram ? address::PhysAddr::cube_sram_addr(record.sip, record.cube, 0)
           : address::PhysAddr::pe_hbm_addr(record.sip, record.cube, record.pe, 0, spec.hbm_slice_bytes());
  pa_base_ = first.value();
  if (params.address == Address::pa) address_base_ = pa_base_;
  if (params.address == Address::hbm_offset && !sram) address_base_ = first.hbm_offset();
}

void TlmMemory::end_of_elaboration() {
  ArrivalNode::end_of_elaboration();
  port_.attach();
  if (params_.data != TlmMemoryParams::Data::through) return;
  context().shared<OutsideModels>().map_external(pa_base_, bytes_, *this);
}

void TlmMemory::read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) {
  port_.debug(tlm::TLM_READ_COMMAND, address_of(pa), reinterpret_cast<unsigned char*>(bytes), nbytes);
}

// transport_dbg() has a non-const data pointer, but a write does not change the bytes.
void TlmMemory::write(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes) {
  auto* const data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes));
  port_.debug(tlm::TLM_WRITE_COMMAND, address_of(pa), data, nbytes);
}

std::uint64_t TlmMemory::slot_of(payload::Transaction& transaction, std::uint32_t entries) {
  std::uint64_t slot = served_.size();
  if (free_.empty()) {
    served_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  served_[slot].transaction = &transaction;
  served_[slot].open.assign(entries, 0);
  served_[slot].next = served_[slot].asked = 0;
  return slot;
}

void TlmMemory::on_arrival(const Arrival& arrival) {
  payload::Transaction& transaction = arrival.transaction();
  const TimeFs at = time_sum(arrival.time(), overhead_);
  if (transaction.op == payload::Op::message || transaction.flits == 0) {
    if (transaction.op == payload::Op::message) {
      transaction.status = {false, "UNSUPPORTED_REQUEST", node_id() + " serves reads and writes only"};
    }
    transaction.delivered = at;
    depart(response(transaction), at);
    return;
  }
  if (transaction.op == payload::Op::read) {
    ++reads_count_;
    read_bytes_ += transaction.bytes;
    due_.push_back({at, slot_of(transaction, transaction.flits), 0, transaction.flits});
  } else {
    if (arrival.is_first()) {
      ++writes_count_;
      write_bytes_ += transaction.bytes;
      writes_[&transaction] = slot_of(transaction, 1);
    }
    due_.push_back({at, writes_.at(&transaction), arrival.index(), 1});
    if (arrival.is_last()) writes_.erase(&transaction);
  }
  wake_at(at);
}

void TlmMemory::on_wake() {
  while (!due_.empty() && due_.front().at <= now()) {
    const Due due = due_.front();
    due_.pop_front();
    make_accesses(due);
  }
}

void TlmMemory::make_accesses(const Due& due) {
  const payload::Transaction& transaction = *served_[due.slot].transaction;
  const bool write = transaction.op == payload::Op::write;
  const auto unit = static_cast<std::uint64_t>(params_.access_bytes);
  const std::uint64_t base = address_of(transaction.address);
  served_[due.slot].asked += due.count;
  for (std::uint32_t flit = due.first; flit < due.first + due.count; ++flit) {
    const std::uint64_t begin = base + flit * flit_bytes_;
    const std::uint64_t end = std::min(begin + flit_bytes_, base + transaction.bytes);
    const std::uint32_t entry = write ? 0 : flit;
    for (std::uint64_t at = begin / unit * unit; at < end; at += unit) {
      ++served_[due.slot].open[entry];
      port_.push({write, at, static_cast<std::uint32_t>(unit), due.slot << kEntryBits | entry, transaction.place});
    }
  }
}

void TlmMemory::on_accepted(const OutsideAccess& access) {
  if (access.write && params_.write_ack == TlmMemoryParams::WriteAck::accept) access_done(access);
}

void TlmMemory::on_answered(const OutsideAccess& access, tlm::tlm_response_status status) {
  const TimeFs begin = std::max(answered_, access.issued);
  outside_.use(0, begin, now(), access.place, access.bytes,
               {{kNotAccepted, access.issued - access.pushed},
                {kNotAnswered, begin - access.issued},
                {kNotAnswered, now() - begin, true}});
  answered_ = now();
  const bool acknowledged = access.write && params_.write_ack == TlmMemoryParams::WriteAck::accept;
  if (status != tlm::TLM_OK_RESPONSE) {
    std::string text =
        fmt::format("{}: memory '{}' answers a {} of {} at {:#x} with {} (socket {}, at {} ns)", node_id(),
                    params_.socket, access.write ? "write" : "read", format_bytes(access.bytes), access.address,
                    response_text(status), port_.name(), format_ns(now()));
    if (acknowledged) {
      text += ", which comes too late for the request";
    } else {
      served_[access.tag >> kEntryBits].transaction->status = {false, "MEMORY_ERROR", text};
    }
    context().shared<OutsideModels>().report_fault(
        {OutsideFault::Kind::memory_error,
         fmt::format("{}: memory '{}' answers with {}", node_id(), params_.socket, response_text(status)), text});
  }
  if (!acknowledged) access_done(access);
}

void TlmMemory::access_done(const OutsideAccess& access) {
  const std::uint64_t slot = access.tag >> kEntryBits;
  Served& served = served_[slot];
  payload::Transaction& transaction = *served.transaction;
  --served.open[static_cast<std::uint32_t>(access.tag)];
  if (transaction.op == payload::Op::write) {
    if (served.open[0] > 0 || served.asked < transaction.flits) return;
    transaction.delivered = now();
    depart(response(transaction), now());
    finish(slot);
    return;
  }
  while (served.next < transaction.flits && served.open[served.next] == 0) {
    depart(response(transaction, served.next++), now());
  }
  if (served.next == transaction.flits) finish(slot);
}

void TlmMemory::finish(std::uint64_t slot) {
  served_[slot].transaction = nullptr;
  free_.push_back(slot);
}

void TlmMemory::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  ArrivalNode::collect_statistics(statistics);
  if (reads_count_ + writes_count_ == 0) return;
  statistics.push_back({"reads", static_cast<std::int64_t>(reads_count_), "1"});
  statistics.push_back({"writes", static_cast<std::int64_t>(writes_count_), "1"});
  statistics.push_back({"read_bytes", static_cast<std::int64_t>(read_bytes_), "B"});
  statistics.push_back({"write_bytes", static_cast<std::int64_t>(write_bytes_), "B"});
  statistics.push_back({"outside_accesses", static_cast<std::int64_t>(port_.accesses()), "1"});
  statistics.push_back({"outside_stall", port_.stalled()});
}

void TlmMemory::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  ArrivalNode::collect_waits(waits);
  port_.collect_waits(waits);
}

}  // namespace kb::modules
