#include "sim/evaluate/process_pool.h"

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
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "platform/base/error.h"

extern char** environ;

namespace kb::evaluate {
namespace {

// Bench parameters can come from the environment; a point is given all of them and must not depend on its caller's.
std::vector<std::string> clean_environment() {
  constexpr std::array<std::string_view, 8> kKept{
      "PATH=", "HOME=", "TMPDIR=", "LD_LIBRARY_PATH=", "LC_", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "FONTCONFIG_"};
  std::vector<std::string> kept{"SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1"};
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
};

ProcessEnd end_of(const Running& child, int status, const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
          std::chrono::duration<double>(Clock::now() - child.start).count(),
          seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024.0};
}

// Ends what is still under way when the caller gives up.
class Group {
 public:
  ~Group() {
    for (const Running& child : children_) ::kill(child.pid, SIGTERM);
    for (const Running& child : children_) ::waitpid(child.pid, nullptr, 0);
  }
  std::size_t size() const { return children_.size(); }
  void add(Running child) { children_.push_back(child); }

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

[[noreturn]] void become(const char* program, char* const* command, char* const* environment, const char* log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // what it has written so far is of no use to anybody
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ}) ::signal(signal, SIG_DFL);
  const int out = ::open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (out < 0 || ::dup2(out, STDOUT_FILENO) < 0 || ::dup2(out, STDERR_FILENO) < 0) ::_exit(127);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0) ::_exit(127);
  ::execvpe(program, command, environment);
  const char* const reason = std::strerror(errno);
  const ssize_t written = ::write(STDERR_FILENO, reason, std::strlen(reason));
  static_cast<void>(written);
  ::_exit(127);
}

}  // namespace

std::vector<ProcessEnd> run_processes(const std::vector<ProcessJob>& jobs, int parallel,
                                      const std::function<void(std::size_t job, const ProcessEnd&)>& on_exit) {
  const std::size_t limit =
      parallel > 0 ? static_cast<std::size_t>(parallel) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> environment = clean_environment();
  const std::vector<char*> environment_list = pointers(environment);
  std::vector<ProcessEnd> ends(jobs.size());
  Group group;
  for (std::size_t next = 0; next < jobs.size() || group.size() > 0;) {
    if (next < jobs.size() && group.size() < limit) {
      std::vector<std::string> command = jobs[next].command;
      const std::vector<char*> arguments = pointers(command);
      const Clock::time_point start = Clock::now();
      const pid_t pid = ::fork();
      const std::string& program = jobs[next].program.empty() ? command[0] : jobs[next].program;
      if (pid == 0) become(program.c_str(), arguments.data(), environment_list.data(), jobs[next].log.c_str());
      if (pid < 0) throw Error::configuration(std::string("cannot start a process: ") + std::strerror(errno));
      group.add({pid, next++, start});
      continue;
    }
    std::size_t job = 0;
    const ProcessEnd end = group.wait(job);
    ends[job] = end;
    if (on_exit) on_exit(job, end);
  }
  return ends;
}

}  // namespace kb::evaluate
