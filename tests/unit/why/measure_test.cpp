// The answer of a point keeps its measure, to the femtosecond.
#include "sim/study/why/measure.h"

#include <gtest/gtest.h>

namespace kb::why {
namespace {

TEST(Measure, AnAnswerKeepsAll) {
  Measure measure;
  measure.ok = true;
  measure.time = TimeFs(9'007'199'254'740'993);  // more than a double holds
  measure.launches = {{7, TimeFs(1), TimeFs(2)}};
  measure.limiter = "the compute engines, 97.4 %";
  measure.bound_name = "the compute engines";
  measure.bound = TimeFs(3);
  measure.unknown_accesses = 8;
  measure.uses = {{"ucie_mesh", true, TimeFs(4), TimeFs(5), {{"a -> b", TimeFs(6), TimeFs(7)}}}};
  measure.calls = {{CodeUse::Kind::copies, "h", "h", TimeFs(8)},
                   {CodeUse::Kind::no_wait, "a.cpp:20", "a.cpp:20 load h", TimeFs(9)}};
  const auto answer = sweep::answer_of(sweep::to_text(answer_of(measure)));
  ASSERT_TRUE(answer);
  const Measure back = measure_of(*answer);
  EXPECT_TRUE(back.ok);
  EXPECT_EQ(back.time, measure.time);
  ASSERT_EQ(back.launches.size(), 1u);
  EXPECT_EQ(back.launches[0].id, 7u);
  EXPECT_EQ(back.launches[0].completed, TimeFs(2));
  EXPECT_EQ(back.limiter, measure.limiter);
  EXPECT_EQ(back.bound_name, measure.bound_name);
  EXPECT_EQ(back.bound, TimeFs(3));
  EXPECT_EQ(back.unknown_accesses, 8u);
  ASSERT_EQ(back.uses.size(), 1u);
  EXPECT_EQ(back.uses[0].kind, "ucie_mesh");
  EXPECT_TRUE(back.uses[0].wires);
  EXPECT_EQ(back.uses[0].wait, TimeFs(5));
  ASSERT_EQ(back.uses[0].members.size(), 1u);
  EXPECT_EQ(back.uses[0].members[0].name, "a -> b");
  EXPECT_EQ(back.uses[0].members[0].wait, TimeFs(7));
  ASSERT_EQ(back.calls.size(), 2u);
  EXPECT_EQ(back.calls[0].kind, CodeUse::Kind::copies);
  EXPECT_EQ(back.calls[1].name, "a.cpp:20");
  EXPECT_EQ(back.calls[1].text, "a.cpp:20 load h");
  EXPECT_EQ(back.calls[1].time, TimeFs(9));
}

TEST(Measure, AFailureKeepsItsCause) {
  const Measure back = measure_of(sweep::Answer{false, "DEADLOCK", "nobody moves", {}});
  EXPECT_FALSE(back.ok);
  EXPECT_EQ(back.code, "DEADLOCK");
  EXPECT_EQ(back.cause, "nobody moves");
}

}  // namespace
}  // namespace kb::why
