#include "sim/files/csv.h"

#include <gtest/gtest.h>

namespace kb::files {
namespace {

TEST(Csv, QuotesWhatWouldBreakTheLine) {  // RFC 4180
  EXPECT_EQ(csv_line({"a", "", "12.5"}), "a,,12.5\n");
  EXPECT_EQ(csv_line({"a,b", "say \"x\"", "two\nlines", "\r", " plain "}),
            "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"\r\", plain \n");
}

}  // namespace
}  // namespace kb::files
