// Times of a channel that can be computed by hand.
#include <gtest/gtest.h>

#include <map>
#include <queue>

#include "modules/cube/dram/channel.h"
#include "platform/base/error.h"

namespace kb::dram {
namespace {

ChannelConfig config_of(const std::string& preset, RefreshMode refresh = RefreshMode::none) {
  ChannelConfig config;
  config.standard = standard(preset);
  config.refresh = refresh;
  return config;
}

// Bursts of `bytes` at addresses f(i) of pseudo-channel i mod 2, as many as fit a deep queue; returns when the last
// data are ready. The return edge takes a flit when it is ready.
template <typename F>
TimeFs run_deep(Channel& channel, std::uint64_t count, std::uint32_t bytes, F&& f) {
  std::uint64_t pushed = 0, answered = 0;
  TimeFs end = 0_fs;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> releases;
  for (TimeFs now = 0_fs; answered < count; now += 4_ns) {
    for (; pushed < count && pushed - answered < 400; ++pushed) {
      Burst burst;
      burst.arrival = now;
      burst.pc = static_cast<std::uint8_t>(pushed % kPcs);
      burst.bytes = bytes;
      burst.address = f(pushed);
      channel.push(burst);
    }
    for (; !releases.empty() && releases.top() <= now.fs(); releases.pop())
      channel.release_response(TimeFs(releases.top()));
    channel.advance(now);
    for (const Answer& answer : channel.answers()) {
      ++answered;
      end = std::max(end, answer.ready);
      releases.push(answer.ready.fs());
    }
  }
  return end;
}

double gbs(std::uint64_t bytes, TimeFs time) {
  return static_cast<double>(bytes) / fs_to_ns(time);
}

TimeFs idle_read(const std::string& preset, std::uint32_t bytes) {
  ChannelConfig config = config_of(preset);
  config.frontend = 10_ns;  // whole ticks
  Channel channel(config);
  Burst burst;
  burst.bytes = bytes;
  channel.push(burst);
  channel.advance(1_ns);
  for (TimeFs now = 1_ns; channel.answers().empty(); now += 4_ns) channel.advance(now);
  return channel.answers().at(0).ready - config.frontend - config.backend;  // without front and back end
}

TEST(ByHand, IdleReadOfHbm3_CDRAM11) {
  const int opening = 32;  // RCDRD after the end of ACT, at the next rising edge
  EXPECT_EQ(idle_read("hbm3_6400", 32), (opening + 20 + 2) * 625'000_fs);           // 33.75 ns
  EXPECT_EQ(idle_read("hbm3_6400", 256), (opening + 20 + 2 + 7 * 4) * 625'000_fs);  // 51.25 ns
}

// E-116: a row is opened for the first of two places that read it.
TEST(ByHand, ActivationsBelongToWhoOpensTheRow) {
  Channel channel(config_of("hbm3_6400"));
  std::map<std::uint64_t, std::uint64_t> opened;
  channel.count_activations_in(&opened);
  TimeFs now = 0_fs;
  const auto read = [&](std::uint64_t place, std::uint64_t address) {
    Burst burst;
    burst.arrival = now;
    burst.address = address;
    burst.bytes = 32;
    burst.place = place;
    channel.push(burst);
    for (channel.advance(now); channel.answers().empty(); channel.advance(now)) now += 4_ns;
    now = std::max(now, channel.answers().front().ready);
    channel.release_response(now);
  };
  read(7, 0);
  read(8, 32);           // the same row
  read(8, 1ull << 24U);  // another one
  EXPECT_EQ(opened, (std::map<std::uint64_t, std::uint64_t>{{7, 1}, {8, 1}}));
  EXPECT_EQ(channel.statistics().acts, 2u);
}

TEST(ByHand, RandomReadsAreBoundByTheRowBus_CDRAM7) {
  ChannelConfig config = config_of("hbm2_2000");
  config.read_entries = 256;
  config.response_entries = 64;
  Channel channel(config);
  std::uint64_t random = 1;
  const std::uint64_t count = 40'000;
  const TimeFs end = run_deep(channel, count, 32, [&](std::uint64_t) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 20) % (512 * kMiB / 32) * 32;
  });
  const double bound = 32.0 / 3;  // ACT 2 ns and PRE 1 ns
  EXPECT_LE(gbs(count * 32, end), bound);
  EXPECT_GE(gbs(count * 32, end), 0.99 * bound);
}

TEST(ByHand, OneBankCyclesInRasAndRp_CDRAM10) {
  ChannelConfig config = config_of("hbm2_2000");
  Channel channel(config);
  const std::uint64_t count = 2'000, row = 16 * 1024;
  const TimeFs end = run_deep(channel, count, 32, [&](std::uint64_t i) { return i / 2 % 30'000 * row; });
  const TimeFs cycle = (34 + 14) * 1_ns;  // each pseudo-channel has its bank
  EXPECT_NEAR(fs_to_ns(end), fs_to_ns(count / 2 * cycle), 60.0);
}

TEST(ByHand, SequentialStreamTakesWhatTheBanksGive_CDRAM11) {
  for (const std::string& preset : standard_names()) {
    const std::uint64_t count = 20'000;
    double rates[2] = {};
    for (const int unlimited : {0, 1}) {
      ChannelConfig config = config_of(preset, RefreshMode::per_bank);
      if (unlimited == 1) config.response_entries = 4096;
      Channel channel(config);
      rates[unlimited] = gbs(count * 256, run_deep(channel, count, 256, [](std::uint64_t i) { return i / 2 * 256; }));
    }
    EXPECT_GE(rates[0], 0.99 * rates[1]) << preset;
  }
}

TEST(ByHand, IdleTimeCostsNothingAndKeepsRefreshExact_CDRAM9) {
  Channel channel(config_of("hbm3_6400", RefreshMode::per_bank));
  const TimeFs second = 1'000'000'000_ns;
  channel.advance(second);
  const std::int64_t due = (second + 8_ns) / (625'000_fs) * 64 / 6240;  // 64 banks
  EXPECT_NEAR(static_cast<double>(channel.statistics().refreshes), static_cast<double>(due), 1.0);
  EXPECT_EQ(channel.next_wake(), kNever);
}

TEST(ByHand, LateBurstsAreRefused) {
  Channel channel(config_of("hbm2_2000"));
  channel.advance(100_ns);
  Burst burst;
  burst.bytes = 32;
  burst.arrival = 99_ns;
  EXPECT_THROW(channel.push(burst), Error);
  burst.arrival = 101_ns;
  burst.bytes = 257;
  EXPECT_THROW(channel.push(burst), Error);
}

}  // namespace
}  // namespace kb::dram
