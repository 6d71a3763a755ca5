// Runs programs concurrently.
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
  std::string log = {};              // file for its output, unless a descriptor is set
  std::string program = {};          // executable, when it differs from command[0]
  int input = -1;                    // descriptor of standard input; -1: no input
  int output = -1;                   // descriptor of standard output; -1: the log
  int messages = -1;                 // descriptor of standard error; -1: the log
  bool whole_environment = false;    // for an outside program, which may need the user's settings
  // Function to call in the child process instead of a program; the process inherits the open files of this one.
  std::function<void()> call = {};
};

struct ProcessEnd {
  int code = 0;             // 128 + signal when a signal ended it; 127 when it was not started
  int signal = 0;           // signal that ended it
  std::string not_started;  // reason; empty when it was started
  double wall_s = 0;
  double cpu_s = 0;
  double rss_mb = 0;  // maximum memory
};

// Processes that are started one by one. Running ones are killed when the pool is destroyed and when this process ends.
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

  // At most `parallel` processes at a time; 0 = one per core.
  explicit ProcessPool(int parallel);
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  std::size_t running() const { return children_.size(); }
  bool full() const { return children_.size() >= limit_; }
  // Returns false when the pool is full, or when the system cannot create another process now; the pool then keeps its
  // current size. Configuration Error when no process can be created at all.
  bool start(const ProcessJob& job, std::size_t id);
  // Waits until a process ends; at least one must be running.
  Ended wait();
  // Returns no value when no process has ended within this time.
  std::optional<Ended> wait_for(std::chrono::milliseconds most);
  std::vector<Under> in_flight() const;
  void kill(std::size_t id);

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    pid_t pid;
    std::size_t id;
    Clock::time_point start;
    std::string not_started;
    int descriptor;  // readable when the process has ended; -1: not supported by the system
  };
  bool start_process(const ProcessJob& job, std::size_t id);
  std::optional<Ended> take(bool block);

  std::size_t limit_;
  std::vector<std::string> clean_, whole_;  // environments
  std::vector<Running> children_;
};

// Runs all jobs, at most `parallel` at a time (0 = one per core; fewer when the system cannot create more), and returns
// their ends in job order. `on_exit` is called in the order in which jobs end; when it throws or this process ends,
// running jobs are killed. The environment of a job has no workload parameters and no settings of drawing programs.
// Configuration Error when no process can be created.
std::vector<ProcessEnd> run_processes(const std::vector<ProcessJob>& jobs, int parallel,
                                      const std::function<void(std::size_t job, const ProcessEnd&)>& on_exit = nullptr);

}  // namespace kb::sim
