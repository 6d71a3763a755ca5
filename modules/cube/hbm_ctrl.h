// HBM controller of one PE's partition.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "modules/cube/pseudo_channel_waves.h"
#include "modules/cube/pseudo_channels.h"
#include "modules/fabric/arrival_queue.h"
#include "modules/fabric/fabric_node.h"

namespace kb::modules {

// Models: pseudo-channels shared by reads and writes, one read issuer, data returned flit by flit as bursts finish,
// acknowledgement of a write when its last burst is committed (C-HBM-1 .. C-HBM-12).
// Does not model: bank conflicts, refresh, reordering.
// Timing: a read command arriving at a starts at t0 = max(a + overhead, issuer free); burst i enters its channel at
// t0 + i * burst_bytes / bw(return edge); the issuer is free after the last. A write flit enters when it arrives (a
// leg's first flit pays overhead, later ones do not overtake it). Flit i of a read enters the return edge when it and
// its predecessors have finished; equal times go in command order.
//
// Bursts are committed ahead of their entry as far as nothing known comes between, and taken back when something does.
class HbmCtrl final : public FabricNode, private elab::EventHandler {
 public:
  HbmCtrl(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context);

  TimeFs channel_free_at(std::size_t pc) const { return channels_.free_at(pc); }
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  // Bursts committed to the channels, in entry order, that may still be taken back.
  struct Piece {
    FlitRun bursts;  // time = entry of a read burst, arrival of a write flit; out_port unused for writes
    TimeFs floor = 0;
    std::uint64_t offset = 0;    // transaction.hbm_offset, kept for when the transaction has ended
    TimeFs terminal_before = 0;  // transaction.terminal_time before this piece
    bool read = false;

    BurstDirection direction() const { return read ? BurstDirection::read : BurstDirection::write; }
    TimeFs entry(std::uint32_t i) const { return std::max(bursts.time_of(i), floor); }
    // All bursts have entered: nothing can change them, and their transaction may have ended and begun again.
    bool past(TimeFs now) const { return entry(bursts.count - 1) < now; }
    // Bursts that enter before one with this (time, sequence, index).
    std::uint32_t count_before(const ArrivalKey& entry_key) const;
    ArrivalKey entry_key(std::uint32_t i) const {
      ArrivalKey key = bursts.key(i);
      key.time = entry(i);
      return key;
    }
  };
  struct ReadCommand {
    payload::Transaction* transaction;
    TimeFs start;  // t0
    std::uint32_t next = 0;
    std::uint64_t sequence = 0;
  };
  struct Due {
    TimeFs time;
    std::uint64_t sequence;
    payload::Transaction* transaction;
  };

  void on_flits(const FlitRun& flits) override;
  void on_message(payload::Transaction& transaction, const FlitRun& message) override;
  void on_withdrawn(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg,
                    std::uint32_t first) override;
  void take_back(const FlitRun& flits) override;
  void on_event(TimeFs now, std::uint64_t argument) override;
  void end_of_simulation() override;

  void take_commands(TimeFs now);
  void commit_bursts(TimeFs now);
  void commit_reads(ReadCommand& command, const ArrivalKey& next_write);
  void commit_writes(const ArrivalKey& next_read, TimeFs now);
  void apply(const Piece& piece, std::uint32_t count, bool deliver);
  void deliver(const Piece& piece, std::uint32_t index, std::uint32_t count, TimeFs finish, TimeFs step);
  // When all bursts have entered, which is cheap to tell.
  void settle_pieces(TimeFs now);
  // The pieces that have entered, so that only those of live transactions remain.
  void settle_past_pieces(TimeFs now);
  void settle_all_pieces();
  void settle(const Piece& piece);
  // Takes back every committed burst whose entry key is not below the given one.
  bool take_back_bursts(const ArrivalKey& limit);
  void withdraw_return(payload::Transaction& transaction, std::uint32_t first);
  void return_flits(TimeFs now);
  void finish_writes(TimeFs now);
  void send_acknowledgements(TimeFs now);
  static void insert_due(RingDeque<Due>& queue, const Due& due);
  void wake_at(TimeFs at);
  void schedule_wake();

  TimeFs overhead_;
  TimeFs interval_ = 0;  // between bursts of a read: one full flit on the return edge
  PseudoChannels channels_;
  PseudoChannels settled_channels_;  // state before the first piece
  PseudoChannelWaves waves_;
  RingDeque<Piece> pieces_;
  RingDeque<FlitRun> commands_;  // read commands still to arrive
  RingDeque<ReadCommand> reads_;
  TimeFs issuer_free_ = 0;
  ArrivalQueue writes_;          // write flits still to enter
  TimeFs write_floor_ = 0;       // decode of the latest write header ends
  ArrivalQueue returns_;         // read flits by (finish, command): waiting for the return edge
  RingDeque<Due> last_entries_;  // writes whose last flit enters at `time`
  RingDeque<Due> acknowledgements_;
  TimeFs wake_time_ = kNever;
  int burst_budget_;
  int return_budget_;
  std::uint64_t reads_served_ = 0;
  std::uint64_t writes_served_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace kb::modules
