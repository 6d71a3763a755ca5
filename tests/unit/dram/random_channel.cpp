#include "tests/unit/dram/random_channel.h"

#include <algorithm>
#include <map>

namespace kb::test {

using namespace dram;

namespace {

void shake_timing(Dice& dice, Standard& standard) {
  for (const std::string& key : timing_keys()) {
    int& value = timing_value(standard.timing, key);
    if (key == "REFI" || key == "RFC" || key == "RFCPB") continue;
    if (dice.below(2) == 0) value = std::max(value > 0 ? 1 : 0, value * dice.between(50, 160) / 100);
  }
  Timing& t = standard.timing;
  t.rc = std::max(t.rc, t.ras + t.rp);
  t.ccds = std::max(t.ccds, t.bl);
  t.ccdl = std::max(t.ccdl, t.ccds);
  t.rrdl = std::max(t.rrdl, t.rrds);
  t.faw = std::max(t.faw, t.rrds);
  t.wtrl = std::max(t.wtrl, t.wtrs);
  t.rtw = std::max(t.rtw, t.cl + t.bl - t.cwl);
  t.rfcpb = dice.between(20, 100);
  t.rfc = dice.between(50, 400);
  t.rrefd = std::min(t.rrefd, 12);
}

std::string random_map(Dice& dice, const Geometry& g) {
  const int groups = __builtin_ctz(static_cast<unsigned>(g.bank_groups)),
            banks = __builtin_ctz(static_cast<unsigned>(g.banks));
  const auto field = [](const char* name, int bits) { return std::string(name) + ":" + std::to_string(bits); };
  switch (dice.below(4)) {
    case 0:
      return "";
    case 1:
      return field("bg", groups) + " col:5 " + field("bank", banks) + " sid row";
    case 2:
      return "col:1 " + field("bg", groups) + " sid col:4 " + field("bank", banks) + " row";
    default:
      return "sid col:2 " + field("bank", banks - 1) + " " + field("bg", groups) + " bank:1 col:3 row";
  }
}

}  // namespace

ChannelConfig random_channel(Dice& dice) {
  ChannelConfig c;
  c.standard = standard(standard_names()[dice.below(5)]);
  if (dice.below(3) != 0) c.standard.geometry.sids = dice.between(1, c.standard.pre_step == 1 ? 4 : 2);
  if (dice.below(2) == 0) shake_timing(dice, c.standard);
  if (dice.below(4) == 0) c.standard.tck = dice.one_of({1'000'000_fs, 714'286_fs, 400'000_fs});
  c.map = random_map(dice, c.standard.geometry);
  c.hash = dice.one_of({BankHash::none, BankHash::xor_row});
  c.pages = dice.one_of({PagePolicy::open, PagePolicy::open, PagePolicy::closed, PagePolicy::timeout});
  c.timeout_ticks = dice.between(1, 200);
  c.refresh = dice.one_of({RefreshMode::per_bank, RefreshMode::per_bank, RefreshMode::all_bank, RefreshMode::none});
  c.postpone = dice.one_of({0, 0, 1, 3, 8});
  c.drain = dice.one_of({Drain::watermark, Drain::watermark, Drain::oldest});
  c.read_entries = dice.one_of({1, 2, 7, 32, 64});
  c.write_entries = dice.one_of({1, 4, 32, 50});
  c.high = dice.between(1, c.write_entries);
  c.low = dice.between(0, c.high - 1);
  c.frontend = dice.one_of({8_ns, 16_ns, 3'333'333_fs});
  c.backend = dice.one_of({6_ns, 0_ns, 1'234'567_fs});
  c.response_entries = dice.one_of({1, 2, 4, 16, 64});
  c.row_hit_cap = dice.one_of({1, 4, 16, 1000});
  c.write_ack = dice.one_of({WriteAck::committed, WriteAck::committed, WriteAck::accepted});
  return c;
}

std::vector<Burst> random_bursts(Dice& dice, const ChannelConfig& config, std::size_t count) {
  std::vector<Burst> bursts;
  const std::uint64_t bytes_of_pc = config.standard.geometry.bytes_per_pc();
  const std::uint64_t window = dice.one_of<std::uint64_t>({4096, 1 << 16, bytes_of_pc});
  const std::uint64_t most = dice.one_of<std::uint64_t>({32, 256, 256});
  const int writes = dice.one_of({0, 30, 50, 100}), sequential = dice.one_of({0, 60, 100}),
            gap = dice.one_of({0, 2, 8, 30});
  TimeFs now = TimeFs(static_cast<std::int64_t>(dice.below(5'000'000)));
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Burst burst;
    burst.tag = i;
    burst.transaction = i / 3 + 1;
    if (dice.below(400) == 0) now += TimeFs(static_cast<std::int64_t>(dice.below(3'000'000'000)));
    now += TimeFs(static_cast<std::int64_t>(dice.below(static_cast<std::uint64_t>(gap) * 1'000'000 + 1)));
    burst.arrival = now;
    burst.direction = dice.between(0, 99) < writes ? kWrite : kRead;
    burst.pc = static_cast<std::uint8_t>(dice.below(2));
    const bool whole = dice.below(4) != 0;
    burst.bytes = static_cast<std::uint32_t>(whole ? most : 1 + dice.below(most));
    std::uint64_t address = dice.between(0, 99) < sequential ? next : dice.below(window);
    if (whole) address = address / most * most;
    if (address % 32 + burst.bytes > 256) burst.bytes = static_cast<std::uint32_t>(256 - address % 32);
    if (address + burst.bytes > window) address = 0;
    burst.address = address;
    next = address + burst.bytes;
    bursts.push_back(burst);
  }
  return bursts;
}

TimeFs hold_of(const Burst& burst) {
  return TimeFs(static_cast<std::int64_t>(burst.tag * 2'654'435'761u % 60'000'000));
}

namespace {

class CommandList final : public CommandSink {
 public:
  explicit CommandList(std::vector<IssuedCommand>& to) : to_(to) {}
  void on_command(const IssuedCommand& command) override { to_.push_back(command); }

 private:
  std::vector<IssuedCommand>& to_;
};

}  // namespace

PlainDramResult run_channel(const ChannelConfig& config, const std::vector<Burst>& bursts, std::uint64_t seed) {
  PlainDramResult result;
  result.answers.resize(bursts.size());
  CommandList list(result.commands);
  Channel channel(config);
  channel.trace_to(&list);
  Dice dice(seed);
  const Timing& t = config.standard.timing;
  const TimeFs longest = config.frontend + (t.cl + t.bl) * config.standard.tck;
  std::multimap<TimeFs, int> releases;
  std::size_t next = 0, answered = 0;
  for (TimeFs now = 0_fs; answered < bursts.size();) {
    for (; next < bursts.size() && bursts[next].arrival <= now; ++next) channel.push(bursts[next]);
    for (; !releases.empty() && releases.begin()->first <= now; releases.erase(releases.begin())) {
      channel.release_response(releases.begin()->first);
    }
    channel.advance(now);
    for (const Answer& answer : channel.answers()) {
      result.answers[answer.burst.tag] = answer;
      ++answered;
      if (answer.holds_response) releases.emplace(answer.ready + hold_of(answer.burst), 0);
    }
    for (const FreedEntry& freed : channel.freed()) result.freed.push_back(freed.time);
    const TimeFs wake = channel.next_wake();
    TimeFs soon = now + TimeFs(static_cast<std::int64_t>(dice.below(static_cast<std::uint64_t>(longest.fs()))));
    if (wake != kNever && dice.below(2) == 0 && wake > now) soon = std::min(soon, wake);
    if (wake == kNever && next < bursts.size() && releases.empty()) soon = std::max(now, bursts[next].arrival);
    now = std::max(now + 1_fs, soon);
  }
  result.statistics = channel.statistics();
  return result;
}

}  // namespace kb::test
