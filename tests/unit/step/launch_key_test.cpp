// Keys of launches (M-93).
#include "sim/study/step/launch_key.h"

#include <gtest/gtest.h>

#include "tests/unit/step/small_step.h"

namespace kb::step {
namespace {

struct Keys {
  explicit Keys(const SmallStep& step, const std::string& identity = "a")
      : step_(step), keys(step.program, step.machine, step.machine, identity) {}

  std::string key(const std::string& name, std::int64_t layer, std::int64_t rank = 0) const {
    for (std::size_t at = 0; at < step_.program.launches.size(); ++at) {
      const sw::ProgramLaunch& launch = step_.program.launches[at];
      if (launch.name == name && launch.layer == layer) return keys.launch(at, rank);
    }
    return "";
  }

  const SmallStep& step_;
  LaunchKeys keys;
};

TEST(LaunchKey, LayersAndSipsAreEqual_M93) {
  const SmallStep step("llama", "decode", 2);
  const Keys keys(step);
  for (const char* name : {"rope_append", "attend", "o", "gate_up", "down"}) {
    EXPECT_EQ(keys.key(name, 0), keys.key(name, 1)) << name;
    EXPECT_EQ(keys.key(name, 1), keys.key(name, 1, 1)) << name;
  }
  EXPECT_NE(keys.key("qkv", 0), keys.key("qkv", 1)) << "the first has no residual";
  EXPECT_NE(keys.key("embed", -1, 0), keys.key("embed", -1, 1)) << "rows of the table differ";
}

TEST(LaunchKey, ATensorThatLiesOtherwiseMisses_M93) {
  const SmallStep step("llama", "decode", 1);
  SmallStep moved("llama", "decode", 1);
  for (sw::ProgramTensor& tensor : moved.program.tensors) {
    if (tensor.name == "layers.1.o.weight") tensor.offset += 256;
  }
  const Keys keys(step), other(moved);
  EXPECT_EQ(keys.key("o", 1), keys.key("o", 0));
  EXPECT_NE(other.key("o", 1), other.key("o", 0));
  EXPECT_EQ(other.key("down", 1), keys.key("down", 1));
}

TEST(LaunchKey, ContentsThatKernelsReadAsNumbersCount_M93) {
  const SmallStep step("llama", "decode", 1);
  SmallStep later("llama", "decode", 1);
  for (sw::ProgramTensor& tensor : later.program.tensors) {
    if (tensor.name == "positions") tensor.numbers[0] += 1;
  }
  EXPECT_NE(Keys(step).key("rope_append", 0), Keys(later).key("rope_append", 0));
  EXPECT_EQ(Keys(step).key("o", 0), Keys(later).key("o", 0));
}

TEST(LaunchKey, ProgramAndMachineCount_M93) {
  const SmallStep step("llama", "decode", 1), other("llama", "decode", 1, "1", "hbm3");
  EXPECT_NE(Keys(step).key("o", 0), Keys(step, "b").key("o", 0));
  EXPECT_NE(Keys(step).key("o", 0), Keys(other).key("o", 0));
}

TEST(LaunchKey, SumsCountTheStartsOfTheSips_M93) {
  const SmallStep step("llama", "decode", 2);
  const LaunchKeys keys(step.program, step.machine, step.machine, "a");
  std::vector<std::size_t> sums;
  for (std::size_t at = 0; at < step.program.launches.size(); ++at) {
    if (step.program.launches[at].name == "attention.all_reduce") sums.push_back(at);
  }
  EXPECT_EQ(keys.sum(sums.at(0), {0_fs, 5_fs}), keys.sum(sums.at(1), {0_fs, 5_fs}));
  EXPECT_NE(keys.sum(sums.at(0), {0_fs, 5_fs}), keys.sum(sums.at(0), {5_fs, 0_fs}));
}

}  // namespace
}  // namespace kb::step
