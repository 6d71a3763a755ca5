#include "sim/study/process/isolate.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "platform/base/error.h"

namespace kb::sim {
namespace {

TEST(Isolate, AnswersComeInJobOrderFromOtherProcesses) {
  std::vector<std::function<std::string()>> jobs;
  for (int i = 0; i < 20; ++i) {
    jobs.push_back([i] { return std::to_string(i) + (::getpid() == ::getppid() ? "" : std::string(70000, 'x')); });
  }
  const pid_t own = ::getpid();
  jobs.push_back([own] { return std::string(::getpid() == own ? "same" : "other"); });
  std::vector<std::size_t> heard;
  const std::vector<std::string> answers = run_isolated(jobs, {[&](std::size_t done) { heard.push_back(done); }});
  ASSERT_EQ(heard.size(), jobs.size());
  for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(heard[i], i + 1);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(answers[static_cast<std::size_t>(i)], std::to_string(i) + std::string(70000, 'x'));
  }
  EXPECT_EQ(answers[20], "other");
}

// What others have answered is not lost with a job that fails.
TEST(Isolate, ResultsAreThereAsSoonAsTheirJobsHaveEnded) {
  std::vector<std::string> results(3);
  IsolatedRun run;
  run.at_once = 1;
  run.on_result = [&](std::size_t job, const std::string& result) { results[job] = result; };
  EXPECT_THROW(run_isolated({[] { return std::string("first"); },
                             []() -> std::string { throw Error::program("ADDRESS_ERROR", "no such place"); },
                             [] { return std::string("third"); }},
                            run),
               Error);
  EXPECT_EQ(results, (std::vector<std::string>{"first", "", "third"}));
}

TEST(Isolate, ErrorsKeepFamilyCodeAndMessage) {
  try {
    run_isolated({[] { return std::string("fine"); },
                  []() -> std::string { throw Error::program("ADDRESS_ERROR", "no such place"); }});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::program);
    EXPECT_EQ(error.code(), "ADDRESS_ERROR");
    EXPECT_STREQ(error.what(), "no such place");
  }
}

TEST(Isolate, TooLittleMemoryIsNoDefect) {
  try {
    run_isolated({[]() -> std::string { throw std::bad_alloc(); }});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_THAT(error.what(), testing::HasSubstr("not enough memory"));
  }
}

TEST(Isolate, ACrashIsAModelError) {
  try {
    run_isolated({[]() -> std::string { ::_exit(7); }});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::model);
    EXPECT_THAT(error.what(), testing::HasSubstr("code 7"));
  }
}

}  // namespace
}  // namespace kb::sim
