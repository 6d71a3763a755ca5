// A scripted neighbour of a fabric block under test: an initiator that sends on command, and a target that accepts
// everything.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "modules/fabric/fabric_node.h"

namespace kb::test {

// Sends through the fabric's wire of its edge; on an unlimited edge, a flit arrives exactly at the requested time,
// otherwise not before it. Every received leg is ended when its last flit has arrived.
class ScriptedNode final : public modules::FabricNode, private elab::EventHandler {
 public:
  ScriptedNode(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context);

  // Initiator: sends the whole request of a transaction whose route begins here. Its first flit, or message, arrives at
  // `arrival`; the others follow with `spacing`, or as soon as the wire allows.
  void request(payload::Transaction& transaction, TimeFs arrival, TimeFs spacing = 0_fs);
  // Target: from now on, the answer to every request that ends here is offered `delay` after its last flit has arrived,
  // with all flits of a read at once.
  void answer_after(TimeFs delay) { answer_delay_ = delay; }

  // At time `at`, announces flits [first, first + count) of a leg for arrival + i * spacing at the neighbour, after
  // everything announced on that edge before.
  void send(TimeFs at, payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, std::uint32_t count,
            TimeFs arrival, TimeFs spacing);
  // Sends a zero-byte leg that arrives at `arrival` when no flit delays it.
  void send_message(payload::Transaction& transaction, payload::Leg leg, TimeFs arrival);
  // At time `at`, rolls back the flits of the leg from index `first` on and all later announcements on the edge
  // (SHORTEN). At time `again`, announces the same flits again, `later` after their old times. Flits that have left are
  // not affected.
  void postpone(TimeFs at, payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, TimeFs later,
                TimeFs again);

 private:
  struct Ending {
    TimeFs time;
    payload::Transaction* transaction = nullptr;
    payload::Leg leg = payload::Leg::request;
    std::uint16_t port = 0;
  };

  void on_flits(modules::FlitStream& flits) override;
  void on_message(payload::Transaction& transaction, const modules::FlitStream& message) override;
  void on_rollback(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg,
                   std::uint32_t first) override;
  void roll_back(const modules::FlitStream& flits) override { rolled_back_.push_back(flits); }
  void on_event(TimeFs now, std::uint64_t argument) override;

  void answer(payload::Transaction& transaction, TimeFs arrived);
  void at_time(TimeFs at, std::function<void()> action);
  void commit_later_than_before(const modules::FlitStream& run);
  std::uint16_t hop_of(const payload::Transaction& transaction) const;

  std::vector<std::function<void()>> actions_;
  std::vector<Ending> endings_;
  std::vector<modules::FlitStream> rolled_back_;
  std::vector<TimeFs> last_time_;  // per port: last committed flit
  std::uint64_t sequence_ = 0;
  TimeFs answer_delay_ = kNever;  // kNever: does not answer
};

}  // namespace kb::test
