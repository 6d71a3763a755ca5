// The scheduler beside an oracle of plain lists, step by step.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/plain_serving.h"
#include "tests/unit/serving/recorded_server.h"

namespace kb::serving {
namespace {

struct RandomTrace {
  std::vector<Request> requests;
  std::vector<test::PlainRequest> plain;
  VllmLimits limits;
};

// Few blocks and texts that often begin alike, so that preemptions and hits are frequent.
RandomTrace random_trace(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  RandomTrace trace;
  VllmLimits& limits = trace.limits;
  limits.block_size = draw(1, 8);
  limits.blocks = draw(6, 40);
  limits.max_seqs = draw(1, 12);
  limits.max_tokens = draw(1, 40);
  limits.prefix_cache = draw(0, 3) > 0;
  const std::int64_t most = limits.blocks * limits.block_size;
  const std::int64_t count = draw(1, 40);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> numbers;  // of texts: the text before and a block
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t input = draw(1, std::max<std::int64_t>(1, most * 2 / 3));
    const std::int64_t output = draw(1, std::min<std::int64_t>(20, most - input + 1));
    std::vector<std::int64_t> contents;
    std::int64_t text = -draw(1, 3);
    for (std::int64_t block = 0; block < (input + output) / limits.block_size; ++block) {
      const std::int64_t tokens = draw(0, 5) == 0 ? draw(1, 6) : 0;
      text = numbers.emplace(std::pair(text, tokens), static_cast<std::int64_t>(numbers.size())).first->second;
      contents.push_back(text);
    }
    const std::int64_t arrival = draw(0, 1) == 0 ? draw(0, 20'000) : 100 * draw(0, 200);
    trace.requests.push_back(request(arrival, input, output, contents));
    trace.plain.push_back({arrival, input, output, contents});
  }
  return trace;
}

TEST(VllmPolicyRandom, EqualsPlainListsStepByStep) {  // M-71, M-72, M-73
  std::int64_t preemptions = 0, hits = 0, resumed_hits = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTrace trace = random_trace(seed);
    Recorder recorder;
    VllmPolicy policy(trace.limits);
    StatedTimes times([](const Batch& batch) {
      std::int64_t ns = 50;
      for (const BatchEntry& entry : batch) ns += 11 * entry.new_tokens + entry.past;
      return ns;
    });
    Server server(trace.requests, policy, times);
    server.add_observer(recorder);
    server.keep_gaps();
    server.run();
    const VllmLimits& limits = trace.limits;
    const test::PlainServed plain = test::serve_plainly(
        trace.plain, {limits.blocks, limits.block_size, limits.max_seqs, limits.max_tokens, limits.prefix_cache},
        [](const test::PlainBatch& batch) {
          std::int64_t ns = 50;
          for (const auto& [id, tokens, past] : batch) ns += 11 * tokens + past;
          return ns;
        });
    ASSERT_EQ(recorder.batches, plain.batches);
    for (const auto& [id, job] : recorder.finished) {
      const std::vector<std::int64_t>& tokens = plain.token_times[static_cast<std::size_t>(id)];
      ASSERT_EQ(job.first_token_ns, tokens.front());
      ASSERT_EQ(job.last_token_ns, tokens.back());
      ASSERT_EQ(job.gaps_ns.size() + 1, tokens.size());
      for (std::size_t i = 0; i < job.gaps_ns.size(); ++i) ASSERT_EQ(job.gaps_ns[i], tokens[i + 1] - tokens[i]);
    }
    EXPECT_EQ(recorder.finished.size(), trace.requests.size());
    EXPECT_EQ(policy.counts().preemptions, plain.preemptions);
    EXPECT_EQ(policy.counts().recomputed_tokens, plain.recomputed);
    EXPECT_EQ(policy.counts().hit_tokens, plain.hit_tokens);
    preemptions += plain.preemptions;
    hits += plain.hit_tokens;
    resumed_hits += plain.recomputed;
  }
  // Traces without them would show little.
  EXPECT_GT(preemptions, 1000);
  EXPECT_GT(hits, 1000);
  EXPECT_GT(resumed_hits, 1000);
}

}  // namespace
}  // namespace kb::serving
