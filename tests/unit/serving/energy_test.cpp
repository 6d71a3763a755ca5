#include "sw/serving/energy.h"

#include <gtest/gtest.h>

#include "sw/serving/statistics.h"
#include "sw/serving/timeline.h"
#include "tests/unit/serving/recorded_server.h"

namespace kb::serving {
namespace {

// Steps of 0.6 s and 6 J, on a device of 1 W.
class StatedJoules final : public IStepTime {
 public:
  std::int64_t step_ns(const Batch&) override { return kSecond * 6 / 10; }
  std::optional<StepEnergy> step_energy(const Batch&) override { return StepEnergy{{6, 3, 12}, {1, 0.5, 2}}; }
  std::vector<std::string> abstractions() const override { return {}; }
};

struct Finished final : public IServerObserver {
  void on_step(const StepRecord&) override {}
  void on_token(std::int64_t) override {}
  void on_finished(const Job& job) override { joules.push_back(job.joules); }
  std::vector<double> joules;
};

class ServedEnergyTest : public testing::Test {
 protected:
  void serve(const std::vector<Request>& requests) {
    VllmLimits limits;
    limits.blocks = 10;
    VllmPolicy policy(limits);
    StatedJoules times;
    Server server(requests, policy, times);
    for (IServerObserver* const observer : std::vector<IServerObserver*>{&statistics_, &timeline_, &finished_}) {
      server.add_observer(*observer);
    }
    server.run();
    timeline_.finish();
  }

  Statistics statistics_;
  std::vector<double> seconds_;
  Timeline timeline_{10, [this](const Second& second) { seconds_.push_back(second.joules); }};
  Finished finished_;
};

// Steps: 0.5 to 1.1, 1.1 to 1.7, idle, 3.0 to 3.6.
TEST_F(ServedEnergyTest, StaticPowerCountsWhileTheServerIsIdle) {  // M-138
  serve({request(kSecond / 2, 20, 2), request(3 * kSecond, 5, 1)});
  const Joules joules = statistics_.joules().value();
  EXPECT_DOUBLE_EQ(joules.value, 3 * 6 + 3.1 * 1);
  EXPECT_DOUBLE_EQ(joules.low, 3 * 3 + 3.1 * 0.5);
  EXPECT_DOUBLE_EQ(joules.high, 3 * 12 + 3.1 * 2);
  ASSERT_EQ(seconds_.size(), 4u);
  EXPECT_DOUBLE_EQ(seconds_[0], 0.5 * 10 + 0.5);  // 6 J in 0.6 s: 10 W
  EXPECT_DOUBLE_EQ(seconds_[1], 0.7 * 10 + 1);
  EXPECT_DOUBLE_EQ(seconds_[2], 1);
  EXPECT_DOUBLE_EQ(seconds_[3], 0.6 * 10 + 0.6);
}

// Steps: 20 and 5 tokens together, then one token of the first request.
TEST_F(ServedEnergyTest, RequestsShareAStepByTheirNewTokens) {  // M-138
  serve({request(0, 20, 2), request(0, 5, 1)});
  ASSERT_EQ(finished_.joules.size(), 2u);
  EXPECT_DOUBLE_EQ(finished_.joules[0], 6.6 * 5 / 25);
  EXPECT_DOUBLE_EQ(finished_.joules[1], 6.6 * 20 / 25 + 6.6);
}

TEST(ServedEnergy, WithoutItThereIsNone) {  // M-138
  Statistics statistics;
  VllmLimits limits;
  limits.blocks = 10;
  VllmPolicy policy(limits);
  StatedTimes times([](const Batch&) { return 100; });
  const std::vector<Request> requests = {request(0, 20, 2)};
  Server server(requests, policy, times);
  server.add_observer(statistics);
  server.run();
  EXPECT_FALSE(statistics.joules());
}

}  // namespace
}  // namespace kb::serving
