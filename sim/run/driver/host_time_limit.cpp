#include "sim/run/driver/host_time_limit.h"

#include <csignal>
#include <ctime>

#include "platform/elab/event_scheduler.h"
#include "platform/observe/json_writer.h"
#include "sim/run/driver/interrupt.h"

namespace kb::sim {
namespace {

constexpr std::chrono::milliseconds kInterval{100};

// Time limits for the process to react, and to report: wall-clock seconds, of which a minimum was CPU time. A process
// that gets no processor on a busy computer has the longer limit, which also ends one that sleeps.
struct Grace {
  double host_s;
  double cpu_s;
  double longest_s;
};
constexpr Grace kToReact{2.0, 1.0, 10.0};
constexpr Grace kToReport{60.0, 30.0, 300.0};

double process_cpu_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Text about the code that did not react.
std::string running(const elab::EventScheduler* scheduler) {
  const elab::Foreground::View view = elab::EventScheduler::foreground().view();
  if (view.code == elab::UserCode::none) {
    return scheduler == nullptr ? "before the simulation, while the machine was built"
                                : "in the simulator, which works on one step";
  }
  char text[512];
  describe(view, text, sizeof text);
  return scheduler == nullptr ? text : text + (", at " + format_ns(view.since) + " ns of simulated time");
}

}  // namespace

HostTimeLimit::HostTimeLimit(double seconds) : seconds_(seconds) {
  if (seconds <= 0.0) return;
  // Signals are handled by the simulation's thread.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { run(); });
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void HostTimeLimit::watch(elab::EventScheduler& scheduler) {
  const std::lock_guard<std::mutex> lock(mutex_);
  scheduler_ = &scheduler;
  if (expired_) scheduler.request_end();
}

void HostTimeLimit::acknowledge() {
  const std::lock_guard<std::mutex> lock(mutex_);
  acknowledged_ = true;
}

void HostTimeLimit::disarm() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    disarmed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string HostTimeLimit::headline() const {
  return "the host time limit of " + observe::shortest(seconds_) + " s was reached";
}

void HostTimeLimit::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (changed_.wait_for(lock, std::chrono::duration<double>(seconds_), [this] { return disarmed_; })) return;
  expired_ = true;
  if (scheduler_ != nullptr) scheduler_->request_end();
  const Clock::time_point since = Clock::now();
  const double cpu_since = process_cpu_s();
  while (!changed_.wait_for(lock, kInterval, [this] { return disarmed_; })) {
    if (grace_is_over(since, cpu_since)) end_process();  // holds the lock, so that no results are committed
  }
}

bool HostTimeLimit::grace_is_over(Clock::time_point since, double cpu_since) const {
  const Grace& grace = acknowledged_ ? kToReport : kToReact;
  const double host_s = std::chrono::duration<double>(Clock::now() - since).count();
  if (host_s >= grace.longest_s) return true;
  return host_s >= grace.host_s && process_cpu_s() - cpu_since >= grace.cpu_s;
}

void HostTimeLimit::end_process() const {
  const std::string what = acknowledged_ ? "the table of the run without progress takes too long" : running(scheduler_);
  end_for_host_time(("HOST_TIME_LIMIT: " + headline() + " and the process did not react: " + what).c_str());
}

}  // namespace kb::sim
