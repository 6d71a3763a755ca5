// Commands, times and waits of random channels equal those of the oracle that looks at every edge.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/dram/random_channel.h"

namespace kb::test {
namespace {

using namespace dram;

std::string text_of(const IssuedCommand& c) {
  return std::to_string(c.at) + " " + std::string(kCommandNames[index(c.command)]) + " bank " + std::to_string(c.bank) +
         " row " + std::to_string(c.row) + " transaction " + std::to_string(c.transaction);
}

std::string waits_of(const Answer& answer) {
  std::string text;
  for (std::size_t c = 0; c < kCauses; ++c) {
    if (answer.waits[c] != 0_fs) text += std::string(kCauseNames[c]) + " " + format_ns(answer.waits[c]) + " ";
  }
  return text;
}

// The first difference; "" when there is none. The oracle may go on behind the last answer.
std::string difference(const PlainDramResult& channel, const PlainDramResult& plain) {
  for (std::size_t i = 0; i < std::min(channel.commands.size(), plain.commands.size()); ++i) {
    const std::string a = text_of(channel.commands[i]), b = text_of(plain.commands[i]);
    if (a != b) return "command " + std::to_string(i) + ": " + a + ", oracle: " + b;
  }
  for (std::size_t i = 0; i < channel.answers.size(); ++i) {
    const Answer &a = channel.answers[i], &b = plain.answers[i];
    const std::string burst = "burst " + std::to_string(i) + ": ";
    if (a.entered != b.entered) return burst + "entered " + format_ns(a.entered) + ", oracle: " + format_ns(b.entered);
    if (a.ready != b.ready) return burst + "ready " + format_ns(a.ready) + ", oracle: " + format_ns(b.ready);
    if (a.holds_response != b.holds_response) return burst + "one of both holds a response entry";
    if (a.service != b.service) return burst + "service " + format_ns(a.service) + ", oracle: " + format_ns(b.service);
    for (std::size_t c = 0; c < kCauses; ++c) {
      if (a.waits[c] == b.waits[c]) continue;
      return burst + "waits for " + waits_of(a) + ", oracle: " + waits_of(b);
    }
  }
  return "";
}

std::string freed_difference(std::vector<TimeFs> channel, std::vector<TimeFs> plain) {
  std::sort(channel.begin(), channel.end());
  std::sort(plain.begin(), plain.end());
  return channel == plain ? "" : "entries are freed at other times";
}

std::string statistics_difference(const ChannelStatistics& a, const ChannelStatistics& b) {
  const auto text = [](const ChannelStatistics& s) {
    return std::to_string(s.row_hits) + " hits " + std::to_string(s.row_misses) + " misses " +
           std::to_string(s.row_conflicts) + " conflicts " + std::to_string(s.acts) + " acts " +
           std::to_string(s.turnarounds) + " turnarounds";
  };
  return text(a) == text(b) ? "" : text(a) + ", oracle: " + text(b);
}

void expect_parts_sum_up(const PlainDramResult& result) {
  for (const Answer& answer : result.answers) {
    TimeFs sum = answer.burst.arrival + answer.service;
    for (const TimeFs wait : answer.waits) sum += wait;
    ASSERT_EQ(sum, answer.ready) << "burst " << answer.burst.tag;
  }
}

void compare(std::uint64_t seed) {
  Dice dice(seed);
  const ChannelConfig config = random_channel(dice);
  const std::vector<Burst> bursts = random_bursts(dice, config, 2000);
  const PlainDramResult channel = run_channel(config, bursts, seed);
  const PlainDramResult plain = run_plain_dram(config, bursts, hold_of);
  ASSERT_EQ(difference(channel, plain), "") << "seed " << seed << ", " << config.standard.name;
  if (config.write_ack == WriteAck::committed) {  // accepted writes are answered before they leave
    ASSERT_EQ(freed_difference(channel.freed, plain.freed), "") << "seed " << seed;
  }
  expect_parts_sum_up(channel);
  if (channel.commands.size() == plain.commands.size()) {
    ASSERT_EQ(statistics_difference(channel.statistics, plain.statistics), "") << "seed " << seed;
  }
}

// The environment replaces the seeds of the test, for the slow one and to look at one of them.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Four tests, so that they run beside each other.
class RandomChannel : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomChannel, EqualsTheOracleInCommandsTimesAndWaits_CDRAM) {
  const std::uint64_t seeds = from_environment("KB_DRAM_SEEDS", KB_SEEDS) / 4;
  const std::uint64_t begin = from_environment("KB_DRAM_FIRST", 1) + GetParam() * seeds;
  for (std::uint64_t seed = begin; seed < begin + seeds; ++seed) {
    ASSERT_NO_FATAL_FAILURE(compare(seed));
  }
}

INSTANTIATE_TEST_SUITE_P(Quarter, RandomChannel, testing::Range<std::uint64_t>(0, 4));

// Column commands that take response entries: a row command at the same edge, and entries that become usable at it.
TEST(RandomChannelCheck, ResponseEntriesChangeAtTheEdgeOfAColumnCommand_CDRAM11) {
  for (const std::uint64_t seed : {1059u, 1134u, 1200u, 1268u, 1351u}) ASSERT_NO_FATAL_FAILURE(compare(seed));
}

TEST(RandomChannelCheck, FindsAPlantedError) {
  Dice dice(7);
  ChannelConfig config;
  config.standard = standard("hbm2_2000");
  config.read_entries = 32;
  config.write_entries = config.high = 8;  // often full
  const std::vector<Burst> bursts = random_bursts(dice, config, 500);
  const PlainDramResult right = run_channel(config, bursts, 7);
  ASSERT_EQ(difference(right, run_plain_dram(config, bursts, hold_of)), "");
  PlainDramResult wrong = right;
  wrong.answers[77].waits[0] += 1_fs;
  EXPECT_NE(difference(right, wrong), "");
  wrong = right;
  wrong.answers[78].ready += 1_fs;
  EXPECT_NE(difference(right, wrong), "");
  for (const char* key : {"RCDRD", "RP", "CCDL", "RAS"}) {
    ChannelConfig other = config;
    ++timing_value(other.standard.timing, key);
    other.standard.timing.rc = std::max(other.standard.timing.rc, other.standard.timing.ras + other.standard.timing.rp);
    EXPECT_NE(difference(run_channel(other, bursts, 7), run_plain_dram(config, bursts, hold_of)), "") << key;
  }
}

}  // namespace
}  // namespace kb::test
