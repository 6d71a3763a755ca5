#include "platform/base/split.h"

#include <gmock/gmock.h>

namespace kb {
namespace {

using testing::ElementsAre;

TEST(Split, HasOnePartMoreThanSeparators) {
  EXPECT_THAT(split("a,bc,d", ','), ElementsAre("a", "bc", "d"));
  EXPECT_THAT(split(",a,", ','), ElementsAre("", "a", ""));
  EXPECT_THAT(split("a,b", ';'), ElementsAre("a,b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

}  // namespace
}  // namespace kb
