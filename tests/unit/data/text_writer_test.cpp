#include "platform/data/text_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace kb::data {
namespace {

template <typename Write>
std::string written(Write&& write) {
  fmt::memory_buffer buffer;
  {
    TextWriter out(buffer);
    write(out);
  }
  return fmt::to_string(buffer);
}

TEST(TextWriter, WritesNumbersAsFmtDoes) {
  std::uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits, power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1, power / 7, 8 * power}) {
      EXPECT_EQ(written([&](TextWriter& out) { out.decimal(value); }), std::to_string(value));
      EXPECT_EQ(written([&](TextWriter& out) { out.hex(value); }), fmt::format("{:#x}", value));
      const auto number = -static_cast<std::int64_t>(value / 2);
      EXPECT_EQ(written([&](TextWriter& out) { out.decimal(number); }), std::to_string(number));
      EXPECT_EQ(written([&](TextWriter& out) { out.nanoseconds(TimeFs(number)); }), format_ns(TimeFs(number)));
      EXPECT_EQ(written([&](TextWriter& out) { out.nanoseconds(TimeFs(-number)); }), format_ns(TimeFs(-number)));
    }
  }
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(written([&](TextWriter& out) { out.decimal(lowest); }), std::to_string(lowest));
  EXPECT_EQ(written([&](TextWriter& out) { out.decimal(-5); }), "-5");
  EXPECT_EQ(written([&](TextWriter& out) { out.decimal(std::numeric_limits<std::uint64_t>::max()); }),
            "18446744073709551615");
  EXPECT_EQ(written([&](TextWriter& out) { out.hex(std::numeric_limits<std::uint64_t>::max()); }),
            "0xffffffffffffffff");
}

TEST(TextWriter, AppendsAndGrows) {
  fmt::memory_buffer buffer;
  buffer.append(std::string_view("head "));
  std::string expected = "head ";
  for (int round = 0; round < 300; ++round) {
    TextWriter out(buffer);
    out.text("piece ");
    out.decimal(round);
    out.put(' ');
    out.padded(std::array<char, 8>{'a', 'b', 'x', 'x'}, 2);
    expected += "piece " + std::to_string(round) + " ab";
    EXPECT_EQ(out.size(), expected.size());
  }
  EXPECT_EQ(fmt::to_string(buffer), expected);
}

}  // namespace
}  // namespace kb::data
