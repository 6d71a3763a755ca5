// HBM controller of one PE's partition.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "modules/cube/burst_plan.h"
#include "modules/cube/read_arbiter.h"
#include "modules/fabric/arrival_queue.h"
#include "modules/fabric/fabric_node.h"
#include "platform/params/hbm_ctrl_params.h"

namespace kb::modules {

// Models: pseudo-channels shared by reads and writes; one read issuer, with round robin between requesters; the latency
// between a burst and its data; data returned flit by flit; acknowledgement of a write when its last burst is committed
// (C-HBM-1 .. C-HBM-12). At the port of the ordinary router, bursts choose their pseudo-channel by address.
// There can be an additional port per pseudo-channel, whose bursts all use that channel. Each port has its own
// issuer, header decoder and return queue; bursts of all ports share the pseudo-channels in order of (entry, port,
// command).
// Does not model: bank conflicts, refresh, reordering.
// Timing: a read command that arrives at a is open from a + overhead. The issuer has slots for one burst each, spaced
// by the burst's occupancy of the return edge; a slot begins when there is an open command. Requesters with open
// commands take turns. A write flit enters when it arrives; the first flit of a leg pays overhead, and later flits do
// not overtake it. Flit i of a read enters the return edge access_ns after it and its predecessors have finished. Flits
// with equal times keep the order of slots; acknowledgements are ordered by the entry of their last burst and follow
// data.
//
// Bursts are committed ahead of their entry up to the next known competitor, and are rolled back when an earlier one
// appears.
class HbmCtrl final : public FabricNode, private elab::EventHandler {
 public:
  HbmCtrl(const sc_core::sc_module_name& name, NodeId node, const params::HbmCtrlParams& params,
          elab::BlockContext& context);

  void conclude() override;
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  using Piece = BurstPlan::Piece;
  struct Due {
    TimeFs time = 0_fs;
    std::uint16_t port = 0;
    std::uint64_t sequence = 0;
    payload::Transaction* transaction = nullptr;
    TimeFs entry = 0_fs;  // entry of the last flit

    struct ByTurn {
      std::tuple<TimeFs, std::uint16_t, std::uint64_t> operator()(const Due& due) const {
        return {due.time, due.port, due.sequence};
      }
    };
  };
  // State of one port.
  struct Lane {
    std::uint16_t port = 0;
    std::uint32_t channel = kByAddress;
    SlidingDeque<FlitStream> commands;  // read commands that have not arrived yet
    ReadArbiter reads;                  // bursts that are not planned yet
    ArrivalQueue writes;                // write flits that have not entered yet
    TimeFs write_floor = 0_fs;          // end of decoding of the latest write header
    ArrivalQueue returns;               // read flits that wait for the return edge, by (finish, command)
    SlidingDeque<Due> last_entries;     // writes whose last flit enters at `time`

    bool meets(const Lane& other) const {
      return channel == kByAddress || other.channel == kByAddress || channel == other.channel;
    }
    // Key of the next read burst and of the next write flit; kNever when there is none.
    ArrivalKey next_read() const;
    ArrivalKey next_write(TimeFs overhead) const;
    bool header_is_next(TimeFs overhead) const { return writes.front().first == 0 && overhead > 0_fs; }
  };

  void on_flits(FlitStream& flits) override;
  void on_message(payload::Transaction& transaction, const FlitStream& message) override;
  void on_rollback(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg,
                   std::uint32_t first) override;
  void roll_back(const FlitStream& flits) override;
  void on_event(TimeFs now, std::uint64_t argument) override;
  TimeFs first_waiting(std::uint16_t port) const override {
    return lanes_[port].returns.empty() ? kNever : lanes_[port].returns.front().time;
  }
  TimeFs report_until(TimeFs now) override;

  void assign_ports(const params::HbmCtrlParams& params);
  void take_commands(Lane& lane, TimeFs now);
  void forget_choices();
  void plan_bursts(TimeFs now);
  // Finds the next burst of any lane; false when there is none. `after`: the first burst of another lane that may
  // conflict with it.
  struct Turn {
    Lane* lane = nullptr;
    ArrivalKey read, write;  // next read burst and next write flit of the lane
    ArrivalKey after;
  };
  bool next_turn(Turn& turn);
  // Plans reads from the next slot on, or the front write flits, up to the burst `other`.
  void plan_reads(Lane& lane, const ArrivalKey& other);
  void plan_writes(Lane& lane, const ArrivalKey& other, TimeFs now);
  void deliver(Lane& lane, const Piece& piece, std::uint32_t index, std::uint32_t count, TimeFs finish, TimeFs step);
  // Rolls back every planned burst that conflicts with those of the lane and is not before the limit; false when there
  // is none.
  bool roll_back_bursts(const Lane& lane, const ArrivalKey& limit);
  void put_back_read(const Piece& piece, const FlitStream& bursts);
  void put_back_write(const Piece& piece, const FlitStream& bursts);
  void roll_back_return(Lane& lane, payload::Transaction& transaction, std::uint32_t first);
  void return_flits(Lane& lane, TimeFs now);
  void finish_writes(Lane& lane, TimeFs now);
  void send_acknowledgements(TimeFs now);
  void wake_at(TimeFs at);
  void schedule_wake();

  TimeFs burst_time(const FlitStream& bursts) const;  // time of the last burst

  TimeFs overhead_;
  TimeFs access_;
  AccessUnit unit_;
  Bandwidth pc_bw_;
  BurstPlan plan_;
  std::vector<Lane> lanes_;  // indexed by port
  SortedQueue<Due, Due::ByTurn> acknowledgements_;
  TimeFs wake_time_ = kNever;
  int burst_budget_;
  int return_budget_;
  std::uint64_t reads_served_ = 0;
  std::uint64_t writes_served_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace kb::modules
