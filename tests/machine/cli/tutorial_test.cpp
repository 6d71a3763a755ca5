// The tutorial as a reader goes through it: its commands print what it shows, and its tables have the measured figures.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/machine/cli/command_line.h"
#include "tests/support/source_file.h"

namespace kb::test {
namespace {

using testing::HasSubstr;

constexpr const char* kExample = "examples/tutorial";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

std::vector<std::string> cells_of(const std::string& row, char separator) {
  std::vector<std::string> out;
  std::istringstream cells(row);
  for (std::string cell; std::getline(cells, cell, separator);) {
    const std::size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
    out.push_back(first == std::string::npos ? "" : cell.substr(first, last + 1 - first));
  }
  return out;
}

std::string rounded(double value, int digits) {
  std::ostringstream out;
  out.setf(std::ios::fixed);
  out.precision(digits);
  out << value;
  return out.str();
}

// What stands between ```language and ```.
struct Snippet {
  std::string language, text;
};

class TutorialTest : public CommandLineTest {
 protected:
  // The folder of the reader: the example with what its CMakeLists.txt builds.
  void SetUp() override {
    CommandLineTest::SetUp();
    namespace fs = std::filesystem;
    const fs::path example = fs::path(folder()) / kExample;
    fs::create_directories(example / "build");
    fs::create_directories(fs::path(folder()) / "configs");
    fs::create_symlink(KB_TUTORIAL_PLUGIN, example / "build/libtutorial.so");
    write(std::string(kExample) + "/steps.yaml", source_file(std::string(kExample) + "/steps.yaml"));
    write("configs/one_cube.yaml", read_config("one_cube"));
    guide_ = source_file("docs/guides/tutorial.md");
    bool inside = false;
    for (const std::string& line : lines_of(guide_)) {
      if (line.rfind("```", 0) == 0) {
        if (!inside) snippets_.push_back({line.substr(3), ""});
        inside = !inside;
      } else if (inside) {
        snippets_.back().text += line + "\n";
      }
    }
  }

  // A line of the guide that begins with `kernbench`; its output.
  std::string carry_out(const std::string& command) const {
    const Outcome outcome = kernbench(command.substr(command.find(' ') + 1), std::string("cd ") + kExample + ";");
    EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
    return outcome.out;
  }

  // Cells of the rows of the table whose first row begins with `head`.
  std::vector<std::vector<std::string>> table(const std::string& head) const {
    std::vector<std::vector<std::string>> out;
    bool inside = false;
    for (const std::string& line : lines_of(guide_)) {
      if (line.rfind(head, 0) == 0) inside = true;
      if (inside && line.empty()) break;
      if (inside) out.push_back(cells_of(line.substr(1), '|'));
    }
    if (out.size() < 2) {
      ADD_FAILURE() << "the guide has no table that begins with " << head;
      return {};
    }
    out.erase(out.begin(), out.begin() + 2);
    return out;
  }

  const std::string& guide() const { return guide_; }
  const std::vector<Snippet>& snippets() const { return snippets_; }

 private:
  std::string guide_;
  std::vector<Snippet> snippets_;
};

// Each line that is shown is printed, in this order; "..." stands for any lines.
TEST_F(TutorialTest, CommandsPrintWhatIsShown) {
  int shown = 0;
  for (std::size_t i = 0; i < snippets().size(); ++i) {
    if (snippets()[i].language != "sh") continue;
    std::string printed;
    for (const std::string& command : lines_of(snippets()[i].text)) {
      const bool is_run = command.rfind("kernbench run ", 0) == 0;
      if (!is_run && command.rfind("kernbench compare ", 0) != 0) continue;
      printed += carry_out(command);
      if (command.find(" --verify-data") != std::string::npos) {
        EXPECT_THAT(printed, HasSubstr("1 tensor verified: the data is right")) << command;
      }
    }
    if (printed.empty() || i + 1 == snippets().size() || !snippets()[i + 1].language.empty()) continue;
    ++shown;
    const std::vector<std::string> out = lines_of(printed);
    auto at = out.begin();
    for (const std::string& line : lines_of(snippets()[i + 1].text)) {
      if (line == "...") continue;
      const auto found = std::find(at, out.end(), line);
      ASSERT_TRUE(found != out.end()) << "not printed at this place: " << line << "\n" << printed;
      at = found + 1;
    }
  }
  EXPECT_EQ(shown, 6) << "the output of a run in each step";
}

// The table that the sweep gives is the one shown; times, findings and parts of the roof of the other tables follow.
TEST_F(TutorialTest, TablesHaveTheMeasuredFigures) {
  ASSERT_THAT(guide(), HasSubstr("kernbench sweep steps.yaml\ncat sweeps/tutorial/points.csv\n"));
  carry_out("kernbench sweep steps.yaml");
  const std::string points = read(std::string(kExample) + "/sweeps/tutorial/points.csv");
  EXPECT_THAT(guide(), HasSubstr("```\n" + points + "```\n"));

  const std::vector<std::string> rows = lines_of(points);
  const auto summary = table("| Step | Kernel |"), gains = table("| After step |");
  ASSERT_EQ(rows.size(), 7u);  // names of columns, six steps
  ASSERT_EQ(summary.size(), 6u);
  ASSERT_EQ(gains.size(), 5u);
  double before = 0, first = 0, last = 0;
  for (std::size_t step = 1; step <= 6; ++step) {
    const std::vector<std::string> row = cells_of(rows[step], ',');
    ASSERT_GE(row.size(), 10u);
    const std::string finding = "`" + row[3] + "`", gain = rounded(std::strtod(row[4].c_str(), nullptr), 2) + "x";
    last = std::strtod(row[2].c_str(), nullptr);
    if (step == 1) first = last;
    const std::vector<std::string>& shown = summary[step - 1];
    ASSERT_GE(shown.size(), 5u);
    EXPECT_EQ(shown[2], rounded(last / 1000, 1) + " us") << "step " << step;
    EXPECT_EQ(shown[3], rounded(std::strtod(row[9].c_str(), nullptr), 1) + " %") << "step " << step;
    EXPECT_EQ(shown[4], finding + " " + gain) << "step " << step;
    if (step > 1) {
      EXPECT_THAT(gains[step - 2][3], HasSubstr(rounded(before / last, 2) + "x")) << "step " << step;
    }
    if (step < 6) {
      EXPECT_EQ(gains[step - 1][1].substr(0, finding.size()), finding);
      EXPECT_EQ(gains[step - 1][2], gain);
    }
    before = last;
  }
  EXPECT_THAT(guide(), HasSubstr("make it " + rounded(first / last, 0) + " times as fast"));
  EXPECT_GE(std::strtod(cells_of(rows[6], ',')[9].c_str(), nullptr), 80) << "the tutorial ends at 80 % of the roof";
}

}  // namespace
}  // namespace kb::test
