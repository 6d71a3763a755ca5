// Whose fault it is that the run of a point failed (E-100).
#include "sim/evaluate/point_failure.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/support/own_process.h"

namespace kb::evaluate {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Point kPoint{"p1", "noop", {{"m", "7"}}};

sim::ProcessEnd ended(int code, int signal = 0) {
  sim::ProcessEnd end;
  end.code = signal != 0 ? 128 + signal : code;
  end.signal = signal;
  return end;
}

TEST(PointFailure, ARunThatEndsByItselfKeepsItsFamily) {
  for (const ErrorFamily family :
       {ErrorFamily::configuration, ErrorFamily::program, ErrorFamily::model, ErrorFamily::no_progress}) {
    const Error error = failure_of(kPoint, ended(exit_code(family)), "last words\n\n");
    EXPECT_EQ(error.family(), family);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("point p1 (bench noop m=7) ended with code"), HasSubstr(": last words")));
  }
  EXPECT_EQ(failure_of(kPoint, ended(77), "").family(), ErrorFamily::model);
  EXPECT_THAT(failure_of(kPoint, ended(77), "").what(), HasSubstr("it printed nothing"));
}

TEST(PointFailure, SignalsFromOutsideAreNotTheModelsFault_E100) {
  const Error killed = failure_of(kPoint, ended(0, SIGKILL), "");
  EXPECT_EQ(killed.family(), ErrorFamily::configuration);
  EXPECT_THAT(killed.what(), AllOf(HasSubstr("p1"), HasSubstr("signal 9 (Killed)"), HasSubstr("--jobs"),
                                   HasSubstr("finished points are kept")));
  for (const int signal : {SIGTERM, SIGHUP, SIGXCPU, SIGXFSZ, SIGUSR1}) {
    const Error error = failure_of(kPoint, ended(0, signal), "words");
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("signal " + std::to_string(signal)), HasSubstr(": words")));
  }
  EXPECT_EQ(failure_of(kPoint, ended(130), "").family(), ErrorFamily::configuration);
}

TEST(PointFailure, ACrashIsTheModelsFaultUnlessMemoryIsLimited_E100) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &limit), 0);
  if (limit.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "memory is limited";
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS}) {
    EXPECT_EQ(failure_of(kPoint, ended(0, signal), "").family(), ErrorFamily::model);
  }
#if !defined(__SANITIZE_ADDRESS__)  // whose shadow memory is beyond every limit
  const bool right = test::in_own_process([] {
    const rlimit few{rlim_t{1} << 34, rlim_t{1} << 34};
    if (::setrlimit(RLIMIT_AS, &few) != 0) return false;
    const Error crash = failure_of(kPoint, ended(0, SIGABRT), ""), ours = failure_of(kPoint, ended(3), "");
    const Error program = failure_of(kPoint, ended(1), "");
    return crash.family() == ErrorFamily::configuration && ours.family() == ErrorFamily::configuration &&
           program.family() == ErrorFamily::program &&
           std::string(crash.what()).find("16777216 KiB of memory (ulimit -v)") != std::string::npos;
  });
  EXPECT_TRUE(right);
#endif
}

TEST(PointFailure, AProgramThatIsNotStartedSaysWhy_E100) {
  sim::ProcessEnd end = ended(127);
  end.not_started = "/proc/self/exe: Permission denied";
  EXPECT_THAT(failure_of(kPoint, end, "").what(), HasSubstr("could not be started: /proc/self/exe: Permission denied"));
  EXPECT_EQ(failure_of(kPoint, end, "").family(), ErrorFamily::configuration);
  const Error loader = failure_of(kPoint, ended(127), "error while loading shared libraries: x");
  EXPECT_EQ(loader.family(), ErrorFamily::configuration);
  EXPECT_THAT(loader.what(), HasSubstr("loading shared libraries"));
}

TEST(PointFailure, WhatItPrintedIsCutAndReadable) {
  const std::string what = failure_of(kPoint, ended(3), std::string(1 << 20, 'x') + "\x1b[31mend").what();
  EXPECT_LT(what.size(), 5000u);
  EXPECT_THAT(what, AllOf(HasSubstr("...xxx"), HasSubstr("\\x1b[31mend")));
}

}  // namespace
}  // namespace kb::evaluate
