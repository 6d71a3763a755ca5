#include "sw/serving/vllm_policy.h"

#include <gtest/gtest.h>

#include "tests/unit/serving/recorded_server.h"

namespace kb::serving {
namespace {

using Batches = std::vector<RecordedBatch>;

VllmLimits limits(std::int64_t blocks, bool prefix_cache = false) {
  VllmLimits all;
  all.blocks = blocks;
  all.block_size = 4;
  all.max_seqs = 4;
  all.max_tokens = 8;
  all.prefix_cache = prefix_cache;
  return all;
}

TEST(VllmPolicy, LongInputsAreComputedInPiecesOfTheBudget) {  // M-72
  const RecordedRun run = serve({request(0, 18, 2)}, limits(10));
  EXPECT_EQ(run.recorder.batches, (Batches{{{0, 8, 0}}, {{0, 8, 8}}, {{0, 2, 16}}, {{0, 1, 18}}}));
}

TEST(VllmPolicy, RunningRequestsComeBeforeWaitingOnes) {  // M-72
  const RecordedRun run = serve({request(0, 4, 3), request(50, 12, 1), request(60, 2, 1)}, limits(20));
  EXPECT_EQ(run.recorder.batches, (Batches{{{0, 4, 0}}, {{0, 1, 4}, {1, 7, 0}}, {{0, 1, 5}, {1, 5, 7}, {2, 2, 0}}}));
}

TEST(VllmPolicy, AtMostMaxSeqsRun) {  // M-72
  VllmLimits two = limits(20);
  two.max_seqs = 2;
  const RecordedRun run = serve({request(0, 1, 2), request(0, 1, 1), request(0, 1, 1)}, two);
  EXPECT_EQ(run.recorder.batches, (Batches{{{0, 1, 0}, {1, 1, 0}}, {{0, 1, 1}, {2, 1, 0}}}));
}

// Both have a full block after their input; the next token of request 0 takes the last block.
TEST(VllmPolicy, TheLastRunningRequestIsPreemptedAndResumesFromTheFront) {  // M-72
  const RecordedRun run = serve({request(0, 4, 4), request(0, 4, 4), request(0, 4, 1)}, limits(3));
  EXPECT_EQ(run.recorder.batches, (Batches{{{0, 4, 0}, {1, 4, 0}},
                                           {{0, 1, 4}},  // request 1 loses its block
                                           {{0, 1, 5}},  // it needs two blocks and one is free
                                           {{0, 1, 6}},
                                           {{1, 5, 0}, {2, 3, 0}},  // four input tokens and an output again
                                           {{1, 1, 5}, {2, 1, 3}},
                                           {{1, 1, 6}}}));
  EXPECT_EQ(run.counts.preemptions, 1);
  EXPECT_EQ(run.counts.recomputed_tokens, 5);
}

TEST(VllmPolicy, NobodyPassesTheFirstWaitingRequest) {  // M-72
  const RecordedRun run = serve({request(0, 4, 3), request(0, 4, 3), request(100, 2, 1)}, limits(3));
  EXPECT_EQ(run.recorder.batches[1], (RecordedBatch{{0, 1, 4}}));  // request 1 is preempted
  EXPECT_EQ(run.recorder.batches[2],
            (RecordedBatch{{0, 1, 5}}));  // it does not fit, and 2, which would, waits behind it
}

TEST(VllmPolicy, AdmissionNeedsTheBlocksOfTheWholeLength) {  // M-72
  // 12 tokens need 3 blocks; the first piece of 7 tokens would fit the 2 that are free.
  const RecordedRun run = serve({request(0, 4, 2), request(0, 12, 1)}, limits(3));
  EXPECT_EQ(run.recorder.batches, (Batches{{{0, 4, 0}}, {{0, 1, 4}}, {{1, 8, 0}}, {{1, 4, 8}}}));
}

TEST(VllmPolicy, EqualTextsShareBlocksAlsoInTheSameStep) {  // M-73
  VllmLimits all = limits(10, true);
  all.max_tokens = 16;
  const RecordedRun run = serve({request(0, 8, 1, {1, 2}), request(0, 8, 1, {1, 2}), request(0, 8, 1, {1, 3})}, all);
  // The last token is computed in any case: of 8 tokens only one block can be a hit.
  EXPECT_EQ(run.recorder.batches, (Batches{{{0, 8, 0}, {1, 4, 4}, {2, 4, 4}}}));
  EXPECT_EQ(run.counts.hit_tokens, 8);
  all.prefix_cache = false;
  EXPECT_EQ(serve({request(0, 8, 1, {1, 2}), request(0, 8, 1, {1, 2})}, all).counts.hit_tokens, 0);
}

TEST(VllmPolicy, OutputsAreFoundByALaterCall) {  // M-73
  const RecordedRun run = serve({request(0, 6, 3, {5, 6}), request(1000, 13, 1, {5, 6, 7})}, limits(10, true));
  // Outputs 7 and 8 fill the second block, the last output is not computed.
  EXPECT_EQ(run.recorder.batches.back(), (RecordedBatch{{1, 5, 8}}));
  EXPECT_EQ(run.counts.hit_tokens, 8);
}

TEST(VllmPolicy, HitsThatAreFreeCountAsTakenAtAdmission) {  // M-72
  // Request 2 finds block {1} of request 0, which is free; it then needs 2 more, and request 1 holds 2 of 4.
  const RecordedRun run =
      serve({request(0, 4, 1, {1}), request(100, 5, 3, {9}), request(200, 12, 1, {1, 2, 3})}, limits(4, true));
  EXPECT_EQ(run.recorder.batches[2], (RecordedBatch{{1, 1, 5}}));
  EXPECT_EQ(run.recorder.batches[3], (RecordedBatch{{1, 1, 6}}));
  EXPECT_EQ(run.recorder.batches[4], (RecordedBatch{{2, 8, 4}}));
}

}  // namespace
}  // namespace kb::serving
