// Runs programs side by side.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kb::sim {

struct ProcessJob {
  std::vector<std::string> command;  // program and arguments
  std::string log = {};              // file for what it prints, as far as no descriptor is given for that
  std::string program = {};          // what to run when command[0] is only what it is called
  int input = -1;                    // file descriptor of what it reads; none: it reads nothing
  int output = -1;                   // of what it prints; none: the log
  int messages = -1;                 // of what it prints to stderr; none: the log
  bool whole_environment = false;    // a program from outside, which may need what the user has set
  // What to do in place of a program, with the files that this process has; its end is the end of the process.
  std::function<void()> call = {};
};

struct ProcessEnd {
  int code = 0;             // 128 + signal when a signal ended it, 127 when it was not started
  int signal = 0;           // that ended it
  std::string not_started;  // why; empty when it was
  double wall_s = 0;
  double cpu_s = 0;
  double rss_mb = 0;  // the most it had
};

// Processes that are started one by one. Those under way are killed when it ends, and when this process does.
class ProcessPool {
 public:
  struct Ended {
    std::size_t id = 0;
    ProcessEnd end;
  };
  struct Under {
    std::size_t id = 0;
    double wall_s = 0;
    pid_t pid = 0;
  };

  // At most `parallel` at a time; 0 = one per core.
  explicit ProcessPool(int parallel);
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  std::size_t running() const { return children_.size(); }
  bool full() const { return children_.size() >= limit_; }
  // False when it is full, or when the system has no room for another process now: then the pool gets no larger than
  // it is. Configuration Error when no process can be made.
  bool start(const ProcessJob& job, std::size_t id);
  // Waits until one ends; one has to be under way.
  Ended wait();
  // Returns no value when none has ended by then.
  std::optional<Ended> wait_for(std::chrono::milliseconds most);
  std::vector<Under> under_way() const;
  void kill(std::size_t id);

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    pid_t pid;
    std::size_t id;
    Clock::time_point start;
    std::string not_started;
    int descriptor;  // readable when it has ended; -1: the system has none
  };
  bool start_process(const ProcessJob& job, std::size_t id);
  std::optional<Ended> take(bool block);

  std::size_t limit_;
  std::vector<std::string> clean_, whole_;  // environments
  std::vector<Running> children_;
};

// Runs every job, at most `parallel` at a time (0 = one per core; fewer when the system has no room for more), and
// returns how they ended in job order. `on_exit` is called in the order in which jobs end; when it throws or this
// process ends, jobs under way are killed. The environment of a job holds no workload parameters and nothing that
// programs for figures read. Configuration Error when no process can be made.
std::vector<ProcessEnd> run_processes(const std::vector<ProcessJob>& jobs, int parallel,
                                      const std::function<void(std::size_t job, const ProcessEnd&)>& on_exit = nullptr);

}  // namespace kb::sim
