#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "modules/pe/baaw.h"
#include "modules/pe/code_reliefs.h"
#include "modules/pe/pe_links.h"
#include "modules/pe/probe.h"
#include "modules/pe/tcm_access.h"
#include "modules/pe/vc_comm.h"
#include "platform/address/channel_stripe.h"
#include "platform/params/pe_dma_params.h"

namespace kb::modules {

// Moves data between this PE's TCM and any HBM, cube SRAM or other PE's TCM of the machine over the fabric, and inside
// this TCM.
//
// Models: rd_engines read channels with rd_outstanding reads each, wr_engines write channels with wr_outstanding writes
// each, and one FIFO queue per direction (P-36). A command acquires a channel, takes its start stamp, holds the channel
// until the last response has arrived, takes its end stamp and releases the channel (P-37). Writes of one channel end
// in the order of their starts: a write whose last response comes early ends together with the earlier write. All
// extents of a command, split at HBM slice boundaries, are requested at once and in order; the command ends with the
// last response. On the first wire, read requests take gaps between flits, and write data queue in the order in which
// they were offered.
//
// A tile acquires its channel once per stage. When its next stage is a transfer in the same direction, the tile
// precedes all waiting commands (P-33).
//
// Virtual addresses (A-42 .. A-46): a command or stage with virtual memory operands is one access. When it gets its
// channel, it is translated by a direct call of the PE's PE_MMU and split where mappings end; this costs
// tlb_overhead_ns once, without an event. An unmapped address ends the command with PAGE_FAULT. Physical addresses need
// no translation and count as fall-backs.
//
// Logical addresses (A-73 .. A-78): the same with this block's own mapping unit, which takes segment messages from the
// fabric, and with baaw_overhead_ns. A miss ends the command with SEGMENT_FAULT.
//
// HBM channels (A-80 .. A-82): on a machine with channel routers, the part of a logical access in this PE's own HBM
// partition is split into one request per touched HBM channel. Each request takes its own router to its own port of the
// controller, and all are offered at the same time. Shards of other PEs, SRAM and physical addresses use the ordinary
// router.
//
// Messages between PEs: the virtual channel VcComm, separate from the channels above.
//
// TCM as a memory (TcmAccess): reads and writes that arrive over the fabric access this PE's TCM. The bytes that a
// command moves inside this TCM are one copy, concurrent with its requests.
//
// Does not model: the access to this PE's TCM in a transfer over the fabric, which takes no extra time (P-49).
//
// Timing: each request is offered to the first wire at start + overhead_ns (+ tlb_overhead_ns of PE_MMU, or
// baaw_overhead_ns); end = max over the requests of the response's arrival + overhead_ns. An unmapped physical address
// or a failing response ends the command with its cause.
class PeDma final : public PeFabricBlock, private payload::IInitiator {
 public:
  PeDma(const sc_core::sc_module_name& name, NodeId node, const params::PeDmaParams& params, PeContext& pe,
        elab::BlockContext& context);
  // Route to a memory or to the PE_DMA of another PE.
  const payload::FabricRoute& route_to(NodeId destination);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  // Commands that wait for a channel, and requests without a response.
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
    Bandwidth link_bw;  // bandwidth of the link that carries the data
    std::int64_t busy = 0;
    // Slots of the operations of each channel, in the order of their starts, which is the order of their ends. It has
    // no channels when an operation ends with its last response regardless of the others.
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
    account::PlaceId place;     // of the current stage
    std::uint64_t bytes = 0;
    TimeFs wait = 0_fs;  // for the channel
  };
  struct Request {
    const payload::FabricRoute* route;
    std::uint64_t pa;
    std::uint64_t hbm_offset;
    std::uint64_t nbytes;
  };
  // An HBM slice with a resolved address.
  struct Slice {
    std::uint64_t begin = 0;  // physical
    std::uint64_t hbm_offset = 0;
    const payload::FabricRoute* route = nullptr;  // null: unused entry
  };

  void on_task(CommandTask& task) override;
  void on_next_stage(CommandTask& task) override;
  bool has_room(const CommandTask& task) const override;
  void on_accepted(CommandTask& task) override;
  Channels& channels_of(const CommandTask& task);
  void serve(Channels& channels);
  void start(Channels& channels, const Waiting& next);
  static std::uint32_t join_channel(Channels& channels, std::uint64_t slot);
  void end_in_order(std::uint64_t slot);
  void end(std::uint64_t slot);
  void plan(const CommandTask& task);
  void plan_pieces(const std::vector<Extent>& extents, const plan::Stage& stage);
  void plan_extent(const Extent& extent);
  // Moves the planned reads of HBM to this PE's own slice, as if it had a copy there.
  void plan_copies();
  void plan_physical(const Extent& extent);
  void on_part_done(std::uint64_t slot);
  bool has_channels(const Extent& extent) const;
  void plan_channels(const Extent& extent);
  void account_busy(const Channels& channels, const Request& request);
  TimeFs account_translation(Channels& channels) const;  // returns the time that it adds to the access
  void check_local(const contract::Command& command) const;
  // The recently accessed slice that contains `pa`; null when there is none.
  const Slice* recent_slice(std::uint64_t pa) const;

  CodeReliefs& reliefs_;
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
  std::uint64_t copied_bytes_ = 0;  // bytes to copy inside this TCM
  std::vector<Extent> physical_;
  std::vector<address::ChannelPart> parts_;
  bool translated_ = false;
  std::uint64_t fault_ = 0;

  address::ChannelStripe stripe_;
  std::vector<const payload::FabricRoute*> channel_routes_;  // indexed by HBM channel; empty without channel routers
  std::unordered_map<NodeId, const payload::FabricRoute*> routes_;
  std::array<Slice, 4> slices_;  // recently used, so that most requests need no address resolution
  std::size_t next_slice_ = 0;
};

}  // namespace kb::modules
