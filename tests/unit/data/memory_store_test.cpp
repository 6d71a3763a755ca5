// P-75 .. P-79: byte-addressable sparse contents keyed by physical address.
#include "platform/data/memory_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "platform/data/interval_map.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::bytes_of;
using test::expect_error;
constexpr std::uint64_t kPage = MemoryStore::kPageBytes;

std::vector<std::byte> read(const MemoryStore& memory, std::uint64_t pa, std::uint64_t nbytes) {
  return memory.gather({{pa, nbytes}});
}

TEST(MemoryStore, UnwrittenBytesReadAsZero) {
  MemoryStore memory;
  EXPECT_EQ(read(memory, 0x1234, 4), bytes_of({0, 0, 0, 0}));
  EXPECT_EQ(memory.pages(), 0u);
}

TEST(MemoryStore, SubRangesAndOverlapsAreBytes_P77) {
  MemoryStore memory;
  memory.write(100, bytes_of({1, 2, 3, 4, 5, 6}).data(), 6);
  memory.write(103, bytes_of({9, 8}).data(), 2);
  EXPECT_EQ(read(memory, 99, 8), bytes_of({0, 1, 2, 3, 9, 8, 6, 0}));
}

TEST(MemoryStore, WritesCrossPages) {
  MemoryStore memory;
  memory.write(kPage - 2, bytes_of({1, 2, 3, 4}).data(), 4);
  EXPECT_EQ(read(memory, kPage - 3, 6), bytes_of({0, 1, 2, 3, 4, 0}));
  EXPECT_EQ(memory.pages(), 2u);
}

TEST(MemoryStore, OwnersDoNotAlias_P78) {
  MemoryStore memory;
  const std::uint64_t pe1 = std::uint64_t{1} << 42;  // same local offset of another owner
  memory.write(64, bytes_of({1}).data(), 1);
  memory.write(pe1 + 64, bytes_of({2}).data(), 1);
  EXPECT_EQ(read(memory, 64, 1), bytes_of({1}));
  EXPECT_EQ(read(memory, pe1 + 64, 1), bytes_of({2}));
}

TEST(MemoryStore, LargeFillsAllocateNothing) {
  MemoryStore memory;
  memory.fill(0x100, 512 * kMiB, {0x3c00, 2});
  EXPECT_EQ(memory.pages(), 0u);
  EXPECT_EQ(read(memory, 0x100 + 256 * kMiB, 4), bytes_of({0x00, 0x3c, 0x00, 0x3c}));
  EXPECT_EQ(read(memory, 0x101, 3), bytes_of({0x3c, 0x00, 0x3c}));
  EXPECT_EQ(memory.first_unwritten(0x100, 512 * kMiB), std::nullopt);
  EXPECT_EQ(memory.first_unwritten(0x100, 512 * kMiB + 1), 0x100 + 512 * kMiB);
  memory.write(0x100 + kPage, bytes_of({7}).data(), 1);
  EXPECT_EQ(read(memory, 0xff + kPage, 4), bytes_of({0x3c, 7, 0x3c, 0}));
  EXPECT_EQ(memory.pages(), 1u);
  memory.fill(0, kGiB, {0, 1});
  EXPECT_EQ(memory.pages(), 0u);
  EXPECT_EQ(read(memory, 0x100 + kPage, 2), bytes_of({0, 0}));
}

TEST(MemoryStore, FillsKeepTheirPhaseWhenCut) {
  MemoryStore memory;
  memory.fill(1, 3 * kPage, {0x04030201, 4});
  memory.write(2, bytes_of({0xff}).data(), 1);
  EXPECT_EQ(read(memory, 0, 7), bytes_of({0, 1, 0xff, 3, 4, 1, 2}));
  const std::uint64_t far = 1 + 2 * kPage + 4;
  EXPECT_EQ(read(memory, far - 1, 5), bytes_of({4, 1, 2, 3, 4}));
}

