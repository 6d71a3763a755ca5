// One HBM controller connected to a scripted router: 8 channels of 32 GB/s and 256 B bursts of 8 ns by default;
// optionally also to a scripted router per channel, with wires of 32 GB/s.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "modules/kit/fabric_fixture.h"
#include "platform/params/hbm_banked_params.h"

namespace kb::test {

inline constexpr TimeFs kHop = 1_fs;
constexpr TimeFs ns(double value) {
  return TimeFs(static_cast<std::int64_t>(value * 1e6));
}

struct Shape {
  double overhead_ns = 0.0;
  double switch_penalty_ns = 0.0;
  std::int64_t burst_bytes = 256;
  double return_bw_gbs = 256.0;
  std::size_t channel_ports = 0;
  std::string read_order = "fair", channel_hash = "none";
  double access_ns = 0.0;
  std::int64_t access_bytes = 256;
  std::size_t requesters = 0;  // per source
  // builtin.hbm_banked with these parameters
  bool banked = false;
  Values banks{};
  double pc_bw_gbs = 32.0;

  Bandwidth bandwidth(std::size_t port) const { return Bandwidth(port == 0 ? return_bw_gbs : 32.0); }
};

struct Memory {
  explicit Memory(const Shape& s = {}) : fixture(s.burst_bytes), shape(s) {
    router = fixture.add_scripted("router");
    hbm = add_controller();
    fixture.link(router, hbm, 0.0, s.return_bw_gbs);  // flits arrive at the controller exactly at the scripted time
    sources.push_back(router);
    for (std::size_t i = 0; i < s.channel_ports; ++i) {
      sources.push_back(fixture.add_channel("ch_r" + std::to_string(i), static_cast<std::int64_t>(i)));
      fixture.link(sources.back(), hbm, 0.0, s.bandwidth(i + 1).gbs());
    }
    for (std::size_t i = 0; i < s.requesters; ++i) {
      requesters.push_back(fixture.add_scripted("requester" + std::to_string(i)));
      for (const NodeId source : sources) fixture.link(requesters.back(), source, 0.0, 0.0);
    }
    fixture.start();
  }
  // Port 0 is that of the common router, port i + 1 that of channel i.
  payload::Transaction& make(payload::Op op, std::uint64_t bytes, std::uint64_t offset, std::size_t port = 0) {
    return fixture.transaction(op, {sources[port], hbm}, bytes, offset);
  }
  payload::Transaction& write(std::uint64_t bytes, std::uint64_t offset, TimeFs arrival, TimeFs spacing,
                              std::size_t port = 0) {
    payload::Transaction& t = make(payload::Op::write, bytes, offset, port);
    fixture.scripted(sources[port]).send(0_fs, t, payload::Leg::request, 0, t.flits, arrival, spacing);
    return t;
  }
  payload::Transaction& read(std::uint64_t bytes, std::uint64_t offset, TimeFs arrival, std::size_t port = 0) {
    payload::Transaction& t = make(payload::Op::read, bytes, offset, port);
    fixture.scripted(sources[port]).send_message(t, payload::Leg::request, arrival);
    return t;
  }
  // Like make(), for a requester behind the router; requesters are served in round robin.
  payload::Transaction& make_by(std::size_t requester, payload::Op op, std::uint64_t bytes, std::uint64_t offset,
                                std::size_t port = 0) {
    return fixture.transaction(op, {requesters[requester], sources[port], hbm}, bytes, offset);
  }
  payload::Transaction& read_by(std::size_t requester, std::uint64_t bytes, std::uint64_t offset, TimeFs arrival,
                                std::size_t port = 0) {
    payload::Transaction& t = make_by(requester, payload::Op::read, bytes, offset, port);
    fixture.scripted(sources[port]).send_message(t, payload::Leg::request, arrival);
    return t;
  }
  // Arrival times of the flits of the response to one transaction.
  std::vector<TimeFs> answer(const payload::Transaction& t) {
    std::vector<TimeFs> times;
    for (const Arrival& a : fixture.checker().arrivals(hbm, t.route->nodes[t.route->nodes.size() - 2])) {
      if (a.transaction == t.id) times.push_back(a.time);
    }
    return times;
  }
  using Edges = std::vector<Waves::Change>;
  Edges busy(int pc) const { return fixture.waves().shown("hbm.pc" + std::to_string(pc) + ".busy"); }
  Edges queue(int pc) const { return fixture.waves().shown("hbm.pc" + std::to_string(pc) + ".queue"); }
  // Ends the run and returns the last end of service of each channel.
  std::vector<TimeFs> channels() {
    fixture.end();
    std::vector<TimeFs> free;
    for (int pc = 0; pc < 8; ++pc) free.push_back(busy(pc).empty() ? 0_fs : busy(pc).back().first);
    return free;
  }

