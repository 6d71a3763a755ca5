#include "sw/serving/timeline.h"

#include <gtest/gtest.h>

#include "tests/unit/serving/recorded_server.h"

namespace kb::serving {
namespace {

TEST(Timeline, EverySecondHasARow) {  // M-76
  std::vector<Second> seconds;
  Timeline timeline(10, [&](const Second& second) { seconds.push_back(second); });
  VllmLimits limits;
  limits.blocks = 10;
  VllmPolicy policy(limits);
  StatedTimes times([](const Batch&) { return kSecond * 6 / 10; });
  // Steps: 0.5 to 1.1 (input), 1.1 to 1.7, idle, 3.0 to 3.6.
  const std::vector<Request> requests = {request(kSecond / 2, 20, 2), request(3 * kSecond, 5, 1)};
  Server server(requests, policy, times);
  server.add_observer(timeline);
  server.run();
  timeline.finish();
  ASSERT_EQ(seconds.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(seconds[i].t, static_cast<std::int64_t>(i) + 1);
  EXPECT_EQ(seconds[0].running, 1u);
  EXPECT_DOUBLE_EQ(seconds[0].used_share, 0.2);
  EXPECT_EQ(seconds[0].input_tokens, 0);  // its step ends in the next second
  EXPECT_EQ(seconds[1].input_tokens, 20);
  EXPECT_EQ(seconds[1].output_tokens, 2);
  EXPECT_EQ(seconds[1].running, 0u);
  EXPECT_EQ(seconds[2].input_tokens + seconds[2].output_tokens, 0);
  EXPECT_EQ(seconds[3].input_tokens, 5);
  EXPECT_EQ(seconds[3].output_tokens, 1);
}

TEST(Timeline, WaitingRequestsAreCounted) {  // M-76
  std::vector<Second> seconds;
  Timeline timeline(2, [&](const Second& second) { seconds.push_back(second); });
  VllmLimits limits;
  limits.blocks = 2;
  VllmPolicy policy(limits);
  StatedTimes times([](const Batch&) { return kSecond + 1; });
  const std::vector<Request> requests = {request(0, 32, 1), request(0, 32, 1), request(0, 32, 1)};
  Server server(requests, policy, times);
  server.add_observer(timeline);
  server.run();
  timeline.finish();
  ASSERT_EQ(seconds.size(), 4u);
  EXPECT_EQ(seconds[0].waiting, 2u);
  EXPECT_EQ(seconds[1].waiting, 1u);
  EXPECT_EQ(seconds[2].waiting, 0u);
  EXPECT_DOUBLE_EQ(seconds[0].used_share, 1.0);
}

}  // namespace
}  // namespace kb::serving
