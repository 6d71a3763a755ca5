// One memory channel by itself under a known load: how fast it is computed, and what it gives, to be put beside other
// simulators (docs/validation/banks.md).
//   dram_speed LOAD [KEY=VALUE ...]
// Prints accesses of 32 B per CPU second, the simulated rate, and the mean latency of reads from their arrival to the
// end of their data, without front end and back end.
//
// Loads without times, as many bursts as keep the queue full:
//   sequential  reads of 256 B
//   random      reads of 32 B, with 256 entries of each direction
//   same-bank   reads of 32 B, each of another row of one bank, with 256 entries
//   copy        a read and a write of 256 B by turns, both sequential
//   mix         random reads and writes of 256 B
// Loads with times:
//   idle        a random read of 256 B each us
//   drawn       random reads of 256 B; in each ns one arrives with the probability that makes `gbs`
//   probe       reads of 32 B at equal distances that make `gbs`, from bank to bank; and one random read after the
//   other,
//               whose latency alone counts
// Keys: preset, bytes, entries (bursts of each direction), count, gbs, seed, refresh (per_bank, all_bank, none),
// frontend_ps, row_hit_cap.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/cube/dram/channel.h"

namespace kb {
namespace {

using namespace dram;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Settings {
  std::string kind, preset = "hbm2_2000", refresh = "per_bank";
  std::uint32_t bytes = 256;
  int entries = 32, row_hit_cap = 16;
  std::uint64_t count = 1'000'000, seed = 1;
  double gbs = 16;  // of drawn and probe
  TimeFs frontend = 8_ns;

  explicit Settings(const std::string& load_name) : kind(load_name) {
    if (kind == "random" || kind == "same-bank") bytes = 32, entries = 256;
    if (kind == "probe") bytes = 32, entries = 128;
  }
  bool is_timed() const { return kind == "idle" || kind == "drawn" || kind == "probe"; }
  void set(const std::string& key, const std::string& value) {
    if (key == "preset")
      preset = value;
    else if (key == "refresh")
      refresh = value;
    else if (key == "bytes")
      bytes = static_cast<std::uint32_t>(std::stoul(value));
    else if (key == "entries")
      entries = std::stoi(value);
    else if (key == "count")
      count = std::stoull(value);
    else if (key == "seed")
      seed = std::stoull(value);
    else if (key == "gbs")
      gbs = std::stod(value);
    else if (key == "row_hit_cap")
      row_hit_cap = std::stoi(value);
    else if (key == "frontend_ps")
      frontend = std::stoll(value) * 1000_fs;
    else
      throw std::invalid_argument("no key " + key);
  }
};

ChannelConfig config_of(const Settings& settings) {
  ChannelConfig config;
  config.standard = standard(settings.preset);
  config.read_entries = config.write_entries = settings.entries;
  config.high = settings.entries * 26 / 32;
  config.low = settings.entries * 6 / 32;
  config.response_entries = std::max(48, settings.entries / 4);
  config.frontend = settings.frontend;
  config.row_hit_cap = settings.row_hit_cap;
  if (settings.kind == "probe")
    config.map = "bg:2 bank:2 " + std::string(config.standard.geometry.sids > 1 ? "sid " : "") + "col:5 row";
  config.refresh = settings.refresh == "none"       ? RefreshMode::none
                   : settings.refresh == "all_bank" ? RefreshMode::all_bank
                                                    : RefreshMode::per_bank;
  return config;
}

constexpr std::uint64_t kProbe = 1;

// Addresses alternate between the pseudo-channels, but of random loads, which draw them.
class Load {
 public:
  Load(const Settings& settings, const Geometry& geometry)
      : settings_(settings),
        bytes_of_pc_(geometry.bytes_per_pc()),
        banks_(static_cast<std::uint64_t>(geometry.banks_per_pc())),
        seed_(settings.seed) {}

  // One of the random reads whose latency counts.
  Burst probe(TimeFs arrival) {
    Burst burst;
    burst.arrival = arrival;
    burst.bytes = settings_.bytes;
    burst.address = draw() % (bytes_of_pc_ / settings_.bytes) * settings_.bytes;
    burst.pc = static_cast<std::uint8_t>(draw() >> 9 & 1);
    burst.tag = kProbe;
    return burst;
  }
  // Loads without times arrive at `now`.
  Burst next(TimeFs now) {
    Burst burst;
    burst.arrival = settings_.is_timed() ? next_arrival() : now;
    burst.bytes = settings_.bytes;
    burst.pc = static_cast<std::uint8_t>(count_ % kPcs);
    const std::uint64_t number = count_++ / kPcs, half = bytes_of_pc_ / 2;
    if (settings_.kind == "probe") {
      burst.address = from_bank_to_bank(number) * kAccessBytes % bytes_of_pc_;
    } else if (settings_.kind == "sequential") {
      burst.address = number * settings_.bytes % bytes_of_pc_;
    } else if (settings_.kind == "copy") {
      burst.direction = number % 2 == 1 ? kWrite : kRead;
      burst.address = number / 2 * settings_.bytes % half + (burst.direction == kWrite ? half : 0);
    } else if (settings_.kind == "same-bank") {
      burst.address = draw() % (bytes_of_pc_ / kRowPitch) * kRowPitch;
    } else {
      burst.address = draw() % (bytes_of_pc_ / settings_.bytes) * settings_.bytes;
      burst.pc = static_cast<std::uint8_t>(draw() >> 9 & 1);
      if (settings_.kind == "mix") burst.direction = (draw() >> 7 & 1) == 1 ? kWrite : kRead;
    }
    return burst;
  }

