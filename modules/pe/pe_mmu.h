#pragma once

#include "modules/fabric/fabric_endpoint.h"
#include "modules/pe/pe_context.h"
#include "platform/address/page_table.h"
#include "platform/contract/i_translator.h"
#include "platform/params/pe_mmu_params.h"
#include "platform/payload/messages.h"

namespace kb::modules {

// Page table of a PE. It is a fabric node that takes map and unmap messages, and the translator that the PE's other
// blocks call directly. On machines with physical tensor addresses (cube.memory_map.address_model) it offers no
// translation.
//
// Models: one message at a time; the entries of a message become valid together, when its answer is sent;
// later mappings replace earlier ones; regions smaller than a page.
// Does not model: a TLB with hits and misses, page walks, protection, several page sizes.
// Timing: a message that arrives at t is applied and answered at max(t + overhead_ns, end of the previous message) +
// update_overhead_ns, regardless of its number of entries. Translation takes no time here; an engine adds
// tlb_overhead_ns to each translated access.
// tlb_overhead_ns to each access that it translates.
class PeMmu final : public FabricEndpoint, public contract::ITranslator {
 public:
  PeMmu(const sc_core::sc_module_name& name, NodeId node, const params::PeMmuParams& params, PeContext& pe,
        elab::BlockContext& context);

  std::optional<std::uint64_t> translate(const Extent& extent, std::vector<Extent>& physical) const override;
  TimeFs access_overhead() const override { return tlb_overhead_; }
  const address::PageTable& table() const { return table_; }

  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 protected:
  void on_request(payload::Transaction& transaction, TimeFs arrived) override;

 private:
  struct Timer final : elab::EventHandler {
    explicit Timer(PeMmu& owner) : mmu(owner) {}
    void on_event(TimeFs, std::uint64_t) override { mmu.apply_next(); }
    PeMmu& mmu;
  };
  struct Update {
    payload::Transaction* transaction = nullptr;
    TimeFs since = 0_fs;
  };
  static const payload::MmuMapMsg* message(const payload::Transaction& transaction);
  void apply_next();
  void apply(payload::Transaction& transaction);

  address::PageTable table_;
  TimeFs tlb_overhead_;
  TimeFs update_overhead_;
  Timer timer_;
  SlidingDeque<Update> updates_;  // messages in progress, one at a time
  TimeFs free_at_ = 0_fs;
  std::int64_t maps_ = 0;
  std::int64_t unmaps_ = 0;
  std::int64_t regions_ = 0;       // sum over all maps
  std::int64_t shared_pages_ = 0;  // pages that got more than one region from a map
};

}  // namespace kb::modules
