// Named parts of host programs (H-120).
#include "sw/runtime/host_ranges.h"

#include <gmock/gmock.h>

#include <optional>

#include "tests/unit/sw/expect_error.h"

namespace kb::sw {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kMain = -1;

TEST(HostRanges, NestAndEndWithTheirScope) {
  HostRanges ranges;
  {
    const HostRanges::Range layer(ranges, kMain, "layer 3");
    const HostRanges::Range attention(ranges, kMain, "attention");
    EXPECT_THAT(ranges.names(kMain), ElementsAre("layer 3", "attention"));
  }
  EXPECT_THAT(ranges.names(kMain), IsEmpty());
  EXPECT_NO_THROW(ranges.require_closed());
}

TEST(HostRanges, ARankIsInThoseOfTheMainProgram) {
  HostRanges ranges;
  const HostRanges::Range step(ranges, kMain, "step");
  const HostRanges::Range mine(ranges, 0, "mine");
  EXPECT_THAT(ranges.names(0), ElementsAre("step", "mine"));
  EXPECT_THAT(ranges.names(1), ElementsAre("step"));
}

TEST(HostRanges, WrongOnesAreErrors) {
  HostRanges ranges;
  const auto nameless = [&] { const HostRanges::Range range(ranges, kMain, ""); };
  EXPECT_THAT(error_of(nameless, "BENCH_ERROR"), HasSubstr("a range needs a name"));
  std::optional<HostRanges::Range> outer;
  outer.emplace(ranges, kMain, "outer");
  EXPECT_THAT(error_of([&] { ranges.require_closed(); }, "BENCH_ERROR"),
              HasSubstr("rt.range(\"outer\") is still open"));
  const HostRanges::Range inner(ranges, kMain, "inner");
  outer.reset();
  EXPECT_THAT(error_of([&] { ranges.names(kMain); }, "BENCH_ERROR"),
              HasSubstr("a range was closed before rt.range(\"inner\")"));
}

}  // namespace
}  // namespace kb::sw
