#include "sim/study/sweep/plots.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/base/error.h"
#include "sim/study/files/files.h"
#include "sim/study/sweep/table.h"

namespace kb::sweep {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Table table() {
  return {{"x", "word", "tile", "y"},
          {{2, "b", 16, 20.0}, {1, "a'`x`", 16, 10.0}, {1, "a'`x`", 32, 5.0}, {2, "b", 32, nullptr}}};
}

Plot plot(const std::string& x, const std::string& series) {
  Plot plot;
  plot.name = "p";
  plot.x = x;
  plot.y = "y";
  plot.series = series;
  return plot;
}

class PlotsTest : public testing::Test {
 protected:
  PlotsTest() : folder_(testing::TempDir() + "kb_plots_" + std::to_string(::getpid())) { fs::remove_all(folder_); }
  ~PlotsTest() override { fs::remove_all(folder_); }
  std::string folder_;
};

TEST_F(PlotsTest, ALineForEverySeriesInTheOrderOfX) {
  const PlotFiles files = plot_files(plot("x", "tile"), table());
  EXPECT_THAT(files.data, HasSubstr("1 10\n2 20\n\n\n1 5\n"));
  EXPECT_THAT(files.script, HasSubstr("index 0 using 1:2 with linespoints pointtype 7 title \"16\""));
  EXPECT_THAT(files.script, HasSubstr("index 1"));
  EXPECT_TRUE(is_generated_script(files.script));
}

TEST_F(PlotsTest, WordsAndRepeatedPointsCanBeDrawn) {
  const PlotFiles files = plot_files(plot("word", ""), table());
  EXPECT_THAT(files.script, HasSubstr("set xtics (\"b\" 0, \"a\\0047\\0140x\\0140\" 1)"));
  EXPECT_THAT(files.script, HasSubstr("with points"));
}

TEST_F(PlotsTest, RowsCanBeChosen) {
  Plot one = plot("x", "");
  one.where = {{"tile", "16.0"}, {"word", "b"}};
  EXPECT_THAT(plot_files(one, table()).data, HasSubstr("\n2 20\n"));
  EXPECT_THAT(plot_files(one, table()).data, testing::Not(HasSubstr("1 ")));
}

TEST_F(PlotsTest, NothingToDrawIsAnError) {
  Table empty = table();
  for (auto& row : empty.rows) row[3] = nullptr;
  EXPECT_THROW(plot_files(plot("x", ""), empty), Error);
}

TEST_F(PlotsTest, AnEditedScriptStaysAndIsDrawn) {
  draw_plots({plot("x", "tile")}, table(), folder_);
  for (const char* name : {"/p.svg", "/p.png", "/p.dat", "/p.gp"}) EXPECT_TRUE(fs::exists(folder_ + name)) << name;
  const std::string script = files::read_file(folder_ + "/p.gp");
  draw_plots({plot("x", "")}, table(), folder_);
  EXPECT_NE(files::read_file(folder_ + "/p.gp"), script) << "nobody has edited it";

  const std::string edited = "set title \"mine and only mine\"\n" + script;
  std::ofstream(folder_ + "/p.gp") << edited;
  draw_plots({plot("x", "tile")}, table(), folder_);
  EXPECT_EQ(files::read_file(folder_ + "/p.gp"), edited);
  EXPECT_THAT(files::read_file(folder_ + "/p.svg"), HasSubstr("mine and only mine"));
}

TEST_F(PlotsTest, AScriptThatGnuplotRefusesLeavesThePictures) {
  draw_plots({plot("x", "tile")}, table(), folder_);
  const std::string before = files::read_file(folder_ + "/p.svg");
  std::ofstream(folder_ + "/p.gp") << "plot nonsense(\n";
  EXPECT_THROW(draw_plots({plot("x", "tile")}, table(), folder_), Error);
  EXPECT_EQ(files::read_file(folder_ + "/p.svg"), before);
}

}  // namespace
}  // namespace kb::sweep
