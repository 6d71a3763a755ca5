#include "sim/study/process/process_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "platform/base/error.h"

extern char** environ;

namespace kb::sim {
namespace {

constexpr int kNotStarted = 127;
constexpr std::chrono::milliseconds kLook{5};  // polling interval where the system cannot notify of a process's end

// Workload parameters may come from the environment; a point gets all of its parameters explicitly and must not depend
// on the caller's environment.
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

std::vector<std::string> whole_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// Data of the child, prepared before fork(), because the child must not use the heap before exec.
struct Start {
  const char* program;
  char* const* command;
  char* const* environment;
  const ProcessJob* job;
  pid_t parent;
  int report;  // pipe that closes when the program runs
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

// An exception must not reach the caller in the parent's copied stack.
[[noreturn]] void call(const ProcessJob& job) {
  int code = 0;
  try {
    job.call();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::fflush(stderr);
    code = 1;
  }
  ::_exit(code);
}

[[noreturn]] void become(const Start& start) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);                     // its partial output is useless
  if (::getppid() != start.parent) ::_exit(kNotStarted);  // the parent died before the call above
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  const ProcessJob& job = *start.job;
  if (job.call) call(job);
  ::signal(SIGXFSZ, SIG_DFL);  // a library call reports the failed write instead
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

// Waits until the program runs; returns the reason when it does not.
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

// Prevents later files from getting the descriptors of standard files that the caller has closed.
void open_standard_files() {
  int opened = 0;
  while (opened >= 0 && opened <= STDERR_FILENO) opened = ::open("/dev/null", O_RDWR);
  if (opened >= 0) ::close(opened);
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

}  // namespace

ProcessPool::ProcessPool(int parallel)
    : limit_(parallel > 0 ? static_cast<std::size_t>(parallel) : std::max(1u, std::thread::hardware_concurrency())),
      clean_(clean_environment()),
      whole_(whole_environment()) {
  open_standard_files();
}

// A stopped or unresponsive process must not block the caller.
ProcessPool::~ProcessPool() {
  for (const Running& child : children_) ::kill(child.pid, SIGKILL);
  for (const Running& child : children_) {
    while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) continue;
    if (child.descriptor >= 0) ::close(child.descriptor);
  }
}

bool ProcessPool::start(const ProcessJob& job, std::size_t id) {
  if (children_.size() >= limit_) return false;
  if (start_process(job, id)) return true;
  if (children_.empty()) {
    throw Error::configuration(std::string("cannot start a process: ") + std::strerror(errno) +
                               "; end others, or raise the limits of this shell (ulimit -a)");
  }
  limit_ = children_.size();
  return false;
}

bool ProcessPool::start_process(const ProcessJob& job, std::size_t id) {
  int report[2] = {-1, -1};
  if (!job.call && ::pipe2(report, O_CLOEXEC) != 0) return false;
  std::vector<std::string> command = job.command;
  const std::vector<char*> arguments = pointers(command);
  const std::vector<char*> environment = pointers(job.whole_environment ? whole_ : clean_);
  const char* const program = job.program.empty() && !job.call ? command[0].c_str() : job.program.c_str();
  if (job.call) std::fflush(nullptr);  // otherwise the child would write it as well
  Running child{0, id, Clock::now(), {}, -1};
  const Start start{program, arguments.data(), environment.data(), &job, ::getpid(), report[1]};
  child.pid = ::fork();
  if (child.pid == 0) become(start);
  const int error_number = errno;
  if (!job.call) {
    ::close(report[1]);
    if (child.pid > 0) child.not_started = why_not_started(report[0], job, program);
    ::close(report[0]);
  }
  errno = error_number;
  if (child.pid < 0) return false;
  child.descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0));
  children_.push_back(std::move(child));
  return true;
}

std::optional<ProcessPool::Ended> ProcessPool::take(bool block) {
  while (true) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, block ? 0 : WNOHANG, &usage);
    if (pid == 0) return std::nullopt;
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) throw Error::model(std::string("waiting for processes: ") + std::strerror(errno));
    const auto found =
        std::find_if(children_.begin(), children_.end(), [pid](const Running& r) { return r.pid == pid; });
    if (found == children_.end()) continue;
    Ended ended;
    ended.id = found->id;
    ended.end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ended.end.code = ended.end.signal != 0 ? 128 + ended.end.signal : WEXITSTATUS(status);
    ended.end.not_started = found->not_started;
    ended.end.wall_s = std::chrono::duration<double>(Clock::now() - found->start).count();
    ended.end.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    ended.end.rss_mb = static_cast<double>(usage.ru_maxrss) / 1024.0;
    if (found->descriptor >= 0) ::close(found->descriptor);
    children_.erase(found);
    return ended;
  }
}

ProcessPool::Ended ProcessPool::wait() {
  return *take(true);
}

std::optional<ProcessPool::Ended> ProcessPool::wait_for(std::chrono::milliseconds most) {
  if (std::optional<Ended> ended = take(false)) return ended;
  std::vector<pollfd> watched;
  for (const Running& child : children_) {
    if (child.descriptor >= 0) watched.push_back({child.descriptor, POLLIN, 0});
  }
  const bool all = watched.size() == children_.size();
  const std::chrono::milliseconds time = all ? most : std::min(most, kLook);
  ::poll(watched.data(), watched.size(), static_cast<int>(time.count()));
  return take(false);
}

std::vector<ProcessPool::Under> ProcessPool::in_flight() const {
  std::vector<Under> list;
  for (const Running& child : children_) {
    list.push_back({child.id, std::chrono::duration<double>(Clock::now() - child.start).count(), child.pid});
  }
  return list;
}

void ProcessPool::kill(std::size_t id) {
  for (const Running& child : children_) {
    if (child.id == id) ::kill(child.pid, SIGKILL);
  }
}

std::vector<ProcessEnd> run_processes(const std::vector<ProcessJob>& jobs, int parallel,
                                      const std::function<void(std::size_t job, const ProcessEnd&)>& on_exit) {
  std::vector<ProcessEnd> ends(jobs.size());
  ProcessPool pool(parallel);
  for (std::size_t next = 0; next < jobs.size() || pool.running() > 0;) {
    if (next < jobs.size() && pool.start(jobs[next], next)) {
      ++next;
      continue;
    }
    const ProcessPool::Ended ended = pool.wait();
    ends[ended.id] = ended.end;
    if (on_exit) on_exit(ended.id, ended.end);
  }
  return ends;
}

}  // namespace kb::sim
