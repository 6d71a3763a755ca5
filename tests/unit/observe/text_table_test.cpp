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

TEST(TextTable, HeadingsStandOverTheirRows) {
  TextTable table({{"u", TextTable::Align::left}, {"v", TextTable::Align::left}});
  table.add_heading("some long words");
  table.add({"a", "1"});
  table.add({"b", "2"});
  table.add_heading("others");
  table.add({"c", "3"});
  EXPECT_EQ(table.render(" "),
            " u  v\n -  -\n"
            "\n some long words\n a  1\n b  2\n"
            "\n others\n c  3\n");
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

TEST(TextTable, BreaksTheColumnsThatWrapFromTheWidestOn) {
  TextTable table({{"who", TextTable::Align::left, true}, {"what", TextTable::Align::left, true}, {"ns"}});
  table.add({"somebody with a name of many words", "something that takes as many words as that", "5"});
  table.add({"a", "b", "6"});
  table.add({"... and more"});
  EXPECT_EQ(table.render(" ", 60),
            " who                         what                         ns\n"
            " --------------------------  ---------------------------  --\n"
            " somebody with a name of     something that takes as      5\n"
            " many words                  many words as that\n"
            " a                           b                            6\n"
            " ... and more\n");
  EXPECT_EQ(table.render(" ", 10), table.render(" ", 1)) << "no column becomes narrower than 20";
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
