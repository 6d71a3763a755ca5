// One HBM controller with banks against a controller that looks at every edge, under random traffic.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "modules/cube/banked_channels.h"
#include "tests/block/cube/hbm_memory.h"
#include "tests/support/plain_dram.h"
#include "tests/support/shortened.h"

namespace kb::test {
namespace {

using payload::Leg;
using payload::Op;
using payload::Transaction;
using testing::IsEmpty;

// From what arrived at the controller: one time after the other, one burst after the other.
class BankedOracle {
 public:
  BankedOracle(Memory& memory, const params::HbmBankedParams& banks,
               const std::map<std::uint64_t, Transaction*>& transactions)
      : memory_(memory), config_(modules::channel_config(banks)), transactions_(transactions) {
    for (int i = 0; i < 4; ++i) channels_.push_back(std::make_unique<PlainChannel>(config_));
    numbers_.resize(4);
    reads_.resize(4);
  }

  // Returns the answers, a list for each port.
  std::vector<std::vector<Arrival>> answers() {
    ports_.resize(memory_.sources.size());
    sent_.resize(ports_.size());
    for (std::size_t port = 0; port < ports_.size(); ++port) take_arrivals(port);
    while (left_ > 0) {
      TimeFs now = channels_[0]->next_edge();
      for (std::size_t port = 0; port < ports_.size(); ++port) now = std::min(now, next(ports_[port]));
      if (!leaving_.empty()) now = std::min(now, std::get<0>(leaving_.begin()->first));
      if (now == channels_[0]->next_edge()) look();
      for (Port& port : ports_) open(port, now);
      while (enter_one(now)) {
      }
      leave(now);
    }
    return sent_;
  }
  const std::vector<TimeFs>& waits() const { return waits_; }

 private:
  struct Part {
    Transaction* transaction;
    std::uint32_t index;
    std::uint64_t order = 0;
    TimeFs ready = kNever;
    std::size_t channel = 0;
    bool holds_response = false;
  };
  struct Command {
    TimeFs open;
    Transaction* transaction;
    std::uint32_t next = 0;
    TimeFs passed = kNever;
  };
  struct Write {
    TimeFs entry;
    Transaction* transaction;
    std::uint32_t index;
  };
  struct Port {
    std::size_t number = 0;
    std::deque<Command> commands;  // not open
    std::map<NodeId, std::deque<Command>> open;
    std::deque<NodeId> turns;
    std::deque<Write> writes;
    TimeFs issuer = 0_fs, wire = 0_fs, asked = -1_fs;  // asked: when all that wait for a slot had to wait
  };

  void take_arrivals(std::size_t number) {
    Port& port = ports_[number];
    port.number = number;
    const TimeFs overhead = ns(memory_.shape.overhead_ns);
    TimeFs decode = 0_fs;
    for (const Arrival& a : memory_.fixture.checker().arrivals(memory_.sources[number], memory_.hbm)) {
      Transaction& t = *transactions_.at(a.transaction);
      if (a.message) {
        port.commands.push_back({a.time + overhead, &t});
        left_ += t.flits;
      } else {
        decode = std::max(a.time, decode) + (a.index == 0 ? overhead : 0_fs);
        port.writes.push_back({decode, &t, a.index});
        if (a.index == 0) ++left_;
      }
    }
  }
  // Blocked slots are asked again at each edge.
  TimeFs next(const Port& port) const {
    TimeFs at = kNever;
    if (!port.commands.empty()) at = port.commands.front().open;
    if (!port.writes.empty()) at = std::min(at, port.writes.front().entry);
    if (!port.turns.empty() && port.issuer > port.asked) at = std::min(at, port.issuer);
    return at;
  }
  void open(Port& port, TimeFs now) {
    for (; !port.commands.empty() && port.commands.front().open <= now; port.commands.pop_front()) {
      const Command& command = port.commands.front();
      const bool fair = memory_.shape.read_order == "fair";
      const NodeId who = fair ? command.transaction->route->nodes.front() : NodeId(0);
      if (port.open[who].empty()) port.turns.push_back(who);
      port.open[who].push_back(command);
    }
  }
  bool enter_one(TimeFs now) {
    for (Port& port : ports_) {
      if (!port.writes.empty() && port.writes.front().entry <= now) {
        const Write write = port.writes.front();
        port.writes.pop_front();
        send(port, *write.transaction, write.index, now);
        return true;
      }
      if (port.issuer <= now && issue(port, now)) return true;
    }
    return false;
  }
  bool issue(Port& port, TimeFs now) {
    for (auto turn = port.turns.begin(); turn != port.turns.end(); ++turn) {
      const NodeId who = *turn;
      Command& command = port.open[who].front();
      Transaction& t = *command.transaction;
      const std::size_t channel = place_of(port, t, command.next).first / 2;
      if (reads_in(channel, now) >= config_.read_entries) {
        command.passed = std::min(command.passed, now);
        continue;
      }
      if (command.passed < now) waits_[dram::index(dram::Cause::queue_full)] += now - command.passed;
      command.passed = kNever;
      const std::uint32_t index = command.next++;
      port.issuer = now + memory_.shape.bandwidth(port.number).occupancy(bytes_of(t, index));
      port.turns.erase(turn);
      if (command.next == t.flits) port.open[who].pop_front();
      if (!port.open[who].empty()) port.turns.push_back(who);
      send(port, t, index, now);
      return true;
    }
    port.asked = now;
    return false;
  }
  int reads_in(std::size_t channel, TimeFs now) const {
    const std::vector<TimeFs>& freed = channels_[channel]->result().freed;
    return static_cast<int>(std::count_if(reads_[channel].begin(), reads_[channel].end(),
                                          [&](std::size_t read) { return freed[read] > now; }));
  }

