#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "modules/pe/baaw.h"
#include "modules/pe/pe_links.h"
#include "modules/pe/probe.h"
#include "modules/pe/tcm_access.h"
#include "modules/pe/vc_comm.h"
#include "platform/address/channel_stripe.h"
#include "platform/params/pe_dma_params.h"

namespace kb::modules {

// Moves data between this PE's TCM and HBM, cube SRAM or another PE's TCM, anywhere in the machine, over the fabric,
// and inside the own TCM.
//
// Models: rd_engines read channels, rd_outstanding reads each, and wr_engines write channels, wr_outstanding writes
// each; a FIFO queue per direction (P-36). A command takes a channel, then its start stamp, holds the channel until the
// last response is back, takes its end stamp and releases (P-37). Writes of a channel end in the order of their starts:
// one whose last response comes before that of an earlier one ends with that. All extents of a command, split at HBM
// slice boundaries, are requested at once, in order; the command ends with the last response. Read commands slip in at
// the first wire, write data queues behind what was offered there before.
//
// A tile takes its channel once per stage; when the next stage is a transfer of the same direction, it goes before all
// that wait (P-33).
//
// Virtual addresses (A-42 .. A-46): a command or stage whose memory operands are virtual is one access. It is
// translated when it gets its channel, by a direct call of the PE's PE_MMU, split where mappings end, and pays
// tlb_overhead_ns once, without an event. An address that no mapping covers ends the command with PAGE_FAULT; physical
// addresses need no translation and are counted as fall-backs.
//
// Logical addresses (A-73 .. A-78): the same by this block's own mapping unit, which takes the segment messages that
// arrive over the fabric, with baaw_overhead_ns; a miss ends the command with SEGMENT_FAULT.
//
// Channels (A-80 .. A-82): on a machine with channel routers, what a logical access has in this PE's own HBM partition
// is one request per HBM channel that it touches, each over its own router to its own port of the controller; all are
// offered at the same time. Shards of other PEs, SRAM and physical addresses take the ordinary router.
//
// Messages between PEs: the virtual channel VcComm, beside the channels above.
//
// TCM as a memory (TcmAccess): reads and writes that arrive over the fabric are served from this PE's TCM. What a
// command moves inside the own TCM is one copy, beside its requests.
//
// Does not model: the own end of a transfer over the fabric, which takes no extra time (P-49).
//
// Timing: each request is offered to the first wire at start + overhead_ns (+ tlb_overhead_ns of PE_MMU, or
// baaw_overhead_ns); end = max over the requests of the response's arrival + overhead_ns. An address that leads nowhere
// and a failing response end the command with the cause.
class PeDma final : public PeFabricBlock, private payload::IInitiator {
 public:
  PeDma(const sc_core::sc_module_name& name, NodeId node, const params::PeDmaParams& params, PeContext& pe,
        elab::BlockContext& context);
  // To a memory, or to the PE_DMA of another PE.
  const payload::FabricRoute& route_to(NodeId destination);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  // The commands that wait for a channel, and the requests without a response.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 protected:
  void end_of_elaboration() override;
  void on_request(payload::Transaction& transaction, TimeFs arrived) override;
  void on_response(payload::Transaction& transaction) override;

 private:
  std::string origin(const payload::Transaction& transaction) const override;  // " (tl.load #1 of launch #4)"

  struct Waiting {
    CommandTask* task = nullptr;
    TimeFs since = 0_fs;
  };
  struct Channels {
    Channels(const PeDma& dma, const char* name, payload::Op op_kind, FirstWire first_wire, std::int64_t count);
    PeActivity::Kind activity() const {
      return op == payload::Op::read ? PeActivity::Kind::reading : PeActivity::Kind::writing;
    }

    payload::Op op;
    FirstWire order;
    std::int64_t engines;
    Bandwidth link_bw;  // of the link that carries the data
    std::int64_t busy = 0;
    // Slots of the operations of each channel in the order of their starts, which is that of their ends; no channels
    // when an operation ends with its last response whatever the others do.
    std::vector<SlidingDeque<std::uint64_t>> in_order;
    SlidingDeque<Waiting> queue;
    Probe busy_probe;
    std::int64_t commands = 0;
    std::int64_t failures = 0;
    std::int64_t requests = 0;
    std::int64_t bytes = 0;
    std::int64_t translations = 0;
    std::int64_t fallbacks = 0;
    TimeFs translation_time = 0_fs;
    TimeFs busy_time = 0_fs;
    TimeFs wait = 0_fs;
  };
  // A command that holds a channel.
  struct Operation {
    CommandTask* task = nullptr;
    Channels* channels = nullptr;
    std::uint32_t outstanding = 0;
    std::uint32_t channel = 0;  // index in Channels::in_order
  };
  struct Request {
    const payload::FabricRoute* route;
    std::uint64_t pa;
    std::uint64_t hbm_offset;
    std::uint64_t nbytes;
  };
  // An HBM slice whose address was resolved.
  struct Slice {
    std::uint64_t begin = 0;  // physical
    std::uint64_t hbm_offset = 0;
    const payload::FabricRoute* route = nullptr;  // null = unused
  };

  void on_task(CommandTask& task) override;
  void on_next_stage(CommandTask& task) override;
  bool has_room(const CommandTask& task) const override;
  void on_accepted(CommandTask& task) override;
  Channels& channels_of(const CommandTask& task);
  void serve(Channels& channels);
  void start(Channels& channels, CommandTask& task);
  static std::uint32_t join_channel(Channels& channels, std::uint64_t slot);
  void end_in_order(std::uint64_t slot);
  void end(std::uint64_t slot);
  void plan(const CommandTask& task);
  void plan_pieces(const std::vector<Extent>& extents, const plan::Stage& stage);
  void plan_extent(const Extent& extent);
  void plan_physical(const Extent& extent);
  void on_part_done(std::uint64_t slot);
  bool has_channels(const Extent& extent) const;
  void plan_channels(const Extent& extent);
  void account_busy(const Channels& channels, const Request& request);
  TimeFs account_translation(Channels& channels) const;  // returns the time it adds to the access
  void check_local(const contract::Command& command) const;
  // The slice of `pa`, when it was accessed recently.
  const Slice* recent_slice(std::uint64_t pa) const;

  Baaw baaw_;
  VcComm vc_comm_;
  TcmAccess tcm_access_;
  std::uint64_t slice_bytes_;
  std::uint64_t access_bytes_;
  Bandwidth slice_bw_;
  std::uint64_t hbm_begin_;            // physical address of this PE's partition
  std::uint64_t hbm_begin_offset_;     // its offset in the cube's HBM
  std::uint64_t tcm_begin_, tcm_end_;  // physical addresses
  std::size_t queue_depth_;
  Channels read_, write_;
  std::vector<Operation> operations_;  // indexed by transaction cookie
  std::vector<std::uint64_t> free_operations_;
  // State of the command that is being started.
  std::vector<Request> requests_;
  std::uint64_t copied_bytes_ = 0;  // bytes to copy inside the own TCM
  std::vector<Extent> physical_;
  std::vector<address::ChannelPart> parts_;
  bool translated_ = false;
  std::uint64_t fault_ = 0;

  address::ChannelStripe stripe_;
  std::vector<const payload::FabricRoute*> channel_routes_;  // indexed by HBM channel; empty: no channel routers
  std::unordered_map<NodeId, const payload::FabricRoute*> routes_;
  std::array<Slice, 4> slices_;  // the latest ones, so that most requests need no address resolution
  std::size_t next_slice_ = 0;
};

}  // namespace kb::modules
