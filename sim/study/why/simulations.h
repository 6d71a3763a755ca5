// Measures points by running them in forked processes.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/journal.h"
#include "sim/study/why/measure.h"
#include "sim/study/why/repeat.h"

namespace kb::why {

// Must be used before this process uses SystemC or starts threads.
class Simulations final : public IMeasurer {
 public:
  // `jobs` processes at a time, 0: one per core. No point runs after `end`. Answers are kept in the folder of the run,
  // and those of an earlier call are taken from there. `told` is called a few times per second, with the number of
  // points that ran so far.
  using Clock = std::chrono::steady_clock;
  Simulations(const Repeat& repeat, int jobs, std::optional<Clock::time_point> end,
              std::function<void(std::size_t ran)> told);

  std::vector<Measure> measure(const std::vector<Request>& requests) override;
  std::size_t ran() const { return ran_; }  // points that this process ran

  static std::string journal_folder(const std::string& run_folder);

 private:
  bool is_over() const { return end_ && Clock::now() >= *end_; }
  std::string key_of(const Request& request) const;
  void run_missing(const std::vector<Request>& requests, const std::vector<std::string>& keys);

  const Repeat& repeat_;
  int jobs_;
  std::optional<Clock::time_point> end_;
  std::function<void(std::size_t)> told_;
  std::string identity_;
  sweep::Journal journal_;
  std::map<std::string, sweep::Answer> known_;
  std::size_t ran_ = 0;
};

// Runs the point in this process, once.
Measure simulate_point(const Repeat& repeat, const Request& request);

}  // namespace kb::why
