#pragma once

#include <array>
#include <cstdint>

#include "modules/pe/pe_tcm.h"
#include "platform/params/pe_fetch_store_params.h"

namespace kb::modules {

// The only path between TCM and register file (P-4, P-43).
//
// Models: one FETCH (operands TCM -> register file) and one STORE (result register file -> TCM) at a time, each in
// request order and independent of the other. The bytes are those of the command's operands; literal numbers in the
// kernel cost nothing.
//
// Does not model: contents of the register file and its bandwidth to the engines. The size of the register file
// (register_file_kb, P-43) limits the tiles of composites: plan::misfit() refuses larger ones.
//
// Timing: overhead_ns, then max(time in PE_TCM, bytes / fetch_store_to_tcm_bw_gbs): the link streams the data of the
// TCM, so that it matters only when it is the slower one.
class PeFetchStore final : public PeBlock, private elab::EventHandler {
 public:
  PeFetchStore(const sc_core::sc_module_name& name, NodeId node, const params::PeFetchStoreParams& params,
               PeContext& pe, elab::BlockContext& context);
  void bind_out(EdgeId edge, elab::Block& neighbour) override;
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

 private:
  enum class Phase : std::uint8_t { overhead, tcm, link, stalled };
  struct Unit {
    CommandTask* serving = nullptr;
    Phase phase = Phase::overhead;
    SlidingDeque<CommandTask*> queue;
    TimeFs link_free = 0_fs;  // when the link has transferred the bytes of the current task
    std::int64_t commands = 0;
    std::int64_t bytes = 0;
    TimeFs since = 0_fs;
    TimeFs busy = 0_fs;
  };

  void on_task(CommandTask& task) override;
  bool has_room(const CommandTask& task) const override;
  void on_accepted(CommandTask& task) override;
  void on_answer(CommandTask& task) override;
  void on_event(TimeFs now, std::uint64_t unit) override;
  void serve(std::size_t unit);
  void access_tcm(std::size_t unit);
  void complete(std::size_t unit);
  void serve_next(std::size_t unit);

  TimeFs overhead_;
  std::size_t queue_depth_;
  Bandwidth link_bw_;          // bandwidth of the link to PE_TCM; unlimited until it is bound
  std::array<Unit, 2> units_;  // indexed by TcmDirection: FETCH reads the TCM, STORE writes it
};

}  // namespace kb::modules
