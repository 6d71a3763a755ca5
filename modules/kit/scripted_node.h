// A neighbour of a fabric block under test, initiator or target: it sends what it is told and takes whatever comes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "modules/fabric/fabric_node.h"

namespace kb::test {

// Sends through the fabric's own channel of its edge; on an edge without bandwidth a flit arrives exactly when asked
// for, else not before. Every received leg is ended when its last flit is here.
class ScriptedNode final : public modules::FabricNode, private elab::EventHandler {
 public:
  ScriptedNode(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context);

  // Initiator: the whole request of a transaction whose route begins here. Its first flit, or message, arrives at
  // `arrival`, the others `spacing` apart, or as soon as the wire lets them.
  void request(payload::Transaction& transaction, TimeFs arrival, TimeFs spacing = 0_fs);
  // Target: from now on the answer to every request that ends here is offered `delay` after its last flit arrived, all
  // flits of a read at once.
  void answer_after(TimeFs delay) { answer_delay_ = delay; }

  // At time `at`, announced flits [first, first + count) of a leg for arrival + i * spacing at the neighbour; later
  // than everything announced on that edge before.
  void send(TimeFs at, payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, std::uint32_t count,
            TimeFs arrival, TimeFs spacing);
  // A zero-byte leg that arrives at `arrival` when no flit is in its way.
  void send_message(payload::Transaction& transaction, payload::Leg leg, TimeFs arrival);
  // At time `at`, rolls back the flits of the leg from index `first` on, and all that was announced behind them
  // (SHORTEN); announced the same again at time `again`, `later` after the old times. Flits that have left are not
  // touched.
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
  std::vector<TimeFs> last_time_;  // of the latest flit committed, by port
  std::uint64_t sequence_ = 0;
  TimeFs answer_delay_ = kNever;  // no answers
};

}  // namespace kb::test
