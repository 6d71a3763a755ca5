#include "modules/pe/pe_mmu.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/address/address_space.h"

namespace kb::modules {

using address::AddressSpace;

PeMmu::PeMmu(const sc_core::sc_module_name& name, NodeId node, const params::PeMmuParams& params, PeContext& pe,
             elab::BlockContext& context)
    : FabricEndpoint(name, node, params.overhead.time(), context),
      table_(static_cast<std::uint64_t>(params.page_size)),
      tlb_overhead_(params.tlb_overhead.time()),
      update_overhead_(params.update_overhead.time()),
      timer_(*this) {
  if (context.graph.spec.address_model != AddressModel::va) return;
  pe.translator = this;
}

std::optional<std::uint64_t> PeMmu::translate(const Extent& extent, std::vector<Extent>& physical) const {
  const AddressSpace space = address::space_of(extent.pa);
  if (address::is_resolved(space)) {
    physical.push_back(extent);
    return std::nullopt;
  }
  if (space != AddressSpace::va) return extent.pa;
  const auto fault = table_.translate(address::VirtAddr(address::value_of(extent.pa)), extent.nbytes, physical);
  if (!fault) return std::nullopt;
  return address::encode(AddressSpace::va, fault->value);
}

const payload::MmuMapMsg* PeMmu::message(const payload::Transaction& transaction) {
  return std::get_if<payload::MmuMapMsg>(transaction.message.get());
}

void PeMmu::on_request(payload::Transaction& transaction, TimeFs arrived) {
  const payload::MmuMapMsg* const request = message(transaction);
  if (request == nullptr || request->entries == nullptr) {
    FabricEndpoint::on_request(transaction, arrived);
    return;
  }
  if (update_overhead_ == 0_fs) {
    apply(transaction);
    return;
  }
  updates_.push_back({&transaction, now()});
  free_at_ = time_sum(std::max(free_at_, now()), update_overhead_);
  scheduler().schedule(free_at_, timer_);
}

void PeMmu::apply_next() {
  payload::Transaction& transaction = *updates_.front().transaction;
  updates_.pop_front();
  apply(transaction);
}

void PeMmu::apply(payload::Transaction& transaction) {
  const payload::MmuMapMsg& request = *message(transaction);
  if (request.unmap) {
    ++unmaps_;
    for (const address::Region& region : request.entries->regions()) {
      table_.unmap(address::VirtAddr(region.va), region.nbytes);
    }
  } else {
    ++maps_;
    regions_ += static_cast<std::int64_t>(request.entries->regions().size());
    shared_pages_ += static_cast<std::int64_t>(request.entries->shared_pages(table_.page_size()));
    table_.map(request.entries);
  }
  respond(transaction, now());
}

void PeMmu::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  FabricEndpoint::collect_statistics(statistics);
  if (maps_ + unmaps_ == 0) return;
  statistics.push_back({"maps", maps_, "1"});
  statistics.push_back({"unmaps", unmaps_, "1"});
  statistics.push_back({"regions", regions_, "1"});
  statistics.push_back({"shared_pages", shared_pages_, "1"});
}

void PeMmu::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  FabricEndpoint::collect_waits(waits);
  for (std::size_t i = 0; i < updates_.size(); ++i) {
    const payload::MmuMapMsg& request = *message(*updates_[i].transaction);
    waits.push_back({fmt::format("{}: {} #{}", node_id(), request.unmap ? "unmap" : "map", request.request),
                     "its table update", updates_[i].since});
  }
}

}  // namespace kb::modules
