#include "sim/study/files/csv.h"

#include <gtest/gtest.h>

namespace kb::files {
namespace {

TEST(Csv, QuotesWhatWouldBreakTheLine) {  // RFC 4180
  EXPECT_EQ(csv_line({"a", "", "12.5"}), "a,,12.5\n");
  EXPECT_EQ(csv_line({"a,b", "say \"x\"", "two\nlines", "\r", " plain "}),
            "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"\r\", plain \n");
}

std::vector<std::string> records(std::string_view text) {
  std::vector<std::string> found;
  CsvReader reader(text);
  for (std::vector<CsvCell> record; reader.next(record);) {
    std::string line = std::to_string(reader.line()) + ":";
    for (const CsvCell& cell : record) line += (cell.quoted ? " <" : " [") + cell.text + (cell.quoted ? ">" : "]");
    found.push_back(line + " " + std::string(reader.text()));
  }
  return found;
}

TEST(Csv, ReadsRecordsWithTheirLines) {
  using Records = std::vector<std::string>;
  EXPECT_EQ(records("\xef\xbb\xbf# names\nid, time ,\r\n\r\n 1,\t2.5,x y\n"),
            (Records{"2: [id] [time] [] id, time ,", "4: [1] [2.5] [x y] 1,\t2.5,x y"}));
  EXPECT_EQ(records("a,\"b, \"\"c\"\"\n# d\", \"\"\ne"),
            (Records{"1: [a] <b, \"c\"\n# d> <> a,\"b, \"\"c\"\"\n# d\", \"\"", "3: [e] e"}));
  EXPECT_EQ(records("  # only this\n\n  \n"), Records{});
  EXPECT_EQ(records(""), Records{});
  EXPECT_EQ(records("a,\"never ends\nb"), (Records{"1: [a] <never ends\nb> a,\"never ends\nb"}));
}

TEST(Csv, ReadsWhatItWrites) {
  const std::vector<std::string> cells{"a,b", "say \"x\"", "two\nlines", "", "plain", "\r"};
  std::vector<CsvCell> record;
  const std::string text = csv_line(cells);
  CsvReader reader(text);
  ASSERT_TRUE(reader.next(record));
  std::vector<std::string> read;
  for (const CsvCell& cell : record) read.push_back(cell.text);
  EXPECT_EQ(read, cells);
  EXPECT_FALSE(reader.next(record));
}

TEST(Csv, TakesOneLineApart) {
  const std::vector<CsvCell> cells = csv_cells("#1, \"a,b\" ,");
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].text, "#1");
  EXPECT_EQ(cells[1].text, "a,b");
  EXPECT_TRUE(cells[1].quoted);
  EXPECT_EQ(cells[2].text, "");
}

}  // namespace
}  // namespace kb::files
