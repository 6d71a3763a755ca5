#include "sim/process/process_pool.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "platform/base/error.h"

extern char** environ;

namespace kb::sim {
namespace {

constexpr int kNotStarted = 127;

// Workload parameters can come from the environment; a point is given all of them and must not depend on its caller's.
std::vector<std::string> clean_environment() {
  constexpr std::array<std::string_view, 7> kKept{
      "PATH=", "HOME=", "TMPDIR=", "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "FONTCONFIG_"};
  std::vector<std::string> kept{"SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1", "LC_ALL=C.UTF-8"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto starts = [&](std::string_view name) { return text.substr(0, name.size()) == name; };
    if (std::any_of(kKept.begin(), kKept.end(), starts)) kept.emplace_back(text);
  }
  return kept;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

using Clock = std::chrono::steady_clock;

struct Running {
  pid_t pid;
  std::size_t job;
  Clock::time_point start;
  std::string not_started;
};

ProcessEnd end_of(const Running& child, int status, const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  ProcessEnd end;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.code = end.signal != 0 ? 128 + end.signal : WEXITSTATUS(status);
  end.not_started = child.not_started;
  end.wall_s = std::chrono::duration<double>(Clock::now() - child.start).count();
  end.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  end.rss_mb = static_cast<double>(usage.ru_maxrss) / 1024.0;
  return end;
}

// Ends what is still under way when the caller gives up. A stopped or deaf process must not keep it waiting.
class Group {
 public:
  Group() = default;
  ~Group() {
    for (const Running& child : children_) ::kill(child.pid, SIGKILL);
    for (const Running& child : children_) {
      while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) continue;
    }
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  std::size_t size() const { return children_.size(); }
  void add(Running child) { children_.push_back(std::move(child)); }

  // Waits for the next one to end.
  ProcessEnd wait(std::size_t& job) {
    while (true) {
      int status = 0;
      rusage usage{};
      const pid_t pid = ::wait4(-1, &status, 0, &usage);
      if (pid < 0 && errno == EINTR) continue;
      if (pid < 0) throw Error::model(std::string("waiting for processes: ") + std::strerror(errno));
      const auto found =
          std::find_if(children_.begin(), children_.end(), [pid](const Running& r) { return r.pid == pid; });
      if (found == children_.end()) continue;
      job = found->job;
      const ProcessEnd end = end_of(*found, status, usage);
      children_.erase(found);
      return end;
    }
  }

 private:
  std::vector<Running> children_;
};

// What the child needs, made before fork(): where a program is to be run, there is no heap after it.
struct Start {
  const char* program;
  char* const* command;
  char* const* environment;
  const ProcessJob* job;
  pid_t parent;
  int report;  // pipe that ends when the program runs
};

enum Step : int { kLog, kInput, kExecute };
struct Failure {
  int step;
  int error_number;
};

[[noreturn]] void give_up(const Start& start, Step step) {
  const Failure failure{step, errno};
  const ssize_t written = ::write(start.report, &failure, sizeof failure);
  static_cast<void>(written);
  ::_exit(kNotStarted);
}

[[noreturn]] void become(const Start& start) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);                     // what it has written so far is of no use to anybody
  if (::getppid() != start.parent) ::_exit(kNotStarted);  // who died before that
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGPIPE}) ::signal(signal, SIG_DFL);
  const ProcessJob& job = *start.job;
  if (job.call) {
    ::close(start.report);
    job.call();
    ::_exit(0);
  }
  int output = job.output, messages = job.messages;
  if (output < 0 || messages < 0) {
    const int log = ::open(job.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (log < 0) give_up(start, kLog);
    if (output < 0) output = log;
    if (messages < 0) messages = log;
  }
  const int input = job.input < 0 ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : job.input;
  if (input < 0 || ::dup2(input, STDIN_FILENO) < 0) give_up(start, kInput);
  if (::dup2(output, STDOUT_FILENO) < 0 || ::dup2(messages, STDERR_FILENO) < 0) give_up(start, kLog);
  ::execvpe(start.program, start.command, start.environment);
  give_up(start, kExecute);
}

// Waits until the program runs; says why it does not.
std::string why_not_started(int report, const ProcessJob& job, const char* program) {
  Failure failure{};
  ssize_t got = 0;
  while ((got = ::read(report, &failure, sizeof failure)) < 0 && errno == EINTR) continue;
  if (got != static_cast<ssize_t>(sizeof failure)) return {};
  const std::string reason = std::string(": ") + std::strerror(failure.error_number);
  if (failure.step == kLog)
    return "cannot write " + (job.log.empty() ? std::string("what it prints") : job.log) + reason;
  return (failure.step == kInput ? std::string("/dev/null") : std::string(program)) + reason;
}

// Nothing when the system has no room for another process now.
std::optional<Running> start_process(const ProcessJob& job, std::size_t index, char* const* environment) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return std::nullopt;
  std::vector<std::string> command = job.command;
  const std::vector<char*> arguments = pointers(command);
  const char* const program = job.program.empty() && !job.call ? command[0].c_str() : job.program.c_str();
  if (job.call) std::fflush(nullptr);  // or the child would write it, too
  Running child{0, index, Clock::now(), {}};
  const Start start{program, arguments.data(), environment, &job, ::getpid(), report[1]};
  child.pid = ::fork();
  if (child.pid == 0) become(start);
  const int error_number = errno;
  ::close(report[1]);
  if (child.pid > 0) child.not_started = why_not_started(report[0], job, program);
  ::close(report[0]);
  errno = error_number;
  return child.pid < 0 ? std::nullopt : std::optional(std::move(child));
}

// Files that are opened later must not be taken for standard ones that the caller has closed.
void open_standard_files() {
  int opened = 0;
  while (opened >= 0 && opened <= STDERR_FILENO) opened = ::open("/dev/null", O_RDWR);
  if (opened >= 0) ::close(opened);
}

}  // namespace

std::vector<ProcessEnd> run_processes(const std::vector<ProcessJob>& jobs, int parallel,
                                      const std::function<void(std::size_t job, const ProcessEnd&)>& on_exit) {
  std::size_t limit =
      parallel > 0 ? static_cast<std::size_t>(parallel) : std::max(1u, std::thread::hardware_concurrency());
  open_standard_files();
  std::vector<std::string> environment = clean_environment();
  const std::vector<char*> environment_list = pointers(environment);
  std::vector<ProcessEnd> ends(jobs.size());
  Group group;
  for (std::size_t next = 0; next < jobs.size() || group.size() > 0;) {
    if (next < jobs.size() && group.size() < limit) {
      if (std::optional<Running> child = start_process(jobs[next], next, environment_list.data())) {
        group.add(std::move(*child));
        ++next;
        continue;
      }
      if (group.size() == 0) {
        throw Error::configuration(std::string("cannot start a process: ") + std::strerror(errno) +
                                   "; end others, or raise the limits of this shell (ulimit -a)");
      }
      limit = group.size();
    }
    std::size_t job = 0;
    const ProcessEnd end = group.wait(job);
    ends[job] = end;
    if (on_exit) on_exit(job, end);
  }
  return ends;
}

}  // namespace kb::sim
