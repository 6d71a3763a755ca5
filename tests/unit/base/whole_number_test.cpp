#include "platform/base/whole_number.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace kb {
namespace {

template <typename Number>
std::string read(const std::string& text) {
  Number value{};
  const std::errc error = parse_whole(text, value);
  if (error == std::errc::result_out_of_range) return "range";
  return error == std::errc{} ? std::to_string(value) : "no";
}

TEST(WholeNumber, IsDecimal) {
  EXPECT_EQ(read<std::uint64_t>("0"), "0");
  EXPECT_EQ(read<std::uint64_t>("010"), "10");
  EXPECT_EQ(read<std::uint64_t>("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(read<std::int64_t>("-9223372036854775808"), "-9223372036854775808");
  for (const char* text : {"",   " 1", "1 ", "0x10", "1_000", "1,000", "+1",  "--1",  "nan",    "inf",
                           "1e", "e4", ".",  "-",    "1e4x",  "1k",    "1.5", "1e-1", "1.25e1", "\xd9\xa1"}) {
    EXPECT_EQ(read<std::int64_t>(text), "no") << text;
    EXPECT_EQ(read<std::uint64_t>(text), "no") << text;
  }
}

TEST(WholeNumber, MayHaveAnExponentWhenItIsWhole) {
  EXPECT_EQ(read<std::uint64_t>("1e4"), "10000");
  EXPECT_EQ(read<std::int64_t>("-2.5E+3"), "-2500");
  EXPECT_EQ(read<std::int64_t>("1200e-2"), "12");
  EXPECT_EQ(read<std::int64_t>("4.0"), "4");
  EXPECT_EQ(read<std::int64_t>("0e99999999999"), "0");
  EXPECT_EQ(read<std::uint64_t>("1.8446744073709551615e19"), "18446744073709551615");
}

TEST(WholeNumber, BeyondTheTypeIsNoOtherNumber) {
  EXPECT_EQ(read<std::uint64_t>("18446744073709551616"), "range");
  EXPECT_EQ(read<std::int64_t>("9223372036854775808"), "range");
  EXPECT_EQ(read<std::int64_t>("1e19"), "range");
  EXPECT_EQ(read<std::int64_t>("1e99999999999"), "range");
  EXPECT_EQ(read<std::uint64_t>("-1"), "no");
  EXPECT_EQ(read<std::uint64_t>(std::string(100000, '9')), "range");
}

}  // namespace
}  // namespace kb