  NodeId add_controller() {
    Values kind{{"num_pcs", std::int64_t{8}},     {"burst_bytes", shape.burst_bytes},
                {"pc_bw_gbs", shape.pc_bw_gbs},   {"overhead_ns", shape.overhead_ns},
                {"read_order", shape.read_order}, {"channel_hash", shape.channel_hash}};
    if (shape.banked) {
      return fixture.add("hbm", topology::NodeKind::hbm_ctrl, params::kHbmBanked, kind, shape.banks);
    }
    kind.insert({{"switch_penalty_ns", shape.switch_penalty_ns},
                 {"access_ns", shape.access_ns},
                 {"access_bytes", std::min(shape.access_bytes, shape.burst_bytes)}});
    return fixture.add("hbm", topology::NodeKind::hbm_ctrl, "builtin.hbm_ctrl", kind);
  }

  FabricFixture fixture;
  Shape shape;
  NodeId router, hbm;
  std::vector<NodeId> sources;  // by port
  std::vector<NodeId> requesters;
};

// Sends a request that arrives at `start`; the flits of a write at random distances, and some of them are postponed
// while they are on their way. `pick(low, high)`: a random number. `cursor`: when the port's next request may arrive.
template <typename Pick>
void send_at(Memory& memory, payload::Transaction& t, std::size_t port, TimeFs start, TimeFs& cursor, Pick&& pick) {
  ScriptedNode& source = memory.fixture.scripted(memory.sources[port]);
  cursor = start;
  if (t.op == payload::Op::read) {
    source.send_message(t, payload::Leg::request, start);
    return;
  }
  const TimeFs spacing = pick(0, 4) * ns(port == 0 ? 0.5 : 4.0);
  source.send(start - ns(pick(1, 6)), t, payload::Leg::request, 0, t.flits, start, spacing);
  // Commands may come while the flits of a write are still on their way.
  if (pick(0, 1) == 0) cursor += (t.flits - 1) * spacing;
  if (pick(0, 1) == 0) return;
  const TimeFs at = start + pick(-2, 12) * ns(0.25);
  source.postpone(at, t, payload::Leg::request, static_cast<std::uint32_t>(pick(0, static_cast<int>(t.flits) - 1)),
                  pick(0, 6) * ns(0.5), at);
}

// What the controller has sent at each port, in order.
inline void expect_answers(Memory& memory, const std::vector<std::vector<Arrival>>& answers) {
  for (std::size_t port = 0; port < memory.sources.size(); ++port) {
    const std::vector<Arrival>& expected = answers[port];
    const std::vector<Arrival> actual = memory.fixture.checker().arrivals(memory.hbm, memory.sources[port]);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(std::tie(actual[i].time, actual[i].transaction, actual[i].index),
                std::tie(expected[i].time, expected[i].transaction, expected[i].index))
          << "answer " << i << " of " << expected.size() << " at port " << port;
    }
  }
}

}  // namespace kb::test
