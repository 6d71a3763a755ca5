#include "sw/profile/skew_fit.h"

#include <gtest/gtest.h>

namespace kb::profile {
namespace {

TEST(SkewFit, LabelsAreTheFirstWhoseEdgeIsNotBelow) {  // M-65
  const SkewFit::Axes axes = SkewFit::default_axes();
  EXPECT_EQ(axes.decodes.label(2), "n<=2");
  EXPECT_EQ(axes.decodes.label(3), "n<=4");
  EXPECT_EQ(axes.decodes.label(128), "n<=128");
  EXPECT_EQ(axes.decodes.label(129), "n>128");
  EXPECT_EQ(axes.decodes.label(9e9), "n>128");
  EXPECT_EQ(axes.rate.label(0.05), "sr<=5%");
  EXPECT_EQ(axes.rate.label(0.050001), "sr<=15%");
  EXPECT_EQ(axes.longest.label(16385), "kvB>16k");
  EXPECT_EQ(axes.kv_prefill.label(0), "kp=0");
  EXPECT_EQ(axes.kv_prefill.label(1), "kp<=2k");
}

TEST(SkewFit, TakesTheBucketElseTheDefault) {  // M-65
  SkewFit fit(SkewFit::default_axes(), 0.25);
  EXPECT_TRUE(fit.add("0|n<=4|sr<=40%|kvB<=1k|kp=0", -0.5));
  EXPECT_FALSE(fit.add("0|n<=4|sr<=40%|kvB<=1k|kp=0", 1.5));
  EXPECT_EQ(fit.alpha(0, 3, 0.3, 900, 0), -0.5);
  EXPECT_EQ(fit.alpha(8, 3, 0.3, 900, 0), 0.25);  // the chunk has to be a measured one
  EXPECT_EQ(fit.alpha(0, 5, 0.3, 900, 0), 0.25);
  EXPECT_EQ(fit.alpha(0, 3, 0.41, 900, 0), 0.25);
  EXPECT_EQ(fit.alpha(0, 3, 0.3, 1025, 0), 0.25);
  EXPECT_EQ(fit.alpha(0, 3, 0.3, 900, 1), 0.25);
}

}  // namespace
}  // namespace kb::profile
