#include "sim/web/report/answers.h"

#include <gtest/gtest.h>

#include "sim/web/report/static_part.h"

namespace kb::web {
namespace {

// RFC 4648, section 10, and the digits that are no letters.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xfb\xff\xfe\0", 4)), "+//+AA==");
}

// As keyOf() of web/src/answers.ts: a change here is one there.
TEST(AnswerKey, HasTheParametersThatAreNotEmptyByName) {
  EXPECT_EQ(key_of("/api/run", {}), "/api/run");
  EXPECT_EQ(key_of("/api/cells", {{"t1", "9"}, {"run", ""}, {"t0", "1"}}), "/api/cells t0=1 t1=9");
  EXPECT_EQ(key_of("/api/profile", {{"t0", "1"}, {"t1", "2"}, {"px", "512"}, {"under", "sip0"}}),
            "/api/profile t0=1 t1=2 under=sip0");
  EXPECT_EQ(key_of("/api/activity", {{"t0", "1"}, {"t1", "2"}, {"names", "1"}, {"kind", "state"}}),
            "/api/activity kind=state t0=1 t1=2");
}

TEST(StaticPart, DurationsHaveTheirUnit) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(1662.300012), "1662.3 ns");
  EXPECT_EQ(duration_text(118941.016), "118.94 µs");
  EXPECT_EQ(duration_text(2.5e7), "25 ms");
}

}  // namespace
}  // namespace kb::web
