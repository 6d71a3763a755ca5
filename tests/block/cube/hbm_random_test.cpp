// One HBM controller against a controller that knows only bursts, under random traffic.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <utility>

#include "tests/block/cube/hbm_memory.h"

namespace kb::test {
namespace {

using payload::Leg;
using payload::Op;
using payload::Transaction;
using testing::IsEmpty;

// Burst by burst, from what arrived at the controller.
class Oracle {
 public:
  Oracle(Memory& memory, const std::map<std::uint64_t, Transaction*>& transactions)
      : memory_(memory), transactions_(transactions) {}

  // A burst on its pseudo-channel.
  struct Use {
    TimeFs entry, start, finish;
  };
  const std::vector<Use>& uses(std::uint64_t pc) { return uses_[pc]; }

  // Returns the answers, a list for each port.
  std::vector<std::vector<Arrival>> answers() {
    issuers_.resize(memory_.sources.size());
    for (std::size_t port = 0; port < memory_.sources.size(); ++port) take_arrivals(port);
    const auto in_order = [](const Burst& a, const Burst& b) {
      return std::tie(a.time, a.port, a.entry, a.sequence, a.index) <
             std::tie(b.time, b.port, b.entry, b.sequence, b.index);
    };
    std::sort(bursts_.begin(), bursts_.end(), in_order);
    std::vector<Burst> leaving;
    // At equal times slots are given away before bursts enter.
    for (std::size_t next = 0; next < bursts_.size() || next_slot() < kNever;) {
      const TimeFs slot = next_slot();
      if (slot <= (next < bursts_.size() ? bursts_[next].time : kNever)) {
        const Burst read = issue(slot);
        bursts_.insert(
            std::upper_bound(bursts_.begin() + static_cast<std::ptrdiff_t>(next), bursts_.end(), read, in_order), read);
      } else {
        commit(bursts_[next++], leaving);
      }
    }
    std::stable_sort(leaving.begin(), leaving.end(), in_order);
    std::vector<std::vector<Arrival>> sent(memory_.sources.size());
    std::vector<TimeFs> available(memory_.sources.size());
    for (const Burst& b : leaving) {
      const bool read = b.transaction->op == Op::read;
      TimeFs through = std::max(b.time, available[b.port]);
      if (read) {
        const bool last = b.index + 1 == b.transaction->flits;
        through += memory_.shape.bandwidth(b.port).occupancy(last ? b.transaction->last_flit_bytes : 256);
        available[b.port] = through;
      }
      sent[b.port].push_back({through + kHop, 0, b.transaction->id, Leg::response, read ? b.index : 0, !read});
    }
    return sent;
  }

 private:
  struct Burst {
    TimeFs time, entry;
    std::size_t port;
    std::uint64_t sequence;
    std::uint32_t index;
    Transaction* transaction;
  };

  struct Command {
    TimeFs open;
    std::uint64_t sequence;
    Transaction* transaction;
    std::uint32_t next = 0;
  };

  std::uint64_t accessed(const Transaction& t, std::uint32_t burst) const {
    const std::uint64_t bytes = burst + 1 == t.flits ? t.last_flit_bytes : 256;
    const auto unit = static_cast<std::uint64_t>(memory_.shape.access_bytes);
    return (bytes + unit - 1) / unit * unit;
  }

  // Who waits for a slot, and since when.
  struct Turn {
    std::size_t requester;
    TimeFs since;
  };
  // State of one port.
  struct Issuer {
    std::vector<Command> commands;
    std::size_t opened = 0;                     // so many of them are open
    std::vector<std::deque<std::size_t>> open;  // commands by requester
    std::deque<Turn> turns;
    TimeFs free = 0_fs;
  };

  void take_arrivals(std::size_t port) {
    const TimeFs overhead = ns(memory_.shape.overhead_ns);
    TimeFs decode = 0_fs;
    issuers_[port].open.resize(memory_.requesters.size() + 1);
    for (const Arrival& a : memory_.fixture.checker().arrivals(memory_.sources[port], memory_.hbm)) {
      Transaction& t = *transactions_.at(a.transaction);
      if (a.message) {
        issuers_[port].commands.push_back({a.time + overhead, a.sequence, &t});
      } else {
        decode = std::max(a.time, decode) + (a.index == 0 ? overhead : 0_fs);
        bursts_.push_back({decode, decode, port, a.sequence, a.index, &t});
      }
    }
  }