  static std::uint32_t bytes_of(const Transaction& t, std::uint32_t index) {
    return index + 1 == t.flits ? t.last_flit_bytes : 256;
  }
  // Pseudo-channel of a flit's burst, and its address there.
  std::pair<std::size_t, std::uint64_t> place_of(const Port& port, const Transaction& t, std::uint32_t index) const {
    const std::uint64_t into = t.hbm_offset % 256, crosses = into + bytes_of(t, index) > 256 ? 1 : 0;
    if (port.number > 0) {
      return {port.number - 1, t.hbm_offset / 2048 * 256 + std::uint64_t{index} * 256 + (crosses ? 0 : into)};
    }
    const std::uint64_t burst = t.hbm_offset / 256 + index;
    return {channel_of(burst), burst / 8 * 256 + (crosses ? 0 : into)};
  }
  std::uint64_t channel_of(std::uint64_t burst) const {
    if (memory_.shape.channel_hash == "none") return burst % 8;
    std::uint64_t channel = 0;
    for (; burst > 0; burst /= 8) channel ^= burst % 8;
    return channel;
  }

  void send(Port& port, Transaction& t, std::uint32_t index, TimeFs now) {
    Part& part = parts_[{t.id, index}];
    const auto [pc, address] = place_of(port, t, index);
    part = {&t, index, ++orders_};
    dram::Burst burst;
    burst.arrival = now;
    burst.pc = static_cast<std::uint8_t>(pc % 2);
    burst.address = address;
    burst.bytes = bytes_of(t, index);
    burst.direction = t.op == Op::read ? dram::kRead : dram::kWrite;
    burst.transaction = t.id;
    if (t.op == Op::read) reads_[pc / 2].push_back(numbers_[pc / 2].size());
    numbers_[pc / 2].push_back(&part);
    channels_[pc / 2]->push(burst);
  }

  void look() {
    for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
      channels_[channel]->look();
      for (const std::size_t number : channels_[channel]->answered()) {
        const dram::Answer& answer = channels_[channel]->result().answers[number];
        Part& part = *numbers_[channel][number];
        part.ready = answer.ready;
        part.channel = channel;
        part.holds_response = answer.holds_response;
        for (std::size_t c = 0; c < dram::kCauses; ++c) waits_[c] += answer.waits[c];
        finish(*part.transaction);
      }
    }
  }
  // Flits of a read in order; the acknowledgement of a write when all have their place in the banks.
  void finish(Transaction& t) {
    TimeFs ready = 0_fs;
    for (std::uint32_t index = 0; index < t.flits; ++index) {
      const auto found = parts_.find({t.id, index});
      if (found == parts_.end() || found->second.ready == kNever) return;
      ready = std::max(ready, found->second.ready);
      const bool read = t.op == Op::read;
      if (read || index + 1 == t.flits) leaving_[{ready, !read, found->second.order}] = &found->second;
    }
  }
  void leave(TimeFs now) {
    while (!leaving_.empty() && std::get<0>(leaving_.begin()->first) <= now) {
      const auto [key, part] = *leaving_.begin();
      leaving_.erase(leaving_.begin());
      Transaction& t = *part->transaction;
      if (!gone_.insert({t.id, part->index}).second) continue;  // finish() told it again
      std::size_t number = 0;
      while (memory_.sources[number] != t.route->nodes[t.route->nodes.size() - 2]) ++number;
      Port& port = ports_[number];
      const bool read = t.op == Op::read;
      TimeFs through = std::max(std::get<0>(key), port.wire);
      if (read) through += memory_.shape.bandwidth(number).occupancy(bytes_of(t, part->index));
      if (read) port.wire = through;
      if (part->holds_response) channels_[part->channel]->release(through);
      sent_[number].push_back({through + kHop, 0, t.id, Leg::response, read ? part->index : 0, !read});
      --left_;
    }
  }

