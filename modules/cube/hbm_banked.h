// HBM controller of one PE's partition, with banks.
#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "modules/cube/banked_channels.h"
#include "modules/cube/opened_rows.h"
#include "modules/cube/quotient.h"
#include "modules/cube/read_issuer.h"
#include "modules/fabric/arrival_queue.h"
#include "modules/fabric/fabric_node.h"
#include "platform/address/channel_stripe.h"
#include "platform/resource/resource.h"

namespace kb::modules {

// Models: the port side of HbmCtrl (header decoder, read issuer with turns, return edge, the pseudo-channel of a
// burst), and behind it channels with banks, rows, refresh, two command buses, queues and write drain (C-DRAM-0 ..
// C-DRAM-13). As there, flit i of a transaction is the burst i of its address; one that crosses the end of its burst is
// taken to lie in it. Does not model: contents; ECC; temperature. Timing: a read command that arrives at a is open from
// a + overhead; each slot of the issuer sends a burst to its channel. A write flit goes there when it arrives; the
// first one of a leg pays overhead. Flits of a read leave in order, as soon as their data are ready; a write is
// acknowledged when all its bursts are.
//
// Decides ahead of time only what nothing can change any more, because a burst is scheduled `frontend_ns` after its
// arrival at the earliest; so a wake decides for all channels, nothing is rolled back, and it wakes as late as its
// answers allow. Data and acknowledgements that are ready at one time leave in the order of entry, data first.
class HbmBanked final : public FabricNode, private elab::EventHandler {
 public:
  HbmBanked(const sc_core::sc_module_name& name, NodeId node, const params::HbmCtrlParams& kind,
            const params::HbmBankedParams& params, elab::BlockContext& context);

  void conclude() override;
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  static constexpr std::uint32_t kByAddress = ~0u;
  static constexpr std::uint32_t kNoFlit = ~0u;
  static constexpr std::uint32_t kMostJoined = 64;   // accesses of one DataUse
  static constexpr std::size_t kToldTogether = 16;   // uses, because series and account have left the cache
  static constexpr std::size_t kMostPrefetched = 4;  // commands of a port

  struct Lane {  // one port
    std::uint16_t port = 0;
    std::uint32_t pc = kByAddress;
    SlidingDeque<FlitStream> commands;  // that have not opened yet
    ReadIssuer reads;
    ArrivalQueue writes;        // flits that have not entered yet
    TimeFs write_floor = 0_fs;  // end of decoding of the latest write header
    TimeFs whole_burst = 0_fs;  // on the return edge; 0: not known yet
    std::uint64_t departures = 0;
  };
  struct Open;
  // A flit whose burst is in a channel, or whose data wait for those of its predecessors.
  struct alignas(64) Flit {
    payload::Transaction* transaction = nullptr;
    Open* open = nullptr;     // null: a read of one flit
    std::uint64_t order = 0;  // of all that were sent to the channels
    TimeFs ready = 0_fs;
    std::uint32_t index = 0;
    std::uint32_t channel = 0;
    std::uint16_t lane = 0;
    bool answered = false, holds_response = false;
  };
  // A transaction with flits in the channels.
  struct Open {
    SlidingDeque<std::uint32_t> flits;  // of a read, by index, until they can leave
    TimeFs ready = 0_fs;                // latest of its flits
    std::uint64_t order = 0;            // of its latest flit
    std::uint32_t left = 0;             // flits of a write without acknowledgement
  };
  // Data of a read, or an acknowledgement, for the return edge.
  struct Departure {
    TimeFs ready = 0_fs;
    std::uint64_t order = 0;
    payload::Transaction* transaction = nullptr;
    std::uint32_t flit = kNoFlit;  // kNoFlit: an acknowledgement
    std::uint16_t lane = 0;

    std::tuple<TimeFs, bool, std::uint64_t> key() const { return {ready, flit == kNoFlit, order}; }
    friend bool operator>(const Departure& a, const Departure& b) { return a.key() > b.key(); }
  };
  // What comes into a lane next.
  struct Item {
    enum class Kind : std::uint8_t { command, write, read };
    TimeFs time = kNever;
    Kind kind = Kind::command;
    Lane* lane = nullptr;

