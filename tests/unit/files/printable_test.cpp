#include "sim/files/printable.h"

#include <gtest/gtest.h>

namespace kb::files {
namespace {

TEST(Printable, ShowsWhatTerminalsWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mb\x7f\r\n\tc"), "a\\x1b[31mb\\x7f\\x0d\n\\x09c");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m\xe2\x80\xae\xef\xbb\xbf"),
            "\\u009b31m\\u202e\\ufeff");
}

TEST(Printable, LeavesTextAlone) {
  for (const char* text : {"", "plain", "µs, é, 漢字, 😀", "two\nlines", "\xf4\x8f\xbf\xbd"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");           // cut
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");  // not the shortest form
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\x80"
                      "a\xe6\xbc"),
            "\\x80a\\xe6\\xbc");
}

TEST(Printable, TheLastPartBeginsWithACharacter) {
  EXPECT_EQ(last_part("short", 5), "short");
  EXPECT_EQ(last_part("a longer one", 3), "...one");
  EXPECT_EQ(last_part("xxéz", 2), "...z");
}

}  // namespace
}  // namespace kb::files
