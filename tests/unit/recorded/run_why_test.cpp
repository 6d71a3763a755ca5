// A ladder is shown with the run that it is about, and with no other. H-82w.
#include "sim/analysis/recorded/run_why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/recorded/known_why.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::analysis {
namespace {

using test::known_inputs;
using test::known_why;
using testing::HasSubstr;

class RunWhyTest : public test::RunFolders {
 protected:
  RunWhyTest() {
    test::explain(result_);
    write("r/inputs.json", result::render(known_inputs()));
    write("r/why/why.json", result::render(known_why()));
  }
  RunWhy look() const { return read_run_why(path("r"), result_); }
  std::string problem() const {
    const RunWhy found = look();
    EXPECT_FALSE(found.ladder);
    return found.problem;
  }

  result::Result result_ = result_of();
};

TEST_F(RunWhyTest, TheLadderOfTheRun) {
  const RunWhy found = look();
  EXPECT_EQ(found.problem, "");
  ASSERT_TRUE(found.ladder);
  EXPECT_EQ(result::render(*found.ladder), result::render(known_why()));
}

TEST_F(RunWhyTest, ARunWithoutOne) {
  const RunWhy found = read_run_why(path("nowhere"), result_);
  EXPECT_FALSE(found.ladder);
  EXPECT_EQ(found.problem, "");
}

// The run was made again, with something else, after it was measured.
TEST_F(RunWhyTest, ALadderOfOtherInputs) {
  write("r/inputs.json", result::render(known_inputs("another")));
  EXPECT_EQ(problem(),
            "why/why.json is about another run: the machine, the workload or another input was changed since then; "
            "`kernbench why DIR` measures this one");
}

TEST_F(RunWhyTest, ALadderOfAnotherTime) {
  result_.launches[0].completed = TimeFs(1'100'000'001);
  EXPECT_EQ(problem(),
            "why/why.json is about another run: that took 1000 ns, and this one takes 1000.000001 ns; `kernbench why "
            "DIR` measures this one");
  result_.launch_count = 2;  // of which one is not listed: its time is not known
  EXPECT_TRUE(look().ladder);
}

TEST_F(RunWhyTest, ALadderOfAnotherProgram) {
  result_.setup.version = "10";
  EXPECT_THAT(problem(), HasSubstr("kernbench 9 measured it, and kernbench 10 made this one"));
}

// One sentence with the file and the place in it; the folder is not named, because a report goes elsewhere.
TEST_F(RunWhyTest, ADamagedLadder) {
  std::string text = result::render(known_why());
  text.replace(text.find("\"points\": 7"), 11, "\"points\": -7");
  write("r/why/why.json", text);
  EXPECT_EQ(problem(),
            "why/why.json: is damaged: /points must be a whole number, not -7 (`kernbench why` writes it again)");
  write("r/why/why.json", R"({"schema": "kernbench why 7"})");
  EXPECT_THAT(problem(), HasSubstr("why/why.json: schema is \"kernbench why 7\" and this program reads"));
  write("r/why/why.json", "{");
  EXPECT_THAT(problem(), HasSubstr("why/why.json:1:2: is not JSON"));
}

// H-82x: the same for the tornado, which is there or not by itself.
TEST_F(RunWhyTest, ATornado) {
  EXPECT_FALSE(look().tornado);
  EXPECT_EQ(look().tornado_problem, "");
  write("r/why/tornado.json", result::render(test::known_tornado()));
  ASSERT_TRUE(look().tornado);
  EXPECT_EQ(result::render(*look().tornado), result::render(test::known_tornado()));
  std::filesystem::remove(path("r/why/why.json"));
  EXPECT_TRUE(look().tornado);
  EXPECT_FALSE(look().ladder);
  write("r/inputs.json", result::render(known_inputs("another")));
  EXPECT_FALSE(look().tornado);
  EXPECT_EQ(look().tornado_problem,
            "why/tornado.json is about another run: the machine, the workload or another input was changed since then; "
            "`kernbench why --machine DIR` measures this one");
  write("r/why/tornado.json", "{");
  EXPECT_THAT(look().tornado_problem, HasSubstr("why/tornado.json:1:2: is not JSON"));
}

TEST_F(RunWhyTest, ARunWithoutInputs) {
  std::filesystem::remove(path("r/inputs.json"));
  EXPECT_THAT(problem(), HasSubstr("inputs.json: there is no such file"));
}

TEST_F(RunWhyTest, LinksThatLeadOutAreNotFollowed) {
  write("elsewhere/why.json", result::render(known_why()));
  std::filesystem::remove(path("r/why/why.json"));
  std::filesystem::create_symlink(path("elsewhere/why.json"), path("r/why/why.json"));
  EXPECT_EQ(problem(), "why/why.json is a symbolic link that leads out of the folder");
  std::filesystem::remove_all(path("r/why"));
  std::filesystem::create_directory_symlink(path("elsewhere"), path("r/why"));
  EXPECT_EQ(problem(), "why/why.json is a symbolic link that leads out of the folder");
}

}  // namespace
}  // namespace kb::analysis
