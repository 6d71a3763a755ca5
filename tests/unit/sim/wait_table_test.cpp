#include "sim/run/driver/wait_table.h"

#include <gmock/gmock.h>

#include <sstream>

namespace kb::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(WaitTable, ListsOldestFirst) {
  EXPECT_EQ(render_waits({{"sip0.cube0.m_cpu", "pe3", 5_ns}, {"host: main program", "launch #9", 0_fs}}, 5_ns),
            "  who waits           for what   since ns\n"
            "  ------------------  ---------  --------\n"
            "  host: main program  launch #9         0\n"
            "  sip0.cube0.m_cpu    pe3               5\n");
  EXPECT_EQ(render_waits({}, 0_fs), "No block reports what it waits for.\n");
}

TEST(WaitTable, LongOnesAreBrokenForATerminal) {
  const std::string table =
      render_waits({{"host: #1, map of tensor 'A' f16 (512, 512) at VA 0x100000000, on sip0",
                     "the way on for 2048 flits of write of 512 KiB at 0x2000000000 by sip0.io0.pcie_ep", 6_ns}},
                   9_ns);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
  EXPECT_THAT(table,
              HasSubstr("  host: #1, map of tensor 'A' f16 (512, 512) at VA 0x100000000, on sip0  the way on for"))
      << "who waits is found by its whole name";
}

// Flits are known before they arrive: at the end of a limited time they do not wait yet.
TEST(WaitTable, WhatBeginsLaterIsCounted) {
  const std::string table = render_waits({{"a", "x", 5_ns}, {"b", "y", 7_ns}, {"c", "z", 8_ns}}, 6_ns);
  EXPECT_THAT(table, HasSubstr("  a          x                5\n  (waits that begin later: 2)\n"));
  EXPECT_THAT(table, Not(HasSubstr("  b ")));
  EXPECT_EQ(render_waits({{"a", "x", 5_ns}}, 1_ns),
            "No block reports what it waits for.\n  (waits that begin later: 1)\n");
}

// A thousand equal waits must not hide the one that matters.
TEST(WaitTable, ManyWaitsOfOneKindAreShownByAFew) {
  std::vector<elab::WaitInfo> waits;
  for (int i = 0; i < 1000; ++i) {
    waits.push_back(
        {"host: write #" + std::to_string(i), "response of 0x" + std::to_string(2000 + i) + "af00", TimeFs(i)});
  }
  waits.push_back({"sip0.cube0.pe3.pe_cpu", "the end of its dma_read", 5000_fs});
  const std::string table = render_waits(waits, 1_ns);
  EXPECT_THAT(table, HasSubstr("host: write #3 "));
  EXPECT_THAT(table, Not(HasSubstr("host: write #4 ")));
  EXPECT_THAT(table, HasSubstr("... and 996 more like these\n"));
  EXPECT_THAT(table, HasSubstr("sip0.cube0.pe3.pe_cpu"));
}

TEST(WaitTable, AVeryLongTableIsCutAndSaysSo) {
  std::vector<elab::WaitInfo> waits;
  for (int i = 0; i < 100; ++i) waits.push_back({std::string(static_cast<std::size_t>(i + 1), 'x'), "y", TimeFs(i)});
  EXPECT_THAT(render_waits(waits, 1_ns), HasSubstr("\n  ... and 40 others\n"));
}

}  // namespace
}  // namespace kb::sim
