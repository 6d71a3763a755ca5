#include "sim/study/sweep/journal.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace kb::sweep {
namespace {

namespace fs = std::filesystem;

class JournalTest : public testing::Test {
 protected:
  JournalTest() : folder_(testing::TempDir() + "kb_journal_" + std::to_string(::getpid())) { fs::remove_all(folder_); }
  ~JournalTest() override { fs::remove_all(folder_); }

  void append(const std::string& key, const Answer& answer) const { Journal(folder_).append(key, answer); }
  std::map<std::string, Answer> read() const { return Journal::read(folder_); }
  fs::path only_file() const { return fs::directory_iterator(folder_)->path(); }

  std::string folder_;
};

const Answer kOk{true, "", "", {1, 2.5, "text", nullptr}};
const Answer kFailed{false, "TIME_LIMIT_OF_POINT", "took longer\nthan 1 s", {}};

TEST_F(JournalTest, KeepsAnswers) {
  {
    Journal journal(folder_);
    journal.append("a", kOk);
    journal.append("b", kFailed);
  }
  const auto answers = read();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_TRUE(answers.at("a").ok);
  EXPECT_EQ(answers.at("a").cells, kOk.cells);
  EXPECT_FALSE(answers.at("b").ok);
  EXPECT_EQ(answers.at("b").cause, kFailed.cause);
}

TEST_F(JournalTest, WithoutAnswersThereIsNoFile) {
  { const Journal journal(folder_); }
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_TRUE(read().empty());
}

// A kill, a full disk and a broken computer leave beginnings of lines.
TEST_F(JournalTest, EveryBeginningOfAFileIsReadable) {
  {
    Journal journal(folder_);
    journal.append("a", kOk);
    journal.append("b", kOk);
  }
  const fs::path file = only_file();
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t first = text.find('\n');
  for (std::size_t size = 0; size <= text.size(); ++size) {
    std::ofstream(file, std::ios::binary) << text.substr(0, size);
    // The end of a line adds nothing to what it says.
    const std::size_t whole = size >= text.size() - 1 ? 2 : size >= first ? 1 : 0;
    EXPECT_EQ(read().size(), whole) << size;
  }
}

TEST_F(JournalTest, DamagedLinesDoNotCount) {
  append("a", kOk);
  const fs::path file = only_file();
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  text[text.find("2.5")] = '3';
  std::ofstream(file, std::ios::binary) << text;
  EXPECT_TRUE(read().empty());
}

TEST_F(JournalTest, AnAnswerThatIsOkCountsBeforeAFailure) {
  append("a", kFailed);
  append("a", kOk);
  append("b", kOk);
  append("b", kFailed);
  EXPECT_TRUE(read().at("a").ok);
  EXPECT_TRUE(read().at("b").ok);
}

// Clocks of many computers differ, so the order of files says nothing.
TEST_F(JournalTest, OfFailuresTheLastAttemptCounts) {
  append("a", {false, "TIME_LIMIT_OF_POINT", "second", {}, 2});
  append("a", {false, "NO_ANSWER", "first", {}, 1});
  EXPECT_EQ(read().at("a").cause, "second");
  EXPECT_EQ(read().at("a").attempt, 2u);
  append("a", {false, "DEADLOCK", "third", {}, 3});
  EXPECT_EQ(read().at("a").code, "DEADLOCK");
}

}  // namespace
}  // namespace kb::sweep
