#include "platform/address/segment_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "platform/base/error.h"

namespace kb::address {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const RegionList> segments(std::vector<Region> list) {
  return RegionList::make(std::move(list), AddressSpace::la);
}

std::string refusal(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "ADDRESS_ERROR");
    return error.what();
  }
  return "accepted";
}

// pa = base + offset; an access over a segment's end is split there, wherever the next segment lies.
TEST(SegmentTable, SplitsWhereSegmentsEnd) {
  SegmentTable table;
  table.install(segments({{0x1000, 0x90000, 0x100}, {0x1100, 0x50000, 0x100}}));
  table.install(segments({{0x1200, 0x70000, 0x100}}));
  std::vector<Extent> extents;
  EXPECT_EQ(table.lookup(LogicalAddr(0x1080), 0x40, extents), std::nullopt);
  EXPECT_THAT(extents, ElementsAre(Extent{0x90080, 0x40}));
  extents.clear();
  EXPECT_EQ(table.lookup(LogicalAddr(0x10c0), 0x200, extents), std::nullopt);
  EXPECT_THAT(extents, ElementsAre(Extent{0x900c0, 0x40}, Extent{0x50000, 0x100}, Extent{0x70000, 0xc0}));
  EXPECT_EQ(table.segments(), 3u);
}

TEST(SegmentTable, AMissNamesItsFirstByteAndLeavesNothing) {
  SegmentTable table;
  std::vector<Extent> extents{{1, 1}};
  EXPECT_EQ(table.lookup(LogicalAddr(0x1000), 1, extents), LogicalAddr(0x1000));
  table.install(segments({{0x1000, 0x90000, 0x100}, {0x1200, 0x50000, 0x100}}));
  EXPECT_EQ(table.lookup(LogicalAddr(0x10f0), 0x200, extents), LogicalAddr(0x1100));
  EXPECT_EQ(table.lookup(LogicalAddr(0x12ff), 2, extents), LogicalAddr(0x1300));
  EXPECT_EQ(table.lookup(LogicalAddr(0xfff), 2, extents), LogicalAddr(0xfff));
  EXPECT_THAT(extents, ElementsAre(Extent{1, 1}));
}

TEST(SegmentTable, CollidingSegmentsAreRefused) {
  SegmentTable table;
  table.install(segments({{0x1000, 0x90000, 0x100}, {0x1100, 0x50000, 0x100}}));
  EXPECT_EQ(refusal([&] {
              table.install(segments({{0x11ff, 0, 0x10}}));
            }),
            "the segments at LA 0x11ff to 0x120e collide with those at LA 0x1000 to 0x11ff; remove these first");
  EXPECT_THAT(refusal([&] { table.install(segments({{0x800, 0, 0x801}})); }), HasSubstr("collide"));
  EXPECT_THAT(refusal([&] { table.install(segments({{0x1010, 0, 0x10}})); }), HasSubstr("collide"));
  EXPECT_EQ(refusal([&] { table.install(segments({{0x1200, 0, 0x10}})); }), "accepted");
  EXPECT_EQ(refusal([&] { table.install(segments({{0xf00, 0, 0x100}})); }), "accepted");
  EXPECT_THAT(refusal([] {
                segments({{0x1000, 0, 0x80}, {0x1040, 0, 0x80}});
              }),
              HasSubstr("128 bytes at LA 0x1000 and of 128 bytes at LA 0x1040 overlap"));
}

TEST(SegmentTable, WhatIsRemovedWasInstalled) {
  SegmentTable table;
  table.install(segments({{0x1000, 0x90000, 0x100}, {0x1100, 0x50000, 0x100}}));
  EXPECT_EQ(refusal([&] { table.remove(LogicalAddr(0x1000), 0x100); }),
            "no segments of 256 bytes are installed at LA 0x1000 (LA 0x1000 to 0x11ff are); remove what was installed, "
            "once");
  EXPECT_THAT(refusal([&] { table.remove(LogicalAddr(0x1100), 0x100); }), HasSubstr("installed at LA 0x1100;"));
  EXPECT_EQ(refusal([&] { table.remove(LogicalAddr(0x1000), 0x200); }), "accepted");
  EXPECT_TRUE(table.empty());
  EXPECT_THAT(refusal([&] { table.remove(LogicalAddr(0x1000), 0x200); }), HasSubstr("once"));
}