TEST(MemoryStore, FillRejectsOddWidths) {
  MemoryStore memory;
  expect_error([&] { memory.fill(0x40, 9, {0, 3}); }, ErrorFamily::program, "SCHEMA_ERROR", {"0x40", "1, 2, 4 or 8"});
}

TEST(MemoryStore, StrictReadsNameTheFirstUnwrittenByte_P77) {
  MemoryStore::Options options;
  options.strict = true;
  options.format_address = [](std::uint64_t pa) { return fmt::format("<{}>", pa); };
  MemoryStore memory(std::move(options));
  memory.write(10, bytes_of({1, 2}).data(), 2);
  memory.write(13, bytes_of({4}).data(), 1);
  EXPECT_EQ(read(memory, 10, 2), bytes_of({1, 2}));
  expect_error([&] { read(memory, 10, 4); }, ErrorFamily::program, "UNWRITTEN_READ",
               {"4 bytes at <10>", "<12>", "byte 2"});
  memory.fill(kPage, kPage, {5, 1});
  EXPECT_EQ(memory.first_unwritten(kPage, kPage + 1), 2 * kPage);
  expect_error([&] { read(memory, 2 * kPage - 1, 2); }, ErrorFamily::program, "UNWRITTEN_READ",
               {fmt::format("<{}>", 2 * kPage)});
}

TEST(MemoryStore, GatherAndScatterKeepExtentOrder) {
  MemoryStore memory;
  memory.scatter({{20, 2}, {10, 3}, {22, 1}}, bytes_of({1, 2, 3, 4, 5, 6}).data());
  EXPECT_EQ(memory.gather({{10, 3}, {20, 3}}), bytes_of({3, 4, 5, 1, 2, 6}));
}

TEST(MemoryStore, AddressesNeverWrapAround) {
  MemoryStore memory;
  std::byte byte{};
  expect_error([&] { memory.write(~std::uint64_t{0}, &byte, 2); }, ErrorFamily::model, "MODEL_ERROR",
               {"end of the address"});
}

// The oracle: one value and one mark per byte.
RC_GTEST_PROP(MemoryStoreProperty, EqualsAnArrayOfBytes, ()) {
  MemoryStore memory;
  constexpr std::uint64_t kAll = 8 * kPage;
  std::vector<std::byte> oracle(kAll);
  std::vector<bool> marks(kAll);
  const auto place = [] {
    const auto page = *rc::gen::inRange<std::uint64_t>(0, 4);
    const auto offset = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 70), rc::gen::inRange(kPage - 70, kPage));
    return page * kPage + offset;
  };
  const int steps = *rc::gen::inRange(1, 20);
  for (int step = 0; step < steps; ++step) {
    const std::uint64_t pa = place();
    if (*rc::gen::arbitrary<bool>()) {
      const auto values = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
      memory.write(pa, reinterpret_cast<const std::byte*>(values.data()), values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        oracle[pa + i] = static_cast<std::byte>(values[i]);
        marks[pa + i] = true;
      }
    } else {
      const auto nbytes = *rc::gen::element<std::uint64_t>(0, 5, 100, kPage, kPage + 33, 2 * kPage, 3 * kPage - 1);
      const Pattern pattern{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::element<std::uint8_t>(1, 2, 4, 8)};
      memory.fill(pa, nbytes, pattern);
      for (std::uint64_t i = 0; i < nbytes; ++i) {
        oracle[pa + i] = static_cast<std::byte>(pattern.value >> (8 * (i % pattern.width)));
        marks[pa + i] = true;
      }
    }
    const std::uint64_t from = place();
    const auto nbytes = *rc::gen::element<std::uint64_t>(1, 64, 200, kPage, 2 * kPage + 7);
    const auto begin = static_cast<std::ptrdiff_t>(from);
    const auto end = static_cast<std::ptrdiff_t>(from + nbytes);
    RC_ASSERT(read(memory, from, nbytes) == std::vector<std::byte>(oracle.begin() + begin, oracle.begin() + end));
    const auto hole = std::find(marks.begin() + begin, marks.begin() + end, false) - marks.begin();
    const auto missing = memory.first_unwritten(from, nbytes);
    RC_ASSERT(missing == (hole == end ? std::nullopt : std::optional<std::uint64_t>(hole)));
  }
}

