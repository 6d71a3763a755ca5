#include "sim/html/markup.h"

#include <gtest/gtest.h>

namespace kb::html {
namespace {

TEST(Markup, NothingOfATextIsMarkup) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&amp;"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
  EXPECT_EQ(escaped("µ\u202f→"), "µ\u202f→");
  EXPECT_EQ(escaped("a\tb\nc"), "a\tb\nc");
}

TEST(Markup, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(escaped(std::string("a\0b\x1b\x7f", 5)), "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(escaped("\xff\xc3("), "\uFFFD\uFFFD(");
}

TEST(Markup, FiguresHaveTheirUnit) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(1662.300012), "1662.3 ns");
  EXPECT_EQ(duration_text(118941.016), "118.94 µs");
  EXPECT_EQ(duration_text(2.5e7), "25 ms");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(4.0 * 1024 * 1024), "4 MiB");
  EXPECT_EQ(rate_text(83.755), "83.8 GB/s");
  EXPECT_EQ(count_text(1234567), "1\u202f234\u202f567");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(percent_text(0.6623), "66.2 %");
}

TEST(Markup, HeatFallsInLightnessAllTheWay) {
  const auto lightness = [](int step) {
    const auto part = [&](std::size_t at) { return std::stoi(heat_colour(step).substr(at, 2), nullptr, 16); };
    return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5);
  };
  for (int step = 0; step < kHeatSteps; ++step) EXPECT_GT(lightness(step), lightness(step + 1));
  EXPECT_EQ(heat_step(-1), 0);
  EXPECT_EQ(heat_step(7), kHeatSteps);
}

}  // namespace
}  // namespace kb::html
