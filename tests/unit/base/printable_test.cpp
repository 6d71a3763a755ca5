#include "platform/base/printable.h"

#include <gmock/gmock.h>

namespace kb {
namespace {

TEST(Printable, OrdinaryTextStays) {
  const std::string text = "b\u00fccher/\u6a21\u578b \u00b5s \U0001f600 'x' \\ \"y\"\n\tz";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatSteersATerminalIsWrittenOut) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\r\x07\x7f"), "\\x1b[31mred\\x1b[0m\\x0d\\x07\\x7f");
  EXPECT_EQ(printable("\xc2\x9b\x33m"), "\\u009b3m");  // C1: the same as ESC [
  EXPECT_EQ(printable("a\u202e\u2066\u200f\ufeffb"), "a\\u202e\\u2066\\u200f\\ufeffb");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Printable, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(Printable, ALineStaysOne) {
  EXPECT_EQ(printable_line("a\nb\tc"), "a\\nb\\tc");
}

TEST(Printable, AVeryLongLineIsShortened) {
  const std::string line = printable_line(std::string(1 << 20, 'x') + "end");
  EXPECT_LT(line.size(), 2100u);
  EXPECT_THAT(line, testing::HasSubstr("(1046579 characters left out)"));
  EXPECT_EQ(line.substr(line.size() - 3), "end");
}

}  // namespace
}  // namespace kb
