// Random channels of a memory with banks, random bursts for them, and a run of the channel with a consumer of its
// answers.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "modules/cube/dram/channel.h"
#include "tests/support/plain_dram.h"

namespace kb::test {

// Uniform numbers that do not depend on the standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t count) { return engine_() % count; }
  int between(int least, int most) {
    return least + static_cast<int>(below(static_cast<std::uint64_t>(most - least + 1)));
  }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

dram::ChannelConfig random_channel(Dice& dice);
std::vector<dram::Burst> random_bursts(Dice& dice, const dram::ChannelConfig& config, std::size_t count);
// How long the flit of a read stays behind its return edge.
TimeFs hold_of(const dram::Burst& burst);

// Runs the channel with calls of advance() at odd times.
PlainDramResult run_channel(const dram::ChannelConfig& config, const std::vector<dram::Burst>& bursts,
                            std::uint64_t seed);

}  // namespace kb::test
