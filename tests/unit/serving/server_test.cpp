#include "sw/serving/server.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "sw/serving/statistics.h"
#include "tests/unit/serving/recorded_server.h"

namespace kb::serving {
namespace {

using testing::ElementsAre;

VllmLimits wide() {
  VllmLimits limits;
  limits.blocks = 1000;
  return limits;
}

TEST(Server, TheClockJumpsOverIdleHours) {  // M-71
  constexpr std::int64_t kHour = 3'600'000'000'000;
  const RecordedRun run = serve({request(7, 3, 1), request(kHour, 3, 2)}, wide());
  ASSERT_EQ(run.recorder.steps.size(), 3u);
  EXPECT_EQ(run.recorder.steps[0].begin_ns, 7);
  EXPECT_EQ(run.recorder.steps[1].begin_ns, kHour);
  EXPECT_EQ(run.recorder.finished.at(1).last_token_ns, kHour + 200);
}

TEST(Server, RequestsArriveBetweenSteps) {  // M-71
  const RecordedRun run = serve({request(0, 3, 1), request(100, 3, 1), request(101, 3, 1)}, wide());
  EXPECT_EQ(run.recorder.finished.at(1).scheduled_ns, 100);  // at the end of a step is in time
  EXPECT_EQ(run.recorder.finished.at(2).scheduled_ns, 200);
}

TEST(Server, EqualTimesKeepTheOrderOfTheTraceAndOthersAreSorted) {  // M-71
  VllmLimits limits = wide();
  limits.max_seqs = 1;
  const RecordedRun run = serve({request(500, 2, 1), request(300, 2, 1), request(500, 2, 1)}, limits);
  EXPECT_THAT(run.recorder.order, ElementsAre(1, 0, 2));
}

TEST(Server, TheNextCallOfASessionArrivesAfterItsPause) {  // M-68
  std::vector<Request> calls = {request(10, 4, 2), request(0, 8, 1), request(0, 2, 1)};
  calls[0].next = 1;
  calls[0].pause_ns = 1000;
  calls[1].waits = true;
  calls[1].next = 2;
  calls[2].waits = true;
  const RecordedRun run = serve(calls, wide());
  EXPECT_EQ(run.recorder.finished.at(0).last_token_ns, 210);
  EXPECT_EQ(run.recorder.finished.at(1).arrival_ns, 1210);
  EXPECT_EQ(run.recorder.finished.at(2).arrival_ns, 1310);
}

TEST(Server, TimesOfARequest) {  // M-74, M-75
  VllmLimits limits = wide();
  limits.max_tokens = 8;
  const RecordedRun run = serve({request(0, 8, 1), request(30, 12, 3)}, limits);
  const Recorder::Finished& job = run.recorder.finished.at(1);
  EXPECT_EQ(job.scheduled_ns, 100);
  EXPECT_EQ(job.last_prefill_ns, 200);
  EXPECT_EQ(job.first_token_ns, 300);
  EXPECT_EQ(job.last_token_ns, 500);
  EXPECT_THAT(job.gaps_ns, ElementsAre(100, 100));
  EXPECT_EQ(run.recorder.later_tokens, 2);
}

TEST(Server, StatisticsAddUp) {  // M-74
  Statistics statistics;
  VllmLimits limits = wide();
  limits.max_tokens = 8;
  VllmPolicy policy(limits);
  StatedTimes times([](const Batch&) { return 100; });
  const std::vector<Request> requests = {request(0, 8, 1), request(30, 12, 3)};
  Server server(requests, policy, times);
  server.add_observer(statistics);
  server.run();
  EXPECT_EQ(statistics.steps, 5);
  EXPECT_EQ(statistics.busy_ns, 500);
  EXPECT_EQ(statistics.computed_tokens, 8 + 12 + 2);
  EXPECT_EQ(statistics.input_tokens, 20);
  EXPECT_EQ(statistics.output_tokens, 4);
  EXPECT_EQ(statistics.first_token.mean(), (100 + 270) / 2.0);
  EXPECT_EQ(statistics.per_token.mean(), 100);  // requests of one token have none
  EXPECT_EQ(statistics.per_token.count(), 1u);
  EXPECT_EQ(statistics.gaps.count(), 2u);
  EXPECT_EQ(statistics.queuing.most(), 70);
  EXPECT_EQ(statistics.latency.most(), 470);
  EXPECT_DOUBLE_EQ(statistics.seconds(), 500e-9);
  EXPECT_DOUBLE_EQ(statistics.output_tokens_per_s(), 4 / 500e-9);
  EXPECT_DOUBLE_EQ(statistics.requests_per_s(), 2 / 500e-9);
  EXPECT_EQ(statistics.most_running, 1u);
  EXPECT_EQ(statistics.most_used_blocks, 1);
  EXPECT_DOUBLE_EQ(statistics.mean_used_blocks(), 1.0);
}

class LazyPolicy final : public IBatchPolicy {
 public:
  void arrive(Job&) override { ++waiting_; }
  void plan(Batch& batch) override { batch.clear(); }
  void finish(Job&) override {}
  std::size_t running() const override { return 0; }
  std::size_t waiting() const override { return waiting_; }
  std::int64_t blocks() const override { return 1; }
  std::int64_t used_blocks() const override { return 0; }
  const PolicyCounts& counts() const override { return counts_; }
  std::vector<std::string> abstractions() const override { return {}; }

 private:
  std::size_t waiting_ = 0;
  PolicyCounts counts_;
};

TEST(Server, APolicyThatPlansNothingIsAnError) {  // M-81
  LazyPolicy policy;
  StatedTimes times([](const Batch&) { return 1; });
  const std::vector<Request> requests = {request(0, 1, 1)};
  Server server(requests, policy, times);
  EXPECT_THROW(server.run(), Error);
}

}  // namespace
}  // namespace kb::serving