 private:
  static constexpr std::uint64_t kAccessesOfRow = 32;
  static constexpr std::uint64_t kRowPitch = 1 << 14;  // 1 KB of each of 16 banks

  // The banks change their rows one after the other.
  std::uint64_t from_bank_to_bank(std::uint64_t number) const {
    const std::uint64_t bank = number % banks_;
    return (number / banks_ + bank * kAccessesOfRow / banks_) * banks_ + bank;
  }
  std::uint64_t draw() {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return seed_ >> 20;
  }
  TimeFs next_arrival() {
    if (settings_.kind == "probe")
      return TimeFs(static_cast<std::int64_t>(static_cast<double>(count_) * settings_.bytes * 1e6 / settings_.gbs));
    if (settings_.kind == "idle") return static_cast<std::int64_t>(count_) * 1000_ns;
    const double per_ns = settings_.gbs / settings_.bytes;
    while (static_cast<double>(draw() % 1'000'000) >= per_ns * 1e6) time_ += 1_ns;
    time_ += 1_ns;
    return time_;
  }

  const Settings& settings_;
  std::uint64_t bytes_of_pc_, banks_;
  std::uint64_t count_ = 0, seed_;
  TimeFs time_ = 0_fs;
};

class Run {
 public:
  Run(const Settings& settings, const ChannelConfig& config)
      : settings_(settings),
        around_(config.frontend + config.backend),
        step_(config.frontend),
        channel_(config),
        load_(settings, config.standard.geometry) {}

  // A load without times keeps so many bursts under way that the queue is always full. The flit of a read leaves at
  // once.
  void run() {
    coming_ = load_.next(0_fs);
    if (settings_.kind == "probe") probe_ = load_.probe(0_fs);
    for (TimeFs now = 0_fs; answered_ < settings_.count; now += step_) {
      push_until(now);
      for (; !releases_.empty() && releases_.top() <= now.fs(); releases_.pop())
        channel_.release_response(TimeFs(releases_.top()));
      channel_.advance(now);
      for (const Answer& answer : channel_.answers()) take(answer);
    }
  }
  double gbs() const { return static_cast<double>(answered_) * settings_.bytes / fs_to_ns(end_); }
  double latency_ns() const { return fs_to_ns(latency_) / static_cast<double>(reads_); }

 private:
  void push_until(TimeFs now) {
    const std::uint64_t depth = static_cast<std::uint64_t>(settings_.entries) * 2 + 64;
    for (; pushed_ < settings_.count && coming_.arrival <= now; ++pushed_) {
      if (!settings_.is_timed() && pushed_ - answered_ >= depth) return;
      if (!settings_.is_timed()) coming_.arrival = now;
      push_probe(coming_.arrival);
      channel_.push(coming_);
      coming_ = load_.next(now);
    }
    push_probe(now);
  }
  void push_probe(TimeFs until) {
    if (probe_.bytes == 0 || probe_.arrival > until) return;
    channel_.push(probe_);
    probe_.bytes = 0;
  }
  void take(const Answer& answer) {
    const bool read = answer.burst.direction == kRead, probe = answer.burst.tag == kProbe;
    if (answer.holds_response) releases_.push(answer.ready.fs());
    if (probe) probe_ = load_.probe(answer.ready - around_);
    if (!probe) ++answered_;
    end_ = std::max(end_, answer.ready);
    if (!read || (settings_.kind == "probe" && !probe)) return;
    ++reads_;
    latency_ += answer.ready - answer.burst.arrival - around_;
  }

  const Settings& settings_;
  const TimeFs around_, step_;
  Channel channel_;
  Load load_;
  Burst coming_, probe_;  // probe_ without bytes: it is under way
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> releases_;
  std::uint64_t pushed_ = 0, answered_ = 0, reads_ = 0;
  TimeFs end_ = 0_fs, latency_ = 0_fs;  // latency_: sum
};

void measure(const Settings& settings) {
  Run run(settings, config_of(settings));
  const double begin = cpu_seconds();
  run.run();
  const double seconds = cpu_seconds() - begin;
  const double accesses = static_cast<double>(settings.count) * settings.bytes / kAccessBytes;
  std::printf("accesses_per_cpu_s\t%.0f\ngbs\t%.2f\nlatency_ns\t%.1f\n", accesses / seconds, run.gbs(),
              run.latency_ns());
}

}  // namespace
}  // namespace kb

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  const char* const kinds[] = {"sequential", "random", "same-bank", "copy", "mix", "idle", "drawn", "probe"};
  try {
    if (std::find(std::begin(kinds), std::end(kinds), kind) == std::end(kinds)) throw std::invalid_argument("no load");
    kb::Settings settings(kind);
    for (int i = 2; i < argc; ++i) {
      const std::string word = argv[i];
      settings.set(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
    }
    kb::measure(settings);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(
        stderr,
        "dram_speed: %s\nusage: dram_speed sequential | random | same-bank | copy | mix | idle | drawn | probe "
        "[preset=NAME] [bytes=N] [entries=N] [count=N] [gbs=RATE] [seed=N] [refresh=NAME] [frontend_ps=N] "
        "[row_hit_cap=N]\n",
        error.what());
    return 2;
  }
}
