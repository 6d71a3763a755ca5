// Times of launches that are kept (M-96).
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "sim/study/step/step_times.h"

namespace kb::step {
namespace {

class MemoTest : public testing::Test {
 protected:
  MemoTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("kb_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
                 std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
  }
  ~MemoTest() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(MemoTest, KeepsTimesForLaterSteps_M96) {
  {
    Memo memo(folder_.string());
    memo.add("a", Answer{{5_fs}, {}});
    memo.add("b", Answer{{7_fs, 9_fs}, {}});
  }
  const Memo memo(folder_.string());
  EXPECT_EQ(memo.from_folder(), 2U);
  ASSERT_NE(memo.find("b"), nullptr);
  EXPECT_EQ(memo.find("b")->times, (std::vector<TimeFs>{7_fs, 9_fs}));
  EXPECT_EQ(memo.find("c"), nullptr);
}

// M-101: a step that counts no events loses none of an earlier one.
TEST_F(MemoTest, EventsStayWhenTimesAreWrittenAgain) {
  Events events{{{"hbm.bit", 4096}, {"banked/row/use", 3}}, {}};
  events.declared["banked/row/use"].value = 7;
  {
    Memo memo(folder_.string());
    memo.add("a", Answer{{5_fs}, events});
    memo.add("a", Answer{{5_fs}, {}});
    memo.add("none", Answer{{6_fs}, Events()});
  }
  const Memo memo(folder_.string());
  ASSERT_TRUE(memo.find("a")->events);
  EXPECT_EQ(memo.find("a")->events->counts, events.counts);
  EXPECT_EQ(memo.find("a")->events->declared.at("banked/row/use").value, 7);
  EXPECT_TRUE(memo.find("none")->events) << "counted, and there were none";
}

TEST_F(MemoTest, WithoutAFolderItForgets_M96) {
  Memo("").add("a", Answer{{5_fs}, {}});
  EXPECT_EQ(Memo("").find("a"), nullptr);
}

TEST_F(MemoTest, TwoWritersShareAFolder_M96) {
  Memo one(folder_.string()), other(folder_.string());
  one.add("a", Answer{{5_fs}, {}});
  other.add("b", Answer{{6_fs}, {}});
  EXPECT_EQ(Memo(folder_.string()).from_folder(), 2U);
}

TEST_F(MemoTest, ALineThatIsCutShortIsNoTime_M96) {
  {
    Memo memo(folder_.string());
    memo.add("a", Answer{{5_fs}, {}});
    memo.add("b", Answer{{123456_fs}, {}});
  }
  for (const auto& file : std::filesystem::directory_iterator(folder_)) {
    std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) - 3);
  }
  const Memo memo(folder_.string());
  EXPECT_NE(memo.find("a"), nullptr);
  EXPECT_EQ(memo.find("b"), nullptr);
}

}  // namespace
}  // namespace kb::step