// A plain array for the addresses from `base` on.
class PlainKeeper final : public contract::IExternalContents {
 public:
  PlainKeeper(std::uint64_t base, std::uint64_t nbytes) : base_(base), bytes_(nbytes) {}
  void read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) override {
    for (std::uint64_t i = 0; i < nbytes; ++i) bytes[i] = bytes_.at(pa - base_ + i);
  }
  void write(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes) override {
    for (std::uint64_t i = 0; i < nbytes; ++i) bytes_.at(pa - base_ + i) = bytes[i];
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::uint64_t base_;
  std::vector<std::byte> bytes_;
};

RC_GTEST_PROP(MemoryStoreProperty, BytesKeptOutsideAreAsThoseInside, ()) {
  constexpr std::uint64_t kEnd = 5 * MemoryStore::kPageBytes, kFirst = MemoryStore::kPageBytes + 100, kKept = 40'000;
  PlainKeeper keeper(kFirst, kKept);
  MemoryStore store, plain;
  store.map_external(kFirst, kKept, keeper);
  const int steps = *rc::gen::inRange(1, 20);
  for (int step = 0; step < steps; ++step) {
    const auto pa = *rc::gen::inRange<std::uint64_t>(0, kEnd);
    const auto nbytes = *rc::gen::inRange<std::uint64_t>(0, kEnd - pa + 1);
    if (*rc::gen::arbitrary<bool>()) {
      const Pattern pattern{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::element<std::uint8_t>(1, 2, 4, 8)};
      store.fill(pa, nbytes, pattern);
      plain.fill(pa, nbytes, pattern);
    } else {
      std::vector<std::byte> bytes(nbytes, static_cast<std::byte>(step + 1));
      store.write(pa, bytes.data(), nbytes);
      plain.write(pa, bytes.data(), nbytes);
    }
  }
  RC_ASSERT(store.gather({{0, kEnd}}) == plain.gather({{0, kEnd}}));
  RC_ASSERT(keeper.bytes() == plain.gather({{kFirst, kKept}}));
  RC_ASSERT(!store.first_unwritten(kFirst, kKept));
}

RC_GTEST_PROP(IntervalMapProperty, EqualsAValuePerAddress, ()) {
  IntervalMap<int> map;
  std::map<std::uint64_t, int> oracle;
  const int steps = *rc::gen::inRange(1, 40);
  for (int step = 0; step < steps; ++step) {
    const auto begin = *rc::gen::inRange<std::uint64_t>(0, 40);
    const auto end = begin + *rc::gen::inRange<std::uint64_t>(0, 20);
    const int value = *rc::gen::inRange(0, 4);
    if (value == 0) {
      map.erase(begin, end);
    } else {
      map.assign(begin, end, value);
    }
    for (std::uint64_t a = begin; a < end; ++a) {
      if (value == 0)
        oracle.erase(a);
      else
        oracle[a] = value;
    }
    std::map<std::uint64_t, int> seen;
    std::uint64_t last_end = 0;
    int last_value = 0;
    map.for_each(3, 50, [&](std::uint64_t b, std::uint64_t e, int v) {
      RC_ASSERT(b < e);
      RC_ASSERT(!(b == last_end && v == last_value));  // neighbours of one value are one range
      last_end = e;
      last_value = v;
      for (std::uint64_t a = b; a < e; ++a) seen[a] = v;
      return true;
    });
    std::map<std::uint64_t, int> expected(oracle.lower_bound(3), oracle.lower_bound(50));
    RC_ASSERT(seen == expected);
  }
}

}  // namespace
}  // namespace kb::data
