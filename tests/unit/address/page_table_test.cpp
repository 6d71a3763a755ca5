#include "platform/address/page_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "platform/base/error.h"

namespace kb::address {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Extent> translated(const PageTable& table, std::uint64_t va, std::uint64_t nbytes) {
  std::vector<Extent> extents;
  const auto fault = table.translate(VirtAddr(va), nbytes, extents);
  EXPECT_FALSE(fault.has_value());
  return extents;
}

std::optional<std::uint64_t> fault_of(const PageTable& table, std::uint64_t va, std::uint64_t nbytes) {
  std::vector<Extent> extents{{1, 1}};
  const auto fault = table.translate(VirtAddr(va), nbytes, extents);
  EXPECT_TRUE(!fault || extents.size() == 1) << "a fault leaves no extents behind";
  return fault ? std::optional<std::uint64_t>(fault->value) : std::nullopt;
}

// 128 B shards on 4 KB pages keep their own memory, and an access is split where they end.
TEST(PageTable, RegionsSmallerThanAPageAreKeptApart) {
  PageTable table(4096);
  table.map(RegionList::make({{0x1000, 0x90000, 128}, {0x1080, 0x50000, 128}, {0x1100, 0x70000, 128}}));
  EXPECT_THAT(translated(table, 0x1080, 128), ElementsAre(Extent{0x50000, 128}));
  EXPECT_THAT(translated(table, 0x1040, 0x100),
              ElementsAre(Extent{0x90040, 64}, Extent{0x50000, 128}, Extent{0x70000, 64}));
  EXPECT_EQ(table.shared_pages(), 1u);
}

// a hole inside an access is a fault at its first byte, as is an access that runs over the end.
TEST(PageTable, AHoleIsAFault) {
  PageTable table(4096);
  EXPECT_EQ(fault_of(table, 0x1000, 1), 0x1000u);
  table.map(RegionList::make({{0x1000, 0x90000, 0x1000}, {0x3000, 0x50000, 0x1000}}));
  EXPECT_EQ(fault_of(table, 0x1800, 0x1000), 0x2000u);
  EXPECT_EQ(fault_of(table, 0x3fff, 2), 0x4000u);
  EXPECT_EQ(fault_of(table, 0xfff, 2), 0xfffu);
  EXPECT_EQ(fault_of(table, 0x3000, 0x1000), std::nullopt);
}

// the last mapping written wins, byte by byte.
TEST(PageTable, ALaterMappingReplacesAnEarlierOne) {
  PageTable table(4096);
  table.map(RegionList::make({{0x1000, 0x90000, 0x4000}}));
  table.map(RegionList::make({{0x2000, 0x50000, 0x800}}));
  EXPECT_THAT(translated(table, 0x1000, 0x4000),
              ElementsAre(Extent{0x90000, 0x1000}, Extent{0x50000, 0x800}, Extent{0x91800, 0x2800}));
}

// inside a page, what reaches over the bounds of the unmapped range stays.
TEST(PageTable, UnmapLeavesRegionsThatReachOverItsBounds) {
  PageTable table(4096);
  table.map(RegionList::make({{0x1000, 0x90000, 0x3000}}));
  table.unmap(VirtAddr(0x1800), 0x1900);
  EXPECT_EQ(fault_of(table, 0x1000, 0x1000), std::nullopt);
  EXPECT_EQ(fault_of(table, 0x2000, 1), 0x2000u);
  EXPECT_EQ(fault_of(table, 0x3000, 0x1000), std::nullopt);
  table.unmap(VirtAddr(0x1000), 0x3000);
  EXPECT_TRUE(table.empty());
}

TEST(PageTable, ManyTablesShareOneList) {
  const auto list = RegionList::make({{0x1000, 0x90000, 128}, {0x1080, 0x50000, 128}});
  std::vector<PageTable> tables(8, PageTable(4096));
  for (PageTable& table : tables) table.map(list);
  EXPECT_EQ(list.use_count(), 9);
  tables[0].unmap(VirtAddr(0x1000), 128);  // takes its own copy apart
  EXPECT_EQ(list.use_count(), 8);
  EXPECT_EQ(fault_of(tables[0], 0x1000, 1), 0x1000u);
  EXPECT_EQ(fault_of(tables[1], 0x1000, 256), std::nullopt);
}

TEST(RegionList, RefusesEmptyAndOverlappingRegions) {
  const auto message = [](std::vector<Region> regions) {
    try {
      RegionList::make(std::move(regions));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "ADDRESS_ERROR");
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(message({}), HasSubstr("no entries"));
  EXPECT_THAT(message({{0x1000, 0, 0}}), HasSubstr("VA 0x1000"));
  EXPECT_THAT(message({{~std::uint64_t{0}, 0, 2}}), HasSubstr("too large"));
  EXPECT_THAT(message({{0x1080, 0, 64}, {0x1000, 0x40, 129}}),
              HasSubstr("129 bytes at VA 0x1000 and of 64 bytes at VA 0x1080 overlap"));
}

TEST(PageTable, RefusesAPageSizeThatIsNoPowerOfTwo) {
  EXPECT_THROW(PageTable(0), Error);
  EXPECT_THROW(PageTable(3000), Error);
}

// The same table as one entry per byte: its physical address, and the number of the region that it came from.
class ByteTable {
 public:
  static constexpr std::uint64_t kBytes = 1024;
  static constexpr std::uint64_t kPage = 64;

  void map(const std::vector<Region>& regions) {
    for (const Region& region : regions) {
      ++count_;
      for (std::uint64_t i = 0; i < region.nbytes; ++i) bytes_[region.va + i] = {region.pa + i, count_};
    }
  }
  void unmap(std::uint64_t va, std::uint64_t nbytes) {
    const auto before = bytes_;
    for (const auto& [begin, end] : runs(before, kPage)) {
      if (begin < va || end > va + nbytes) continue;
      for (std::uint64_t at = begin; at < end; ++at) bytes_[at] = {};
    }
  }
  std::optional<std::uint64_t> translate(std::uint64_t va, std::uint64_t nbytes, std::vector<Extent>& out) const {
    std::uint64_t region = 0;
    for (std::uint64_t at = va; at < va + nbytes; ++at) {
      const Byte byte = at < kBytes ? bytes_[at] : Byte{};
      if (byte.region == 0) return at;
      if (byte.region != region) out.push_back({byte.pa, 0});
      region = byte.region;
      ++out.back().nbytes;
    }
    return std::nullopt;
  }
  std::uint64_t regions() const { return runs(bytes_, kBytes).size(); }
  std::uint64_t shared_pages() const {
    std::array<int, kBytes / kPage> per_page{};
    for (const auto& [begin, end] : runs(bytes_, kPage)) ++per_page[begin / kPage];
    return static_cast<std::uint64_t>(std::count_if(per_page.begin(), per_page.end(), [](int n) { return n > 1; }));
  }

 private:
  struct Byte {
    std::uint64_t pa = 0;
    std::uint64_t region = 0;  // 0: not mapped
  };
  using Bytes = std::array<Byte, kBytes>;
  // Bytes of one region that follow each other, cut at multiples of `page`.
  static std::vector<std::pair<std::uint64_t, std::uint64_t>> runs(const Bytes& bytes, std::uint64_t page) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    for (std::uint64_t at = 0; at < kBytes; ++at) {
      if (bytes[at].region == 0) continue;
      const bool goes_on = at % page != 0 && at > 0 && bytes[at - 1].region == bytes[at].region;
      if (!goes_on) found.emplace_back(at, at);
      found.back().second = at + 1;
    }
    return found;
  }

  Bytes bytes_{};
  std::uint64_t count_ = 0;
};

std::vector<Region> any_regions() {
  const int count = *rc::gen::inRange(1, 6);
  std::vector<Region> regions;
  std::uint64_t va = static_cast<std::uint64_t>(*rc::gen::inRange(0, 700));
  for (int i = 0; i < count; ++i) {
    const auto nbytes = static_cast<std::uint64_t>(*rc::gen::inRange(1, 150));
    if (va + nbytes > ByteTable::kBytes) break;
    regions.push_back({va, static_cast<std::uint64_t>(*rc::gen::inRange(0, 1 << 20)), nbytes});
    va += nbytes + static_cast<std::uint64_t>(*rc::gen::element(0, 0, 1, 40));
  }
  return regions;
}

// A-34 .. A-39 against the table of bytes.
RC_GTEST_PROP(PageTableProperty, EqualsATableOfBytes, ()) {
  PageTable table(ByteTable::kPage);
  ByteTable bytes;
  const int steps = *rc::gen::inRange(1, 30);
  for (int step = 0; step < steps; ++step) {
    if (*rc::gen::inRange(0, 3) > 0) {
      const std::vector<Region> regions = any_regions();
      bytes.map(regions);
      table.map(RegionList::make(regions));
    } else {
      const auto va = static_cast<std::uint64_t>(*rc::gen::inRange(0, 900));
      const auto nbytes = static_cast<std::uint64_t>(*rc::gen::inRange(0, 400));
      bytes.unmap(va, nbytes);
      table.unmap(VirtAddr(va), nbytes);
    }
    RC_ASSERT(table.regions() == bytes.regions());
    RC_ASSERT(table.shared_pages() == bytes.shared_pages());
    for (int look = 0; look < 8; ++look) {
      const auto va = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1024));
      const auto nbytes = static_cast<std::uint64_t>(*rc::gen::inRange(1, 200));
      std::vector<Extent> expected, found;
      const auto expected_fault = bytes.translate(va, nbytes, expected);
      const auto fault = table.translate(VirtAddr(va), nbytes, found);
      RC_ASSERT((fault ? std::optional<std::uint64_t>(fault->value) : std::nullopt) == expected_fault);
      if (!fault) RC_ASSERT(found == expected);
    }
  }
}

}  // namespace
}  // namespace kb::address
