#include "sim/run/driver/progress.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

namespace kb::sim {
namespace {

using testing::MatchesRegex;
using testing::StartsWith;

TEST(ProgressText, TellsTimeLaunchesEventsAndAnEstimate) {
  EXPECT_EQ(progress_text({1'234'000_ns, 6'000'000, 2, 8, "launches"}, 10.0),
            "simulated 1234.000 us, 2 of 8 launches, 6.0 million events, 600 thousand per second, 10 s; "
            "about 30 s more for those");
}

TEST(ProgressText, ATimeLimitIsAnEstimate) {
  EXPECT_EQ(progress_text({250_ns, 5000, 0, 1, "launches", 1000_ns}, 5.0),
            "simulated 0.250 us, 0 of 1 launches, 5 thousand events, 1 thousand per second, 5 s; "
            "at most 15 s more to the time limit");
}

TEST(ProgressText, NothingDoneGivesNoEstimate) {
  EXPECT_EQ(progress_text({0_fs, 0, 0, 0, "transactions"}, 0.0),
            "simulated 0.000 us, 0 of 0 transactions, 0 thousand events, 0 thousand per second, 0 s; no estimate");
}

// Standard error as a pipe.
class ProgressLineTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(ends_), 0);
    before_ = ::dup(STDERR_FILENO);
    ::dup2(ends_[1], STDERR_FILENO);
  }
  void TearDown() override {
    ::dup2(before_, STDERR_FILENO);
    for (const int end : {ends_[0], ends_[1], before_}) ::close(end);
  }
  // Waits for the next line; "" when nothing comes for so long.
  std::string next_line(int patience_ms) const {
    pollfd waiting{ends_[0], POLLIN, 0};
    int ready = 0;
    while ((ready = ::poll(&waiting, 1, patience_ms)) < 0 && errno == EINTR) {
    }
    if (ready != 1) return "";
    char text[512];
    const ssize_t length = ::read(ends_[0], text, sizeof text);
    return {text, static_cast<std::size_t>(length)};
  }

 private:
  int ends_[2] = {};
  int before_ = -1;
};

constexpr int kLong = 60'000;

TEST(PointsText, EstimatesTheRest) {
  EXPECT_EQ(points_text(0, 10, 0, 3.0), "0 of 10 points; no estimate");
  EXPECT_EQ(points_text(120, 1000, 3, 5.0), "120 of 1000 points, 3 failed, 24 per second; about 37 s more");
  EXPECT_EQ(points_text(1, 1001, 0, 60.0), "1 of 1001 points, 0.0167 per second; about 1000 min more");
}

TEST_F(ProgressLineTest, AnswersASignal) {
  ProgressLine line(Progress::on_request);
  line.stage("building the machine");
  ::raise(SIGUSR1);
  EXPECT_EQ(next_line(kLong), "progress: building the machine\n");
  line.stage(nullptr);
  EXPECT_FALSE(line.due());
  ::raise(SIGUSR1);
  EXPECT_TRUE(line.due());
  EXPECT_FALSE(line.due());
  line.update({5_ns, 3000, 1, 2, "launches"});
  EXPECT_THAT(next_line(kLong), StartsWith("progress: simulated 0.005 us, 1 of 2 launches, 3 thousand events"));
}

// A step that reports nothing: its line comes from the timer.
TEST_F(ProgressLineTest, IsNotSilentWhileAStepTakesLong) {
  ProgressLine line(Progress::wanted);
  line.stage("computing the data");
  EXPECT_THAT(next_line(kLong), MatchesRegex("progress: computing the data, [0-9]+ s\n"));
}

TEST_F(ProgressLineTest, AStepTellsItsNewsAndForgetsThemAtTheNext) {
  ProgressLine line(Progress::on_request);
  line.stage("simulating launches");
  for (const char* news : {"3 launches simulated", "4 launches simulated"}) {
    line.news(news);
    ::raise(SIGUSR1);
    EXPECT_THAT(next_line(kLong), StartsWith(std::string("progress: ") + news));
  }
  line.news(std::string(2000, 'x'));
  ::raise(SIGUSR1);
  EXPECT_LT(next_line(kLong).size(), 500u);
  line.stage("computing the data");
  ::raise(SIGUSR1);
  EXPECT_THAT(next_line(kLong), StartsWith("progress: computing the data"));
}

TEST_F(ProgressLineTest, ASignalBeforeAndAfterIsIgnored) {
  { const ProgressLine line(Progress::on_request); }
  ::raise(SIGUSR1);
  const ProgressLine off(Progress::off);
  ::raise(SIGUSR1);
  EXPECT_EQ(next_line(0), "");
}

}  // namespace
}  // namespace kb::sim
