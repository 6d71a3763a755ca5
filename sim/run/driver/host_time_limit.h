// The limit of the time that a run may take on this computer (H-83a).
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace kb::elab {
class EventScheduler;
}

namespace kb::sim {

// When the time is over, the simulation is asked to end; it then writes complete results. A process that does not
// react, because user code never calls the simulator, is killed by the watchdog thread: exit code 4, no result files.
// Its message says what was running.
class HostTimeLimit {
 public:
  // The time runs from here on; 0 means no limit.
  explicit HostTimeLimit(double seconds);
  ~HostTimeLimit() { disarm(); }
  HostTimeLimit(const HostTimeLimit&) = delete;
  HostTimeLimit& operator=(const HostTimeLimit&) = delete;

  // The simulation that is to end; it outlives this object or disarm().
  void watch(elab::EventScheduler& scheduler);
  // The simulation has ended and reports what happened, for which it gets more time.
  void acknowledge();
  // The limit has done its work: results are put in place without it.
  void disarm();

  // "the host time limit of 1.5 s was reached"
  std::string headline() const;

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  bool grace_is_over(Clock::time_point since, double cpu_since) const;
  [[noreturn]] void end_process() const;

  double seconds_;
  elab::EventScheduler* scheduler_ = nullptr;
  bool expired_ = false;
  bool acknowledged_ = false;
  bool disarmed_ = false;
  std::mutex mutex_;  // of the members above
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace kb::sim
