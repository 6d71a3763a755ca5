// Runs a part of a test in a separate process, because SystemC elaborates once per process.
#pragma once

#include <cstring>
#include <type_traits>

#include "sim/study/process/isolate.h"

namespace kb::test {

// Returns the result of `run`, a plain value. An Error is rethrown; failed expectations inside `run` are lost.
template <typename Run>
auto in_own_process(Run run) {
  using Result = std::invoke_result_t<Run>;
  static_assert(std::is_trivially_copyable_v<Result>);
  const std::string bytes = sim::run_isolated({[&] {
    const Result result = run();
    return std::string(reinterpret_cast<const char*>(&result), sizeof result);
  }})[0];
  Result result;
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}

}  // namespace kb::test
