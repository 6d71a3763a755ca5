#include "sim/evaluate/process_pool.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
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

struct Running {
  pid_t pid;
  std::size_t job;
};

// Ends what is still under way when the caller gives up.
class Group {
 public:
  ~Group() {
    for (const Running& child : children_) ::kill(child.pid, SIGTERM);
    for (const Running& child : children_) ::waitpid(child.pid, nullptr, 0);
  }
  std::size_t size() const { return children_.size(); }
  void add(Running child) { children_.push_back(child); }

  // Waits for the next one to end; its exit code.
  int wait(std::size_t& job) {
    while (true) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, 0);
      if (pid < 0 && errno == EINTR) continue;
      if (pid < 0) throw Error::model(std::string("waiting for processes: ") + std::strerror(errno));
      const auto found =
          std::find_if(children_.begin(), children_.end(), [pid](const Running& r) { return r.pid == pid; });
      if (found == children_.end()) continue;
      job = found->job;
      children_.erase(found);
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
  }

 private:
  std::vector<Running> children_;
};

[[noreturn]] void become(char* const* command, char* const* environment, const char* log) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ}) ::signal(signal, SIG_DFL);
  const int out = ::open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (out < 0 || ::dup2(out, STDOUT_FILENO) < 0 || ::dup2(out, STDERR_FILENO) < 0) ::_exit(127);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0) ::_exit(127);
  ::execvpe(command[0], command, environment);
  const char* const reason = std::strerror(errno);
  const ssize_t written = ::write(STDERR_FILENO, reason, std::strlen(reason));
  static_cast<void>(written);
  ::_exit(127);
}

}  // namespace

std::vector<int> run_processes(const std::vector<ProcessJob>& jobs, int parallel,
                               const std::function<void(std::size_t job, int code)>& on_exit) {
  const std::size_t limit =
      parallel > 0 ? static_cast<std::size_t>(parallel) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> environment = clean_environment();
  const std::vector<char*> environment_list = pointers(environment);
  std::vector<int> codes(jobs.size(), 0);
  Group group;
  for (std::size_t next = 0; next < jobs.size() || group.size() > 0;) {
    if (next < jobs.size() && group.size() < limit) {
      std::vector<std::string> command = jobs[next].command;
      const std::vector<char*> arguments = pointers(command);
      const pid_t pid = ::fork();
      if (pid == 0) become(arguments.data(), environment_list.data(), jobs[next].log.c_str());
      if (pid < 0) throw Error::configuration(std::string("cannot start a process: ") + std::strerror(errno));
      group.add({pid, next++});
      continue;
    }
    std::size_t job = 0;
    const int code = group.wait(job);
    codes[job] = code;
    if (on_exit) on_exit(job, code);
  }
  return codes;
}

}  // namespace kb::evaluate
