// Uses in a few bytes against the uses themselves, on both sides of every limit.
#include "platform/record/packed_usage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace kb::record {
namespace {

constexpr std::int64_t kWord = std::int64_t{1} << 32;   // where a number no longer fits into a word,
constexpr std::int64_t kBytes = std::int64_t{1} << 29;  // and bytes no longer beside the kind
const std::vector<std::int64_t> kTimes = {0, 1, 1000, kWord - 1, kWord, kWord + 1, std::int64_t{1} << 50};
const std::vector<std::int64_t> kCounts = {0, 1, kBytes - 1, kBytes, kBytes + 1, kWord - 1, kWord};

class RandomUses {
 public:
  explicit RandomUses(std::uint64_t seed) : random_(seed) {}

  std::int64_t of(const std::vector<std::int64_t>& values) { return values[random_() % values.size()]; }
  // Half of them without a gap, half with what fits everywhere.
  Usage use(TimeFs begin) {
    const bool small = random_() % 2 == 0, dense = random_() % 2 == 0, waited = random_() % 2 == 0;
    const auto time = [&] { return TimeFs(small ? of({1, 1000}) : of(kTimes)); };
    const auto count = [&] { return static_cast<std::uint64_t>(small ? of({0, 64}) : of(kCounts)); };
    Usage use{begin, begin + 1_fs + time()};
    use.busy = dense ? use.end - use.begin : time();
    if (waited) use.wait = time();
    if (waited) use.queue = count();
    use.bytes = count();
    return use;
  }

 private:
  std::mt19937_64 random_;
};

bool operator==(const Usage& a, const Usage& b) {
  return a.begin == b.begin && a.end == b.end && a.busy == b.busy && a.wait == b.wait && a.bytes == b.bytes &&
         a.queue == b.queue;
}

// What is read at `from`, behind a use that ends at `end`.
Usage read(const char* from, TimeFs end) {
  Usage use{0_fs, end};
  PackedUsage::get(from, use);
  return use;
}

TEST(PackedUsage, IsReadAsItWasWritten) {
  RandomUses random(1);
  for (int round = 0; round < 100'000; ++round) {
    const TimeFs end = TimeFs(std::int64_t{1} << 51);
    const TimeFs gap(round % 7 == 0 ? -random.of(kTimes) : random.of(kTimes));
    const Usage use = random.use(end + gap);
    char bytes[PackedUsage::kMaxBytes + 1];
    const PackedUsage packed(end, use);
    ASSERT_LE(packed.bytes(), PackedUsage::kMaxBytes);
    bytes[packed.bytes()] = '|';
    ASSERT_EQ(packed.put(bytes), bytes + packed.bytes());
    ASSERT_EQ(bytes[packed.bytes()], '|');
    ASSERT_TRUE(read(bytes, end) == use) << "round " << round;
  }
  EXPECT_EQ(PackedUsage(0_fs, {5_fs, 9_fs, 4_fs, 0_fs, 64, 0}).bytes(), 12u);
  EXPECT_EQ(PackedUsage(0_fs, {5_fs, 9_fs, 3_fs, 7_fs, 64, 1}).bytes(), 24u);
}

TEST(PackedUsage, JoinedUsesAreTheirSum) {
  RandomUses random(2);
  int joined = 0;
  for (int round = 0; round < 100'000; ++round) {
    const Usage first = random.use(10_fs), second = random.use(first.end);
    char bytes[PackedUsage::kMaxBytes];
    const PackedUsage packed(0_fs, first);
    packed.put(bytes);
    const bool waited = first.wait != 0_fs || first.queue != 0;
    const Usage sum{first.begin,
                    second.end,
                    second.end - first.begin,
                    first.wait + second.wait,
                    first.bytes + second.bytes,
                    std::max(first.queue, second.queue)};
    const bool fits = PackedUsage(0_fs, first).bytes() < PackedUsage::kMaxBytes &&
                      PackedUsage(0_fs, sum).bytes() < PackedUsage::kMaxBytes;
    const bool alike = first.is_dense() && second.is_dense() && (waited || (second.wait == 0_fs && second.queue == 0));
    ASSERT_EQ(PackedUsage::join(bytes, second), fits && alike) << "round " << round;
    ASSERT_TRUE(read(bytes, 0_fs) == (fits && alike ? sum : first)) << "round " << round;
    if (fits && alike) ++joined;
  }
  EXPECT_GT(joined, 5'000);
}

}  // namespace
}  // namespace kb::record
