// The bookkeeping behind IO_CPU and M_CPU: counting, merging and failure policies.
#include "modules/command/fan_out.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/contract/completion.h"
#include "platform/contract/failure_policy.h"

namespace kb::modules {
namespace {

using contract::FailurePolicy;
using contract::PeResult;

PeResult result(std::uint32_t cube, std::uint32_t pe, TimeFs exec) {
  PeResult r;
  r.pe = {SipId(0), CubeId(cube), PeId(pe)};
  r.exec = exec;
  return r;
}

std::vector<Branch> pe_branches(int count) {
  std::vector<Branch> branches;
  for (int i = 0; i < count; ++i) {
    const PeCoord at{SipId(0), CubeId(1), PeId(static_cast<std::uint32_t>(i))};
    branches.push_back({"pe" + std::to_string(i), pe_name(at), at});
  }
  return branches;
}

payload::LaunchReply reply(std::vector<PeResult> pes) {
  payload::LaunchReply r;
  r.pes = std::move(pes);
  return r;
}

TEST(FanOut, SettlesWithTheLastAnswer) {  // H-34
  FanOut fan_out(FailurePolicy::fail_fast, "PEs", pe_branches(3), 0_fs);
  const payload::LaunchReply a = reply({result(1, 0, 5_fs)}), b = reply({result(1, 1, 6_fs)}),
                             c = reply({result(1, 2, 7_fs)});
  EXPECT_FALSE(fan_out.answer(1, {}, &b));
  EXPECT_FALSE(fan_out.answer(0, {}, &a));
  EXPECT_FALSE(fan_out.drained());
  EXPECT_TRUE(fan_out.answer(2, {}, &c));
  EXPECT_TRUE(fan_out.drained());
  EXPECT_TRUE(fan_out.status().ok);
}

TEST(FanOut, MergesInCoordinateOrderForEveryOrderOfAnswers) {  // C-MCPU-12: order-independent
  const std::vector<payload::LaunchReply> replies{reply({result(0, 0, 40_fs), result(0, 1, 10_fs)}),
                                                  reply({result(1, 0, 30_fs)}), reply({result(2, 0, 20_fs)})};
  std::vector<std::size_t> order{0, 1, 2};
  do {
    FanOut fan_out(FailurePolicy::collect_all, "cubes", pe_branches(3), 0_fs);
    for (std::size_t branch : order) fan_out.answer(branch, {}, &replies[branch]);
    std::vector<TimeFs> execs;
    for (const PeResult& r : fan_out.results()) execs.push_back(r.exec);
    EXPECT_THAT(execs, testing::ElementsAre(40_fs, 10_fs, 30_fs, 20_fs));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(FanOut, FailFastSettlesOnTheFirstFailureAndDrainsTheRest) {  // H-41
  FanOut fan_out(FailurePolicy::fail_fast, "PEs", pe_branches(3), 0_fs);
  const payload::LaunchReply ok = reply({result(1, 0, 5_fs)});
  EXPECT_FALSE(fan_out.answer(0, {}, &ok));
  EXPECT_TRUE(fan_out.answer(2, {false, "ADDRESS_ERROR", "no such slice"}, nullptr));
  EXPECT_FALSE(fan_out.drained());
  EXPECT_FALSE(fan_out.answer(1, {false, "KERNEL_ERROR", "later"}, nullptr));
  EXPECT_TRUE(fan_out.drained());
  EXPECT_EQ(fan_out.status().code, "ADDRESS_ERROR");
  EXPECT_EQ(fan_out.status().message, "sip0.cube1.pe2: no such slice");
  ASSERT_EQ(fan_out.results().size(), 2u);  // the later answer was ignored
  EXPECT_EQ(fan_out.results()[1].error_code, "ADDRESS_ERROR");
}

TEST(FanOut, CollectAllListsEveryFailingPeByPlace) {  // H-41
  FanOut fan_out(FailurePolicy::collect_all, "PEs", pe_branches(4), 0_fs);
  EXPECT_FALSE(fan_out.answer(3, {false, "KERNEL_ERROR", "b"}, nullptr));
  EXPECT_FALSE(fan_out.answer(1, {false, "ADDRESS_ERROR", "a"}, nullptr));
  const payload::LaunchReply ok0 = reply({result(1, 0, 5_fs)}), ok2 = reply({result(1, 2, 5_fs)});
  EXPECT_FALSE(fan_out.answer(0, {}, &ok0));
  EXPECT_TRUE(fan_out.answer(2, {}, &ok2));
  EXPECT_EQ(fan_out.status().code, "ADDRESS_ERROR");
  EXPECT_EQ(fan_out.status().message,
            "2 failed: sip0.cube1.pe1, sip0.cube1.pe3; cause at sip0.cube1.pe1: a; cause (KERNEL_ERROR) at "
            "sip0.cube1.pe3: b");
  EXPECT_EQ(fan_out.results().size(), 4u);
}

// Which name their own PE, as those of kernels do.
TEST(FanOut, EqualCausesAreToldOnce) {
  FanOut fan_out(FailurePolicy::collect_all, "PEs", pe_branches(4), 0_fs);
  fan_out.answer(0, {false, "SHAPE_ERROR", "kernel k, tl.dot #3, sip0.cube1.pe0: shapes"}, nullptr);
  fan_out.answer(1, {false, "SHAPE_ERROR", "kernel k, tl.dot #3, sip0.cube1.pe1: shapes"}, nullptr);
  fan_out.answer(2, {false, "SHAPE_ERROR", "kernel k, tl.dot #4, sip0.cube1.pe2: shapes"}, nullptr);
  fan_out.answer(3, {false, "VALUE_ERROR", "kernel k, tl.dot #3, sip0.cube1.pe3: shapes"}, nullptr);
  EXPECT_EQ(fan_out.status().code, "SHAPE_ERROR");
  EXPECT_EQ(
      fan_out.status().message,
      "4 failed: sip0.cube1.pe0, sip0.cube1.pe1, sip0.cube1.pe2, sip0.cube1.pe3; cause at kernel k, tl.dot #3, "
      "sip0.cube1.pe0: shapes; cause at kernel k, tl.dot #4, sip0.cube1.pe2: shapes; cause (VALUE_ERROR) at kernel k, "
      "tl.dot #3, sip0.cube1.pe3: shapes");
}

TEST(FanOut, AnErrorInAResultIsAFailureWithoutAStatus) {
  FanOut fan_out(FailurePolicy::fail_fast, "PEs", pe_branches(1), 0_fs);
  PeResult failed = result(1, 0, 5_fs);
  failed.error_code = "SCRATCH_ERROR";
  failed.error_message = "sip0.cube1.pe0: out of scratch";
  const payload::LaunchReply answer = reply({failed});
  EXPECT_TRUE(fan_out.answer(0, {}, &answer));
  EXPECT_EQ(fan_out.status().code, "SCRATCH_ERROR");
  EXPECT_EQ(fan_out.status().message, "sip0.cube1.pe0: out of scratch");  // the place is named once
}

TEST(FanOut, NamesWhoIsMissing) {
  FanOut fan_out(FailurePolicy::fail_fast, "PEs", pe_branches(4), 0_fs);
  fan_out.answer(1, {}, nullptr);
  EXPECT_EQ(fan_out.missing(), "3 of 4 PEs: pe0, pe2, pe3");
}

TEST(FanOut, RefusesASecondAnswer) {
  FanOut fan_out(FailurePolicy::fail_fast, "PEs", pe_branches(2), 0_fs);
  fan_out.answer(1, {}, nullptr);
  EXPECT_THROW(fan_out.answer(1, {}, nullptr), Error);
  EXPECT_THROW(fan_out.answer(2, {}, nullptr), Error);
}

}  // namespace
}  // namespace kb::modules
