#include "sim/study/requests/step_samples.h"

#include <gtest/gtest.h>

namespace kb::requests {
namespace {

std::vector<SampledStep> samples_of(std::int64_t steps, std::size_t count) {
  StepSamples samples(count);
  for (std::int64_t i = 0; i < steps; ++i) {
    const serving::Batch batch{{nullptr, 1, i}};
    serving::StepRecord record;
    record.begin_ns = 10 * i;
    record.end_ns = 10 * i + 3 + i;
    record.batch = &batch;
    samples.on_step(record);
  }
  EXPECT_EQ(samples.steps(), steps);
  return samples.steps_chosen();
}

TEST(StepSamples, AllOfAShortRun_M136) {
  const std::vector<SampledStep> all = samples_of(5, 9);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[4].number, 4);
  EXPECT_EQ(all[4].ns, 7);
  EXPECT_EQ(all[4].batch.at(0).past, 4);
}

TEST(StepSamples, ALongRunIsCoveredEvenly_M136) {
  for (const std::int64_t steps : {100, 999, 12345}) {
    const std::vector<SampledStep> chosen = samples_of(steps, 10);
    ASSERT_EQ(chosen.size(), 10u);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(chosen[i].number), static_cast<double>(steps) * static_cast<double>(i) / 10,
                  static_cast<double>(steps) * 0.06);
    }
  }
}

}  // namespace
}  // namespace kb::requests
