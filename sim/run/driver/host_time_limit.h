// Limit of a run's wall-clock time (H-83a).
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

// When the time is over, the simulation is asked to end, and then writes complete results. A process that does not
// react, because user code does not return to the simulator, is killed by the watchdog thread, with exit code 4 and
// without result files; the message names the running code.
class HostTimeLimit {
 public:
  // Starts the timer; 0 means no limit.
  explicit HostTimeLimit(double seconds);
  ~HostTimeLimit() { disarm(); }
  HostTimeLimit(const HostTimeLimit&) = delete;
  HostTimeLimit& operator=(const HostTimeLimit&) = delete;

  // Sets the simulation to end; it must outlive this object or disarm().
  void watch(elab::EventScheduler& scheduler);
  // Called when the simulation has ended and reports its results, which extends the time.
  void acknowledge();
  // Disables the limit; the results are then committed without it.
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
  std::mutex mutex_;  // protects the members above
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace kb::sim
