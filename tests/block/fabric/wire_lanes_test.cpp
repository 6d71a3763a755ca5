#include "modules/fabric/wire_lanes.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace kb::test {
namespace {

using modules::FlitStream;
using modules::WireLanes;

constexpr TimeFs kFull = 1000_fs;
constexpr std::uint32_t kFlitBytes = 256;
constexpr Bandwidth kWire(256'000);

struct Message {
  TimeFs at;
  std::uint16_t lane;
  std::uint32_t bytes;
};
struct Flit {
  std::size_t message;
  std::uint32_t index;
  TimeFs start;
  friend bool operator==(const Flit& a, const Flit& b) {
    return a.message == b.message && a.index == b.index && a.start == b.start;
  }
};
void PrintTo(const Flit& f, std::ostream* out) {
  *out << f.message << "[" << f.index << "]@" << f.start.fs();
}

std::uint32_t flits_of(std::uint32_t bytes) {
  return (bytes + kFlitBytes - 1) / kFlitBytes;
}
TimeFs occupancy_of(const Message& message, std::uint32_t index) {
  const bool last = index + 1 == flits_of(message.bytes);
  return kWire.occupancy(last ? message.bytes - index * kFlitBytes : kFlitBytes);
}

// The wire takes one flit after the other: of the lane whose turn it is, or of the only one that has any. A message
// that comes when the wire takes a flit is too late for that turn.
std::vector<Flit> oracle(const std::vector<Message>& messages) {
  struct Waiting {
    std::size_t message;
    std::uint32_t index;
  };
  std::deque<Waiting> lanes[2];
  std::vector<Flit> out;
  std::size_t next = 0;
  TimeFs free = 0_fs;
  int last = 0;
  while (next < messages.size() || !lanes[0].empty() || !lanes[1].empty()) {
    const auto offer = [&] {
      for (std::uint32_t i = 0; i < flits_of(messages[next].bytes); ++i)
        lanes[messages[next].lane].push_back({next, i});
      ++next;
    };
    while (next < messages.size() && messages[next].at < free) offer();
    if (lanes[0].empty() && lanes[1].empty()) {
      free = std::max(free, messages[next].at);
      offer();
    }
    const int turn = lanes[1 - last].empty() ? last : 1 - last;
    const Waiting flit = lanes[turn].front();
    lanes[turn].pop_front();
    out.push_back({flit.message, flit.index, free});
    free += occupancy_of(messages[flit.message], flit.index);
    last = turn;
  }
  return out;
}

// A wire that keeps what has started and gives back the rest, as Wire does.
std::vector<Flit> planned(const std::vector<Message>& messages) {
  std::vector<std::unique_ptr<payload::PooledPayload>> payloads;
  payload::TransactionPool pool(kFlitBytes);
  std::vector<payload::Transaction*> transactions;
  const payload::FabricRoute route;
  for (const Message& message : messages) {
    transactions.push_back(&pool.acquire(payload::Op::write, route, 0, message.bytes));
  }
  const auto message_of = [&](const FlitStream& run) {
    return static_cast<std::size_t>(std::find(transactions.begin(), transactions.end(), run.transaction) -
                                    transactions.begin());
  };
  WireLanes lanes(kFull, kWire);
  std::vector<FlitStream> wire;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const TimeFs now = messages[m].at;
    while (!wire.empty() && wire.back().last_time() > now) {
      FlitStream run = wire.back();
      wire.pop_back();
      const std::uint32_t kept = run.count_before({now + 1_fs, 0, 0, 0});
      if (kept > 0) {
        wire.push_back(run);
        wire.back().count = kept;
      }
      lanes.put_back(run.tail(kept));
      if (kept > 0) break;
    }
    TimeFs free = 0_fs;
    if (!wire.empty()) {
      const FlitStream& last = wire.back();
      free = last.last_time() + occupancy_of(messages[message_of(last)], last.first + last.count - 1);
    }
    FlitStream run;
    run.transaction = transactions[m];
    run.count = flits_of(messages[m].bytes);
    run.in_port = messages[m].lane;
    lanes.add(run);
    lanes.plan(now, free, [&](const FlitStream& committed) { wire.push_back(committed); });
  }
  std::vector<Flit> out;
  for (const FlitStream& run : wire) {
    for (std::uint32_t i = 0; i < run.count; ++i) out.push_back({message_of(run), run.first + i, run.time_of(i)});
  }
  for (payload::Transaction* transaction : transactions) pool.release(*transaction);
  return out;
}

TEST(WireLanes, TakeTurnsFlitByFlit_Q53) {
  const std::vector<Message> messages{{0_fs, 0, 6 * 256}, {1500_fs, 1, 2 * 256 + 64}};
  const std::vector<Flit> expected{{0, 0, 0_fs},    {0, 1, 1000_fs}, {1, 0, 2000_fs}, {0, 2, 3000_fs}, {1, 1, 4000_fs},
                                   {0, 3, 5000_fs}, {1, 2, 6000_fs}, {0, 4, 6250_fs}, {0, 5, 7250_fs}};
  EXPECT_EQ(planned(messages), expected);
}

TEST(WireLanes, RandomMessagesAgreeWithAFlitByFlitWire_Q53) {
  std::mt19937 random(20);
  for (int round = 0; round < 300; ++round) {
    std::vector<Message> messages;
    TimeFs at = 0_fs;
    for (std::uint32_t n = 1 + random() % 12; n > 0; --n) {
      at += random() % 3 == 0 ? 0_fs : random() % 6000 * 1_fs;
      messages.push_back(
          {at, static_cast<std::uint16_t>(random() % 2), 1 + static_cast<std::uint32_t>(random() % 2500)});
    }
    EXPECT_EQ(planned(messages), oracle(messages)) << round;
  }
}

}  // namespace
}  // namespace kb::test