  static TimeFs next_slot(const Issuer& issuer) {
    if (!issuer.turns.empty()) return issuer.free;
    return issuer.opened == issuer.commands.size() ? kNever
                                                   : std::max(issuer.free, issuer.commands[issuer.opened].open);
  }
  TimeFs next_slot() const {
    TimeFs slot = kNever;
    for (const Issuer& issuer : issuers_) slot = std::min(slot, next_slot(issuer));
    return slot;
  }

  std::size_t requester_of(const Command& command) const {
    const NodeId by = memory_.shape.read_order == "fair" ? command.transaction->route->nodes.front() : memory_.hbm;
    return static_cast<std::size_t>(std::find(memory_.requesters.begin(), memory_.requesters.end(), by) -
                                    memory_.requesters.begin());
  }

  // The first in turn whose next burst finds its pseudo-channel free; the very first when there is none, or when it has
  // waited for a burst of each.
  std::size_t turn_of(const Issuer& issuer, std::size_t port, TimeFs slot) {
    if (slot - issuer.turns.front().since >= issuer.turns.size() * ns(8)) return 0;
    for (std::size_t i = 0; i < issuer.turns.size(); ++i) {
      const Command& command = issuer.commands[issuer.open[issuer.turns[i].requester].front()];
      if (channels_[channel_of({0_fs, 0_fs, port, 0, command.next, command.transaction})].first <= slot) return i;
    }
    return 0;
  }

  // Gives the slot away at the first port that has one then.
  Burst issue(TimeFs slot) {
    std::size_t port = 0;
    while (next_slot(issuers_[port]) != slot) ++port;
    Issuer& issuer = issuers_[port];
    for (; issuer.opened < issuer.commands.size() && issuer.commands[issuer.opened].open <= slot; ++issuer.opened) {
      const Command& command = issuer.commands[issuer.opened];
      const std::size_t who = requester_of(command);
      if (issuer.open[who].empty()) issuer.turns.push_back({who, command.open});
      issuer.open[who].push_back(issuer.opened);
    }
    const auto turn = issuer.turns.begin() + static_cast<std::ptrdiff_t>(turn_of(issuer, port, slot));
    const std::size_t who = turn->requester;
    issuer.turns.erase(turn);
    Command& command = issuer.commands[issuer.open[who].front()];
    const Burst burst{slot, slot, port, command.sequence, command.next++, command.transaction};
    if (command.next == command.transaction->flits) issuer.open[who].pop_front();
    if (!issuer.open[who].empty()) issuer.turns.push_back({who, slot});
    issuer.free = slot + memory_.shape.bandwidth(port).occupancy(accessed(*command.transaction, burst.index));
    return burst;
  }

  std::uint64_t channel_of(const Burst& b) const {
    if (b.port > 0) return b.port - 1;
    const std::uint64_t number = b.transaction->hbm_offset / 256 + b.index;
    if (memory_.shape.channel_hash == "none") return number % 8;
    std::uint64_t channel = 0;
    for (std::uint64_t scale = 1; scale <= number; scale *= 8) channel ^= number / scale % 8;
    return channel;
  }

  void commit(const Burst& b, std::vector<Burst>& leaving) {
    Transaction& t = *b.transaction;
    const std::uint64_t pc = channel_of(b);
    const TimeFs time = Bandwidth(32).occupancy(accessed(t, b.index));
    auto& [free, direction] = channels_[pc];
    const int mine = t.op == Op::read ? 1 : 2;
    const TimeFs turn = direction != 0 && direction != mine ? ns(memory_.shape.switch_penalty_ns) : 0_fs;
    free = std::max(b.time, free + turn) + time;
    uses_[pc].push_back({b.time, free - time, free});
    direction = mine;
    TimeFs& finish = finish_[t.id];
    finish = std::max(finish, free);
    // Into the return edge in the order of entry; of a write goes the acknowledgement, behind data.
    if (t.op == Op::read) {
      leaving.push_back({finish + ns(memory_.shape.access_ns), b.time, b.port, 0, b.index, &t});
    } else if (b.index + 1 == t.flits) {
      leaving.push_back({finish, b.time, b.port, 1, b.index, &t});
    }
  }