  Memory& memory_;
  dram::ChannelConfig config_;
  const std::map<std::uint64_t, Transaction*>& transactions_;
  std::vector<std::unique_ptr<PlainChannel>> channels_;
  std::vector<std::vector<Part*>> numbers_;      // by channel: whose burst it is
  std::vector<std::vector<std::size_t>> reads_;  // by channel: bursts of reads
  std::map<std::pair<std::uint64_t, std::uint32_t>, Part> parts_;
  std::map<std::tuple<TimeFs, bool, std::uint64_t>, Part*> leaving_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> gone_;
  std::vector<Port> ports_;
  std::vector<std::vector<Arrival>> sent_;
  std::vector<TimeFs> waits_ = std::vector<TimeFs>(dram::kCauses);
  std::uint64_t orders_ = 0, left_ = 0;  // left: flits of reads and writes that are not answered
};

class RandomBankedHbm : public testing::TestWithParam<std::tuple<unsigned, std::size_t>> {};

Shape random_shape(std::mt19937& random, params::HbmBankedParams& banks) {
  const auto one_of = [&](auto... values) {
    const auto list = {values...};
    return *(list.begin() + random() % list.size());
  };
  Shape shape;
  shape.banked = true;
  shape.requesters = random() % 5;
  shape.overhead_ns = one_of(0.0, 1.5);
  shape.read_order = random() % 3 > 0 || shape.requesters == 0 ? "fair" : "arrival";
  shape.channel_hash = random() % 2 == 0 ? "none" : "xor";
  shape.return_bw_gbs = random() % 2 == 0 ? 256.0 : 128.0;
  shape.banks = {{"preset", std::string(one_of("hbm2_vega", "hbm3_6400", "hbm4_8000"))},
                 {"hash", std::string(one_of("none", "xor"))},
                 {"pages", std::string(one_of("open", "open", "closed", "timeout"))},
                 {"refresh", std::string(one_of("per_bank", "all_bank", "none"))},
                 {"drain", std::string(one_of("watermark", "watermark", "oldest"))},
                 {"read_entries", std::int64_t{one_of(2, 8, 32)}},
                 {"write_entries", std::int64_t{one_of(4, 32)}},
                 {"high", std::int64_t{4}},
                 {"low", std::int64_t{1}},
                 {"frontend_ns", one_of(1.0, 8.0, 16.3)},
                 {"backend_ns", one_of(0.0, 6.0)},
                 {"response_entries", std::int64_t{one_of(1, 2, 16)}},
                 {"row_hit_cap", std::int64_t{one_of(4, 16)}},
                 {"write_ack", std::string(one_of("committed", "committed", "accepted"))}};
  banks = with_values(params::ParamSet(params::HbmBankedParams::fields()), shape.banks).as<params::HbmBankedParams>();
  return shape;
}

TEST_P(RandomBankedHbm, EqualsAControllerThatLooksAtEveryEdge_CDRAM3) {
  std::mt19937 random(std::get<0>(GetParam()));
  params::HbmBankedParams banks;
  Shape shape = random_shape(random, banks);
  shape.channel_ports = std::get<1>(GetParam());
  const int writes = static_cast<int>(random() % 5);  // of eight
  Memory m(shape);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  std::map<std::uint64_t, Transaction*> transactions;
  const int last_port = static_cast<int>(shape.channel_ports);
  std::vector<TimeFs> cursors(m.sources.size(), ns(10));
  const int far = pick(0, 2) == 0 ? 1 << 26 : 5000, gap = pick(0, 1) == 0 ? 20 : 400;
  for (int i = 0; i < 150; ++i) {
    const auto port = static_cast<std::size_t>(last_port == 0 || pick(0, 2) == 0 ? 0 : pick(1, last_port));
    const auto bytes = static_cast<std::uint64_t>(pick(0, 2) == 0 ? pick(1, 1000) : 256 * pick(1, 20));
    const auto offset = static_cast<std::uint64_t>(pick(0, 1) == 0 ? 256 * pick(0, far / 256) : pick(0, far));
    const TimeFs start = cursors[port] + pick(0, gap) * ns(0.5);
    const Op op = pick(0, 7) < writes ? Op::write : Op::read;
    Transaction& t = shape.requesters == 0 ? m.make(op, bytes, offset, port)
                                           : m.make_by(random() % shape.requesters, op, bytes, offset, port);
    transactions[t.id] = &t;
    send_at(m, t, port, start, cursors[port], pick);
  }
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  BankedOracle oracle(m, banks, transactions);
  ASSERT_NO_FATAL_FAILURE(expect_answers(m, oracle.answers()));
  EXPECT_EQ(m.fixture.waits(m.hbm, "pc"), oracle.waits());
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomBankedHbm,
                         testing::Combine(testing::Range(0u, cases(40u, 10u)), testing::Values(0u)));
INSTANTIATE_TEST_SUITE_P(ChannelPorts, RandomBankedHbm,
                         testing::Combine(testing::Range(40u, cases(60u, 45u)), testing::Values(8u)));

}  // namespace
}  // namespace kb::test
