// Accesses of PE_DMA to tensors in the TCM of its PE (decision 0032).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "modules/pe/tcm_port.h"
#include "platform/elab/block.h"
#include "platform/elab/event_scheduler.h"
#include "platform/payload/transaction.h"
#include "platform/record/activity_recorder.h"

namespace kb::modules {

struct PeContext;

// Models: transactions from other nodes, whose data pass through the TCM flit by flit, and copies inside the TCM, which
// occupy both of its channels. Every access queues for the channels (ITcmPort).
// Timing, where w is the time of the data, without one flit, on the wire between PE_DMA and its router:
// - read from outside: the data leave in one block max(first flit / read_bw_gbs, n / read_bw_gbs - w) after the channel
//   is free
// - write from outside: acknowledged max(last flit / write_bw_gbs, n / write_bw_gbs - w) after the last flit has
//   arrived and the channel is free
// - copy: ends when both channels have been held for n bytes each
class TcmAccess final : private ITcmPort::IUser, private elab::EventHandler {
 public:
  struct Uses {
    std::function<void(payload::Transaction&)> answer;  // answers a transaction that is done
    std::function<void(std::uint64_t cookie)> copied;
  };
  struct Wires {
    Bandwidth in, out;
  };

  // `node`: the PE_DMA.
  TcmAccess(NodeId node, const PeContext& pe, elab::BlockContext& context, Uses uses);

  void set_wires(Wires wires) { wires_ = wires; }
  // Program Error UNSUPPORTED when the kind of the PE's TCM does not serve PE_DMA.
  void require_port() const { static_cast<void>(port()); }
  // Serves a read or write that has arrived completely. An address outside this TCM is answered with ADDRESS_ERROR.
  void serve(payload::Transaction& transaction);
  // Copies `nbytes` inside the TCM for `place`, beginning at `at`. Requires require_port().
  void copy(std::uint64_t nbytes, TimeFs at, account::PlaceId place, std::uint64_t cookie);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const;

 private:
  struct Entry {
    payload::Transaction* transaction = nullptr;  // null for a copy
    account::PlaceId place;
    std::uint64_t nbytes = 0;
    std::uint64_t cookie = 0;
    int open = 0;  // number of unfinished channels
  };

  void on_tcm_access(TcmDirection direction, std::uint64_t index) override;
  void on_event(TimeFs now, std::uint64_t index) override;
  ITcmPort& port() const;
  TimeFs time_of(const payload::Transaction& transaction, TcmDirection direction) const;
  std::uint64_t insert(const Entry& entry);

  const PeContext& pe_;
  elab::BlockContext& context_;
  Uses uses_;
  Wires wires_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> free_;
  record::RecordedResource copied_for_;  // whose copies; for energy (E-116)
  std::int64_t reads_ = 0, writes_ = 0, copies_ = 0;
  std::int64_t read_bytes_ = 0, written_bytes_ = 0, copied_bytes_ = 0;
};

}  // namespace kb::modules