TEST(SegmentTable, ManyTablesShareOneList) {
  const auto list = segments({{0x1000, 0x90000, 128}, {0x1080, 0x50000, 128}});
  std::vector<SegmentTable> tables(8);
  for (SegmentTable& table : tables) table.install(list);
  EXPECT_EQ(list.use_count(), 9);
}

// The same table as one entry per byte: its physical address, and the number of the segment and of the list.
class ByteTable {
 public:
  static constexpr std::uint64_t kBytes = 1024;

  bool install(const std::vector<Region>& list) {
    for (std::uint64_t at = list.front().va; at < list.back().end(); ++at) {
      if (bytes_[at].list != 0) return false;
    }
    ++lists_;
    for (std::uint64_t at = list.front().va; at < list.back().end(); ++at) bytes_[at].list = lists_;
    for (const Region& segment : list) {
      ++segments_;
      for (std::uint64_t i = 0; i < segment.nbytes; ++i) bytes_[segment.va + i] = {segment.pa + i, segments_, lists_};
    }
    return true;
  }
  bool remove(std::uint64_t la, std::uint64_t nbytes) {
    const int list = bytes_[la].list;
    if (list == 0 || (la > 0 && bytes_[la - 1].list == list)) return false;
    std::uint64_t end = la;
    while (end < kBytes && bytes_[end].list == list) ++end;
    if (end != la + nbytes) return false;
    for (std::uint64_t at = la; at < end; ++at) bytes_[at] = {};
    return true;
  }
  std::optional<LogicalAddr> lookup(std::uint64_t la, std::uint64_t nbytes, std::vector<Extent>& out) const {
    int segment = 0;
    for (std::uint64_t at = la; at < la + nbytes; ++at) {
      const Byte byte = at < kBytes ? bytes_[at] : Byte{};
      if (byte.segment == 0) return LogicalAddr(at);
      if (byte.segment != segment) out.push_back({byte.pa, 0});
      segment = byte.segment;
      ++out.back().nbytes;
    }
    return std::nullopt;
  }

 private:
  struct Byte {
    std::uint64_t pa = 0;
    int segment = 0;  // 0: in none
    int list = 0;
  };
  std::array<Byte, kBytes> bytes_{};
  int segments_ = 0;
  int lists_ = 0;
};

std::vector<Region> any_segments() {
  std::vector<Region> list;
  auto la = static_cast<std::uint64_t>(*rc::gen::inRange(0, 900));
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    const auto nbytes = static_cast<std::uint64_t>(*rc::gen::inRange(1, 60));
    if (la + nbytes > ByteTable::kBytes) break;
    list.push_back({la, static_cast<std::uint64_t>(*rc::gen::inRange(0, 1 << 20)), nbytes});
    la += nbytes + static_cast<std::uint64_t>(*rc::gen::element(0, 0, 0, 16));
  }
  if (list.empty()) list.push_back({0, 7, 1});
  return list;
}

// A-73 .. A-78 against the table of bytes.
RC_GTEST_PROP(SegmentTableProperty, EqualsATableOfBytes, ()) {
  SegmentTable table;
  ByteTable bytes;
  std::vector<Region> installed;  // the range of every list that ever was
  const int steps = *rc::gen::inRange(1, 30);
  for (int step = 0; step < steps; ++step) {
    const std::vector<Region> list = any_segments();
    if (*rc::gen::inRange(0, 3) > 0) {
      const bool fits = bytes.install(list);
      RC_ASSERT((refusal([&] { table.install(segments(list)); }) == "accepted") == fits);
      if (fits) installed.push_back({list.front().va, 0, list.back().end() - list.front().va});
    } else if (!installed.empty()) {
      Region range = *rc::gen::elementOf(installed);
      range.nbytes += *rc::gen::element(0u, 0u, 0u, 1u);
      RC_ASSERT((refusal([&] { table.remove(LogicalAddr(range.va), range.nbytes); }) == "accepted") ==
                bytes.remove(range.va, range.nbytes));
    }
    for (int look = 0; look < 8; ++look) {
      const auto la = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1024));
      const auto nbytes = static_cast<std::uint64_t>(*rc::gen::inRange(1, 200));
      std::vector<Extent> expected, found;
      const auto miss = bytes.lookup(la, nbytes, expected);
      RC_ASSERT(table.lookup(LogicalAddr(la), nbytes, found) == miss);
      if (!miss) RC_ASSERT(found == expected);
    }
  }
}

}  // namespace
}  // namespace kb::address