    bool before(const Item& other) const {
      return std::tuple(time, kind != Kind::command) < std::tuple(other.time, other.kind != Kind::command);
    }
  };
  // Accesses of one place that follow one another on the data bus of a pseudo-channel.
  struct DataUse {
    TimeFs begin = 0_fs;
    TimeFs wait = 0_fs;
    account::PlaceId place;
    std::uint32_t accesses = 0;
  };

  void on_flits(FlitStream& flits) override;
  void on_message(payload::Transaction& transaction, const FlitStream& message) override;
  void on_rollback(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg,
                   std::uint32_t first) override;
  void roll_back(const FlitStream& flits) override;
  void on_event(TimeFs now, std::uint64_t argument) override;
  TimeFs report_until(TimeFs now) override;

  void assign_ports(const params::HbmCtrlParams& kind);
  // Fetches into the cache what a wake looks at.
  void prefetch() const;
  // Takes what comes up to `now`, in steps that the channels allow.
  void take_until(TimeFs now);
  void step(TimeFs h);
  Item next_item();
  TimeFs next_write(const Lane& lane) const;
  void take(const Item& item);
  void open_command(Lane& lane);
  void enter_write(Lane& lane, TimeFs at);
  void issue_read(Lane& lane);
  using Target = ReadIssuer::Target;
  Target target_of(const Lane& lane, const payload::Transaction& transaction, std::uint32_t flit) const;
  std::uint32_t flit_bytes(const payload::Transaction& transaction, std::uint32_t flit) const;
  static std::size_t channel_of_next(const ReadIssuer::Command& command) { return command.target.pc / dram::kPcs; }
  TimeFs time_on_edge(Lane& lane, std::uint32_t bytes);
  // Sends the burst of a flit to its channel.
  void send(Lane& lane, payload::Transaction& transaction, std::uint32_t flit, const Target& target, TimeFs at,
            account::PlaceId place);
  void take_data(std::size_t channel);
  void join(SlidingDeque<DataUse>& uses, const dram::DataRun& run, TimeFs begin) const;
  void on_answer(std::size_t channel, const dram::Answer& answer);
  void tell_waits(std::uint32_t pc, const dram::Answer& answer);
  void finish_read(std::uint32_t flit);
  void finish_write(std::uint32_t flit);
  std::uint32_t new_flit(payload::Transaction& transaction, std::uint32_t index, const Lane& lane);
  Open& open_of(const payload::Transaction& transaction, std::uint32_t index);
  void close(const payload::Transaction& transaction);
  void depart(TimeFs until);
  void send_data(const Departure& departure);
  void acknowledge(const Departure& departure);
  TimeFs end_of(const DataUse& use) const { return use.begin + use.accesses * on_bus_; }
  // Tells the uses that are over, of the pseudo-channels that have at least so many.
  void tell_uses(TimeFs until, std::size_t least = 1);
  void tell(std::uint32_t pc, const DataUse& use);
  void wake_at(TimeFs at);
  void schedule_wake();

  const TimeFs overhead_;
  const address::ChannelStripe stripe_;
  const std::uint64_t slice_bytes_;
  const std::uint32_t burst_bytes_;
  const Quotient by_burst_, by_channels_;
  mutable std::uint64_t slice_ = 0, group_of_slice_ = 0;  // the latest slice: its offset, and its first group of bursts
  const TimeFs on_bus_;                                   // of one access
  BankedChannels channels_;
  resource::Resource& use_;
  OpenedRows opened_;
  std::vector<Lane> lanes_;
  std::vector<Flit> flits_;
  std::vector<std::uint32_t> free_flits_;
  std::unordered_map<const payload::Transaction*, Open> open_;  // never iterated
  const payload::Transaction* latest_ = nullptr;                // the one that open_of() gave
  Open* latest_open_ = nullptr;
  std::priority_queue<Departure, std::vector<Departure>, std::greater<>> departures_;
  std::uint64_t orders_ = 0;
  std::vector<SlidingDeque<DataUse>> uses_;  // by pseudo-channel: not told, in order of time
  TimeFs horizon_ = -1_fs;                   // everything up to here has been taken
  TimeFs wake_time_ = kNever;
  std::uint64_t reads_served_ = 0, writes_served_ = 0, bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace kb::modules
