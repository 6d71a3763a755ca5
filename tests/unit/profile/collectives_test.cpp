#include "sw/profile/collectives.h"

#include <gtest/gtest.h>

namespace kb::profile {
namespace {

// A link of 1.073741824 B/ns, a memory of 3 B/ns: an all-reduce of 1073741824 B on 2 ranks.
TEST(Collectives, RingsByHand) {  // M-66
  const RankLinks links{1000, 1.0, 3.0};
  constexpr double kBytes = 1073741824.0;
  EXPECT_DOUBLE_EQ(ring_all_gather_ns(links, 2, kBytes / 2), 1000 + 5e8);
  EXPECT_DOUBLE_EQ(ring_reduce_scatter_ns(links, 2, kBytes), 1000 + 5e8 + 3 * (kBytes / 2) / 3.0);
  EXPECT_DOUBLE_EQ(ring_all_reduce_ns(links, 2, kBytes), 2 * (1000 + 5e8) + kBytes / 2);
  EXPECT_DOUBLE_EQ(ring_all_reduce_ns(links, 4, kBytes), 6 * (1000 + 2.5e8) + 3 * kBytes / 4);
}

}  // namespace
}  // namespace kb::profile
