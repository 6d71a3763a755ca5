#include "sim/study/requests/timestamp.h"

#include <gtest/gtest.h>

namespace kb::requests {
namespace {

constexpr std::int64_t kDay = 86'400'000'000'000;

TEST(Timestamp, DatesAndTimes) {  // M-68
  EXPECT_EQ(timestamp_ns("1970-01-01 00:00:00"), 0);
  EXPECT_EQ(timestamp_ns("2023-11-16 18:00:00.2500001"), 1'700'157'600'250'000'100);
  EXPECT_EQ(timestamp_ns("2023-11-16T18:00:00.250000199999"), 1'700'157'600'250'000'199);
  EXPECT_EQ(timestamp_ns("2000-03-01 00:00:00").value() - timestamp_ns("2000-02-28 00:00:00").value(), 2 * kDay);
  EXPECT_EQ(timestamp_ns("2100-03-01 00:00:00").value() - timestamp_ns("2100-02-28 00:00:00").value(), kDay);
  EXPECT_EQ(timestamp_ns("2024-01-01 00:00:00").value() - timestamp_ns("2023-12-31 23:59:59.5").value(), 500'000'000);
}

TEST(Timestamp, OffsetsAreTakenOff) {  // M-68
  EXPECT_EQ(timestamp_ns("2024-05-10 00:00:00.009930+00:00"), timestamp_ns("2024-05-10 00:00:00.00993"));
  EXPECT_EQ(timestamp_ns("2024-05-10 02:00:00+02:00"), timestamp_ns("2024-05-10 00:00:00Z"));
  EXPECT_EQ(timestamp_ns("2024-05-09 18:30:00-05:30"), timestamp_ns("2024-05-10 00:00:00"));
}

TEST(Timestamp, OtherTextsAreNone) {  // M-78
  for (const char* text : {"", "2023-11-16", "2023-11-16 18:00", "2023-13-01 00:00:00", "2023-02-29 00:00:00",
                           "2023-11-16 24:00:00", "2023-11-16 18:00:00.", "2023-11-16 18:00:00 x", "23-11-16 18:00:00",
                           "2023-11-16 18:61:00", "2023-11-16 18:00:00+2", "2023-11-16  18:00:00", "x"}) {
    EXPECT_FALSE(timestamp_ns(text)) << text;
  }
}

}  // namespace
}  // namespace kb::requests
