#include "platform/base/printable.h"

#include <gmock/gmock.h>

namespace kb {
namespace {

TEST(Printable, OrdinaryTextStays) {
  const std::string text = "b\u00fccher/\u6a21\u578b \u00b5s \U0001f600 'x' \\ \"y\"\nz";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatSteersATerminalIsWrittenOut) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\r\x07\x7f"), "\\x1b[31mred\\x1b[0m\\x0d\\x07\\x7f");
  EXPECT_EQ(printable("\xc2\x9b\x33m"), "\\u009b3m");  // C1: the same as ESC [
  EXPECT_EQ(printable("a\u202e\u2066\u200f\ufeffb"), "a\\u202e\\u2066\\u200f\\ufeffb");
  EXPECT_EQ(printable("\xef\xbf\xbf\U000e0041"), "\\uffff\\ue0041");  // a noncharacter, a tag
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Printable, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(printable("\x80z\xe6\xbc"), "\\x80z\\xe6\\xbc");
  EXPECT_EQ(printable("\xc0\xaf\xe0\x80\xaf"), "\\xc0\\xaf\\xe0\\x80\\xaf");  // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");                    // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");           // beyond U+10FFFF
}

TEST(Printable, TheLastPartBeginsWithACharacter) {
  EXPECT_EQ(last_part("short", 5), "short");
  EXPECT_EQ(last_part("a longer one", 3), "...one");
  EXPECT_EQ(last_part("xx\u00e9z", 2), "...z");
}

TEST(Printable, ALineStaysOne) {
  EXPECT_EQ(printable_line("a\nb\tc"), "a\\nb\\tc");
}

TEST(Printable, ATabIsWrittenOut) {
  EXPECT_EQ(printable("a\tb\nc"), "a\\tb\nc");
}

TEST(Printable, AVeryLongWordIsShortenedAndWhatIsSaidOfItStays) {
  const std::string path(3000, '9');
  const std::string line = printable_line("there is no file '" + path + "' (shorten '" + path + "')");
  EXPECT_LT(line.size(), 400u);
  EXPECT_THAT(line, testing::StartsWith("there is no file '999"));
  EXPECT_THAT(line, testing::HasSubstr("(2882 characters left out)"));  // 120 of the word, one of them a quote
  EXPECT_THAT(line, testing::EndsWith("999')"));
  EXPECT_EQ(printable_line("'" + std::string(254, '9') + "'"), "'" + std::string(254, '9') + "'");
}

TEST(Printable, AVeryLongWordIsNotCutInsideACharacter) {
  std::string word;
  for (int i = 0; i < 500; ++i) word += "\u6a21";
  for (const char* before : {"", "a", "ab"}) {
    EXPECT_EQ(printable_line(before + word).find("\\x"), std::string::npos) << before;
  }
}

TEST(Printable, AVeryLongLineIsShortened) {
  std::string text;
  while (text.size() < (1 << 20)) text += "words ";
  const std::string line = printable_line(text + "end");
  EXPECT_LT(line.size(), 2100u);
  EXPECT_THAT(line, testing::HasSubstr(" characters left out)"));
  EXPECT_THAT(line, testing::EndsWith("end"));
}

}  // namespace
}  // namespace kb
