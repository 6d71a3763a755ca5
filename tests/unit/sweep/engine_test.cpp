// Points in processes: answers, failures, limits, further tries.
#include "sim/study/sweep/engine.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <thread>

#include "platform/base/error.h"

namespace kb::sweep {
namespace {

using testing::HasSubstr;

std::map<std::uint64_t, Answer> run(std::size_t count, const std::function<Answer(std::uint64_t)>& body,
                                    const Limits& limits = {}) {
  std::vector<std::uint64_t> points(count);
  std::iota(points.begin(), points.end(), 0);
  std::map<std::uint64_t, Answer> answers;
  EngineWork work;
  work.run = body;
  work.finished = [&](std::uint64_t point, const Answer& answer) {
    EXPECT_TRUE(answers.emplace(point, answer).second) << point;
  };
  run_points(points, work, limits, 2);
  return answers;
}

Answer cell(std::uint64_t value) {
  return {true, "", "", {value}};
}

TEST(Engine, EveryPointHasItsAnswer) {
  const auto answers = run(50, [](std::uint64_t point) { return cell(point * point); });
  ASSERT_EQ(answers.size(), 50u);
  for (const auto& [point, answer] : answers) EXPECT_EQ(answer.cells.at(0), point * point);
}

TEST(Engine, WhatAPointThrowsIsItsFailure) {
  const auto answers = run(2, [](std::uint64_t point) {
    if (point == 1) throw Error::program("DEADLOCK", "nobody moves");
    return cell(point);
  });
  EXPECT_TRUE(answers.at(0).ok);
  EXPECT_EQ(answers.at(1).code, "DEADLOCK");
  EXPECT_EQ(answers.at(1).cause, "nobody moves");
}

TEST(Engine, ACrashIsAFailureWithTheLastWords) {
  Limits limits;
  limits.retries = 0;
  const auto answers = run(
      2,
      [](std::uint64_t point) {
        if (point == 1) {
          std::printf("about to fall\n");
          std::fflush(stdout);
          std::signal(SIGSEGV, SIG_DFL);
          ::raise(SIGSEGV);
        }
        return cell(point);
      },
      limits);
  EXPECT_TRUE(answers.at(0).ok);
  EXPECT_EQ(answers.at(1).code, "NO_ANSWER");
  EXPECT_THAT(answers.at(1).cause, HasSubstr("signal 11"));
  EXPECT_THAT(answers.at(1).cause, HasSubstr("about to fall"));
}

TEST(Engine, APointThatEndsWithoutAnAnswerIsTriedAgain) {
  const std::string mark = testing::TempDir() + "kb_engine_" + std::to_string(::getpid());
  std::filesystem::remove(mark);
  const auto once = [&](std::uint64_t point) {
    if (!std::filesystem::exists(mark)) {
      std::ofstream(mark) << "tried";
      ::raise(SIGKILL);
    }
    return cell(point);
  };
  Limits limits;
  limits.retries = 1;
  EXPECT_TRUE(run(1, once, limits).at(0).ok);
  std::filesystem::remove(mark);
  limits.retries = 0;
  EXPECT_EQ(run(1, once, limits).at(0).code, "NO_ANSWER");
  std::filesystem::remove(mark);
}

TEST(Engine, ALimitOfTimeEndsAPoint) {
  Limits limits;
  limits.time_s = 0.3;
  limits.retries = 0;
  const auto answers = run(
      1,
      [](std::uint64_t point) {
        std::this_thread::sleep_for(std::chrono::seconds(60));
        return cell(point);
      },
      limits);
  EXPECT_EQ(answers.at(0).code, "TIME_LIMIT_OF_POINT");
  EXPECT_EQ(answers.at(0).cause, "took longer than the 0.3 s of limits.time");
}

TEST(Engine, ALimitOfMemoryEndsAPoint) {
  Limits limits;
  limits.memory_mb = 600;
  const auto answers = run(
      2,
      [](std::uint64_t point) {
        if (point == 1) return cell(point);
        std::vector<char> large(std::size_t{800} << 20);
        for (std::size_t i = 0; i < large.size(); i += 4096) large[i] = 1;
        return cell(static_cast<std::uint64_t>(large[4096]));
      },
      limits);
  EXPECT_EQ(answers.at(0).code, "MEMORY_LIMIT_OF_POINT");
  EXPECT_EQ(answers.at(0).cause, "used more than the 600 MB of limits.memory (2 tries)");
  EXPECT_TRUE(answers.at(1).ok);
}

TEST(Engine, WhatTheCallerThrowsEndsIt) {
  EngineWork work;
  work.run = [](std::uint64_t point) {
    if (point > 0) std::this_thread::sleep_for(std::chrono::seconds(60));
    return cell(point);
  };
  work.finished = [](std::uint64_t, const Answer&) { throw Error::configuration("disk full"); };
  EXPECT_THROW(run_points({0, 1}, work, {}, 2), Error);
}

}  // namespace
}  // namespace kb::sweep
