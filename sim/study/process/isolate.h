// Runs work in processes of their own: SystemC elaborates once per process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kb::sim {

// Calls every job in a forked process, a few at a time, and returns what each returned, in job order. The first failing
// job's kb::Error is rethrown here with its family and code; a crash becomes a model Error. Must be called before this
// process uses SystemC or starts threads.
// `on_answer` hears how many have answered.
std::vector<std::string> run_isolated(const std::vector<std::function<std::string()>>& jobs,
                                      const std::function<void(std::size_t answered)>& on_answer = nullptr);

}  // namespace kb::sim
