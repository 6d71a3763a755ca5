#include "modules/kit/scripted_node.h"

#include <algorithm>

namespace kb::test {

using modules::ArrivalKey;
using modules::FlitStream;
using payload::Leg;
using payload::Transaction;

ScriptedNode::ScriptedNode(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : FabricNode(name, node, context), last_time_(port_count()) {}

void ScriptedNode::at_time(TimeFs at, std::function<void()> action) {
  actions_.push_back(std::move(action));
  scheduler().schedule(at, *this, actions_.size());
}

std::uint16_t ScriptedNode::hop_of(const Transaction& transaction) const {
  const std::vector<NodeId>& nodes = transaction.route->nodes;
  return static_cast<std::uint16_t>(std::find(nodes.begin(), nodes.end(), node()) - nodes.begin());
}

void ScriptedNode::send(TimeFs at, Transaction& transaction, Leg leg, std::uint32_t first, std::uint32_t count,
                        TimeFs arrival, TimeFs spacing) {
  at_time(at, [=, &transaction] {
    FlitStream run;
    run.transaction = &transaction;
    run.place = transaction.place;
    run.leg = leg;
    run.hop = hop_of(transaction);
    run.out_port = next_port(transaction, leg, run.hop);
    run.time = arrival - wire_at(run.out_port).params().propagation;
    run.spacing = spacing;
    run.first = first;
    run.count = count;
    run.sequence = sequence_;
    sequence_ += std::uint64_t{count} * payload::kSequenceStep;
    SegmentBuffer outbox(*this);
    commit_later_than_before(run);
    outbox.flush();
  });
}

void ScriptedNode::request(Transaction& transaction, TimeFs arrival, TimeFs spacing) {
  const std::uint32_t flits = transaction.leg_flits(Leg::request);
  if (flits == 0) return send_message(transaction, Leg::request, arrival);
  send(now(), transaction, Leg::request, 0, flits, arrival, spacing);
}

void ScriptedNode::answer(Transaction& transaction, TimeFs arrived) {
  if (answer_delay_ == kNever || transaction.route->nodes.back() != node()) return;
  const TimeFs at = arrived + answer_delay_;
  const std::uint16_t hop = hop_of(transaction);
  const TimeFs arrival = at + wire_at(next_port(transaction, Leg::response, hop)).params().propagation;
  const std::uint32_t flits = transaction.leg_flits(Leg::response);
  if (flits == 0) return send_message(transaction, Leg::response, arrival);
  send(at, transaction, Leg::response, 0, flits, arrival, 0_fs);
}

void ScriptedNode::commit_later_than_before(const FlitStream& run) {
  FlitStream later = run;
  later.time = std::max(run.time, last_time_[run.out_port]);
  last_time_[run.out_port] = later.last_time();
  commit(later, 0_fs);
}

void ScriptedNode::send_message(Transaction& transaction, Leg leg, TimeFs arrival) {
  const std::uint16_t hop = hop_of(transaction);
  const std::uint16_t port = next_port(transaction, leg, hop);
  const TimeFs ready = arrival - wire_at(port).params().propagation;
  at_time(ready, [=, &transaction] {
    FabricNode::send_message(port, transaction, leg, hop, ready, {kNever, 0, 0, 0});
  });
}

void ScriptedNode::postpone(TimeFs at, Transaction& transaction, Leg leg, std::uint32_t first, TimeFs later,
                            TimeFs again) {
  at_time(at, [=, &transaction] {
    const std::uint16_t port = next_port(transaction, leg, hop_of(transaction));
    ArrivalKey key;
    wire_at(port).retire(now());
    std::uint32_t begin = first;
    do {  // flits that have left are not rolled back
      if (!wire_at(port).find(transaction, leg, begin++, key)) return;
    } while (key.time < now());
    rolled_back_.clear();
    cut(port, key);
    std::vector<FlitStream> runs(rolled_back_.rbegin(), rolled_back_.rend());
    last_time_[port] = 0_fs;
    const auto announce_again = [=] {
      SegmentBuffer outbox(*this);
      for (FlitStream run : runs) {
        run.time += later;
        commit_later_than_before(run);
      }
      outbox.flush();
    };
    if (again == at) {
      announce_again();
    } else {
      at_time(again, announce_again);
    }
  });
}

void ScriptedNode::on_message(Transaction& transaction, const FlitStream& message) {
  if (message.leg == Leg::request) answer(transaction, message.time);
}

void ScriptedNode::on_flits(FlitStream& flits) {
  if (!flits.has_last_flit()) return;
  endings_.push_back({flits.last_time(), flits.transaction, flits.leg, flits.in_port});
  scheduler().schedule(flits.last_time(), *this, 0);
}

void ScriptedNode::on_rollback(std::uint16_t, Transaction& transaction, Leg leg, std::uint32_t) {
  endings_.erase(std::remove_if(endings_.begin(), endings_.end(),
                                [&](const Ending& e) { return e.transaction == &transaction && e.leg == leg; }),
                 endings_.end());
}

void ScriptedNode::on_event(TimeFs now, std::uint64_t argument) {
  if (argument > 0) {
    const std::function<void()> action = actions_[argument - 1];  // a copy, because the action may add actions
    action();
    return;
  }
  const auto due =
      std::stable_partition(endings_.begin(), endings_.end(), [&](const Ending& e) { return e.time > now; });
  const std::vector<Ending> over(due, endings_.end());
  endings_.erase(due, endings_.end());
  for (const Ending& e : over) {
    send_end(e.port, *e.transaction, e.leg);
    if (e.leg == Leg::request) answer(*e.transaction, now);
  }
}

}  // namespace kb::test
