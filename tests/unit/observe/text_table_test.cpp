#include "platform/observe/text_table.h"

#include <gtest/gtest.h>

namespace kb::observe {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesNoTrailingBlanks) {
  TextTable table(
      {{"name", TextTable::Align::left}, {"ns", TextTable::Align::right}, {"note", TextTable::Align::left}});
  table.add({"a", "7", "x"});
  table.add({"longer", "1234", ""});
  EXPECT_EQ(table.render(" "),
            " name      ns  note\n"
            " ------  ----  ----\n"
            " a          7  x\n"
            " longer  1234\n");
}

TEST(TextTable, CountsCodePointsNotBytes) {
  TextTable table({{"u", TextTable::Align::left}, {"v", TextTable::Align::left}});
  table.add({"\xc2\xb5s", "1"});
  table.add({"ab", "2"});
  EXPECT_EQ(table.render(), "u   v\n--  -\n\xc2\xb5s  1\nab  2\n");
}

TEST(TextTable, BreaksTheLastColumnWhereALineWouldBeLonger) {
  TextTable table({{"name", TextTable::Align::left}, {"meaning", TextTable::Align::left}});
  table.add({"a", "words that do not fit into one line of the table"});
  table.add({"b", "short"});
  EXPECT_EQ(table.render(" ", 28),
            " name  meaning\n"
            " ----  ---------------------\n"
            " a     words that do not fit\n"
            "       into one line of the\n"
            "       table\n"
            " b     short\n");
}

TEST(Wrapped, ALongWordHasALineOfItsOwn) {
  EXPECT_EQ(wrapped("a verylongword is here", 7), (std::vector<std::string>{"a", "verylongword", "is here"}));
  EXPECT_TRUE(wrapped("  ", 7).empty());
}

TEST(Fixed, RoundsLikePrintf) {
  EXPECT_EQ(fixed(2.345, 1), "2.3");
  EXPECT_EQ(fixed(-0.5, 2), "-0.50");
}

}  // namespace
}  // namespace kb::observe