  Memory& memory_;
  const std::map<std::uint64_t, Transaction*>& transactions_;
  std::vector<Burst> bursts_;    // in order; those that have entered come first
  std::vector<Issuer> issuers_;  // by port
  std::map<std::uint64_t, std::pair<TimeFs, int>> channels_;
  std::map<std::uint64_t, TimeFs> finish_;
  std::map<std::uint64_t, std::vector<Use>> uses_;
};

// How many intervals [begin, end) a time lies in, as changes at times.
class Overlaps {
 public:
  void add(TimeFs begin, TimeFs end) {
    ++changes_[begin];
    --changes_[end];
  }
  // A signal has that value at every time.
  void expect_shown_by(const Memory::Edges& edges, const std::string& signal) {
    for (const auto& [time, value] : edges) changes_[time];
    std::int64_t expected = 0;
    std::uint64_t shown = 0;
    std::size_t next = 0;
    for (const auto& [time, change] : changes_) {
      expected += change;
      while (next < edges.size() && edges[next].first <= time) shown = edges[next++].second;
      ASSERT_EQ(static_cast<std::int64_t>(shown), expected) << signal << " at " << format_ns(time);
    }
  }

 private:
  std::map<TimeFs, std::int64_t> changes_;
};

void expect_true_waves(const Memory& memory, Oracle& oracle) {
  for (int pc = 0; pc < 8; ++pc) {
    const std::vector<Oracle::Use>& uses = oracle.uses(static_cast<std::uint64_t>(pc));
    ASSERT_FALSE(uses.empty());
    Overlaps running, waiting;
    for (const Oracle::Use& use : uses) {
      running.add(use.start, use.finish);
      waiting.add(use.entry, use.start);
    }
    running.expect_shown_by(memory.busy(pc), "busy of pc" + std::to_string(pc));
    waiting.expect_shown_by(memory.queue(pc), "queue of pc" + std::to_string(pc));
  }
}

class RandomHbm : public testing::TestWithParam<std::tuple<double, double, unsigned, std::size_t>> {};

TEST_P(RandomHbm, EqualsABurstByBurstController) {  // C-HBM-4 .. C-HBM-12, A-87
  Shape shape;
  shape.channel_ports = std::get<3>(GetParam());
  shape.overhead_ns = std::get<0>(GetParam());
  shape.switch_penalty_ns = std::get<1>(GetParam());
  std::mt19937 random(std::get<2>(GetParam()));
  shape.requesters = random() % 5;
  shape.read_order = random() % 3 > 0 || shape.requesters == 0 ? "fair" : "arrival";
  shape.access_ns = random() % 2 == 0 ? 0.0 : 34.0;
  shape.access_bytes = random() % 2 == 0 ? 256 : 32;
  shape.channel_hash = random() % 2 == 0 ? "none" : "xor";
  shape.return_bw_gbs = random() % 2 == 0 ? 256.0 : 128.0;
  const int writes = static_cast<int>(random() % 4);  // of eight
  Memory m(shape);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  std::map<std::uint64_t, Transaction*> transactions;
  const int last_port = static_cast<int>(shape.channel_ports);
  std::vector<TimeFs> cursors(m.sources.size(), ns(10));
  for (int i = 0; i < (last_port == 0 ? 200 : 600); ++i) {
    const auto port = static_cast<std::size_t>(last_port == 0 || pick(0, 2) == 0 ? 0 : pick(1, last_port));
    TimeFs& cursor = cursors[port];
    const auto bytes = static_cast<std::uint64_t>(pick(0, 2) == 0 ? pick(1, 1000) : 256 * pick(1, 40));
    const auto offset = static_cast<std::uint64_t>(pick(0, 1) == 0 ? 256 * pick(0, 15) : pick(0, 5000));
    const TimeFs start = cursor + pick(0, port == 0 ? 20 : 100) * ns(0.5);
    const Op op = pick(0, 7) < writes ? Op::write : Op::read;
    Transaction& t = shape.requesters == 0 ? m.make(op, bytes, offset, port)
                                           : m.make_by(random() % shape.requesters, op, bytes, offset, port);
    transactions[t.id] = &t;
    send_at(m, t, port, start, cursor, pick);
  }
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  Oracle oracle(m, transactions);
  ASSERT_NO_FATAL_FAILURE(expect_answers(m, oracle.answers()));
  m.fixture.end();
  expect_true_waves(m, oracle);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomHbm,
                         testing::Combine(testing::Values(0.0, 1.5), testing::Values(0.0, 3.0), testing::Range(0u, 20u),
                                          testing::Values(0u)));
INSTANTIATE_TEST_SUITE_P(ChannelPorts, RandomHbm,
                         testing::Combine(testing::Values(0.0, 1.5), testing::Values(0.0, 3.0), testing::Range(5u, 15u),
                                          testing::Values(8u)));

}  // namespace
}  // namespace kb::test
