// Runs a piece of a test in a process of its own: SystemC builds one machine per process.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <type_traits>

namespace kb::test {

// What `run` returns, a plain value; a failed expectation when the process ended before that. Expectations inside `run`
// reach nobody.
template <typename Run>
auto in_own_process(Run run) {
  using Result = std::invoke_result_t<Run>;
  static_assert(std::is_trivially_copyable_v<Result>);
  int ends[2];
  if (::pipe(ends) != 0) {
    ADD_FAILURE() << "no pipe";
    return Result{};
  }
  const pid_t child = ::fork();
  if (child == 0) {
    const Result result = run();
    ::_exit(::write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result) ? 0 : 1);
  }
  ::close(ends[1]);
  Result result{};
  EXPECT_EQ(::read(ends[0], &result, sizeof result), static_cast<ssize_t>(sizeof result)) << "the run ended early";
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return result;
}

}  // namespace kb::test
