// Speed of one memory channel by itself, with a deep queue:
//   dram_speed sequential | random | copy [PRESET]
// sequential: reads of 256 B; random: reads of 32 B with 256 entries; copy: sequential reads and writes of 256 B by
// turns. Prints accesses of 32 B per CPU second and the simulated rate.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <queue>
#include <string>

#include "modules/cube/dram/channel.h"

namespace kb {
namespace {

using namespace dram;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Load {
 public:
  Load(const std::string& kind, const ChannelConfig& config)
      : random_(kind == "random"), copy_(kind == "copy"), bytes_of_pc_(config.standard.geometry.bytes_per_pc()) {}

  Burst next(TimeFs now) {
    Burst burst;
    burst.arrival = now;
    burst.pc = static_cast<std::uint8_t>(count_ % kPcs);
    burst.bytes = bytes();
    burst.direction = copy_ && count_ / kPcs % 2 == 1 ? kWrite : kRead;
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    burst.address =
        random_ ? (seed_ >> 20) % (bytes_of_pc_ / 32) * 32 : count_ / (copy_ ? 4 : 2) * 256 % (bytes_of_pc_ / 2);
    if (burst.direction == kWrite) burst.address += bytes_of_pc_ / 2;
    ++count_;
    return burst;
  }
  std::uint32_t bytes() const { return random_ ? 32 : 256; }

 private:
  bool random_, copy_;
  std::uint64_t bytes_of_pc_;
  std::uint64_t count_ = 0, seed_ = 1;
};

// Returns the time when all bursts are answered.
TimeFs run(Channel& channel, Load& load, std::uint64_t count, std::uint64_t depth) {
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> releases;
  std::uint64_t pushed = 0, answered = 0;
  TimeFs end = 0_fs;
  for (TimeFs now = 0_fs; answered < count; now += 8_ns) {
    for (; pushed < count && pushed - answered < depth; ++pushed) channel.push(load.next(now));
    for (; !releases.empty() && releases.top() <= now.fs(); releases.pop())
      channel.release_response(TimeFs(releases.top()));
    channel.advance(now);
    for (const Answer& answer : channel.answers()) {
      ++answered;
      end = std::max(end, answer.ready);
      if (answer.burst.direction == kRead) releases.push(answer.ready.fs());
    }
  }
  return end;
}

int measure(const std::string& kind, const std::string& preset) {
  ChannelConfig config;
  config.standard = standard(preset);
  if (kind == "random") config.read_entries = 256, config.response_entries = 64;
  Channel channel(config);
  Load load(kind, config);
  const std::uint64_t count = 1'000'000;
  const double begin = cpu_seconds();
  const TimeFs end = run(channel, load, count, static_cast<std::uint64_t>(config.read_entries) + 64);
  const double seconds = cpu_seconds() - begin;
  const double bytes = static_cast<double>(count) * load.bytes();
  std::printf("accesses_per_cpu_s\t%.0f\ngbs\t%.2f\n", bytes / kAccessBytes / seconds, bytes / fs_to_ns(end));
  return 0;
}

}  // namespace
}  // namespace kb

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  if (kind != "sequential" && kind != "random" && kind != "copy") {
    std::fprintf(stderr, "usage: dram_speed sequential | random | copy [PRESET]\n");
    return 2;
  }
  return kb::measure(kind, argc > 2 ? argv[2] : "hbm2_2000");
}
