#include "tests/robustness/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

namespace kb::robustness {
namespace {

constexpr std::size_t kOwnGrowthKb = 16 << 10;  // other threads go on while the child is made

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

void limit(int resource, std::size_t value) {
  const rlimit both{value, value + 2};  // at the first there is a signal to tell it from others
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

void redirect(const char* path, int flags, int descriptor) {
  const int file = ::open(path, flags, 0644);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(127);
}

// What the child has before it becomes the program; the system counts it, too.
std::size_t own_kb() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  std::size_t pages = 0, resident = 0;
  const int found = std::fscanf(file, "%zu %zu", &pages, &resident);
  std::fclose(file);
  return found == 2 ? resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024 : 0;
}

// In the child: only calls that are safe between fork and exec of a program with threads.
[[noreturn]] void become(const ProcessCall& call, char* const* words, char* const* environment) {
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);  // the caller may ignore some
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<std::size_t>(std::max(1.0, call.limits.cpu_s + 1)));
  limit(RLIMIT_FSIZE, call.limits.file_bytes);
  if (call.limits.address_bytes > 0) limit(RLIMIT_AS, call.limits.address_bytes);
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(call.out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(call.err_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  if (::chdir(call.folder.c_str()) != 0) ::_exit(127);
  ::execve(words[0], words, environment);
  ::_exit(127);
}

// False when the time is over before the process.
bool wait_until(int descriptor, Clock::time_point start, double after_s) {
  while (true) {
    const double left = after_s - seconds_since(start);
    if (left <= 0) return false;
    pollfd event{descriptor, POLLIN, 0};
    const int found = ::poll(&event, 1, static_cast<int>(left * 1000) + 1);
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) throw std::runtime_error(std::string("poll: ") + std::strerror(errno));
  }
}

// Whether the process has a handler for the signal, as the system knows it; true when that cannot be told.
bool catches(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("SigCgt:", 0) == 0) return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return true;
}

// Waits for the moment of a kick. True when the process ended before.
bool wait_for_kick(int descriptor, pid_t process, const ProcessCall::Kick& kick, Clock::time_point start) {
  constexpr double kStep = 0.001;
  if (wait_until(descriptor, start, kick.after_s)) return true;
  const double latest = seconds_since(start) + kick.patience_s;
  while (kick.signal != SIGKILL && !catches(process, kick.signal) && seconds_since(start) < latest) {
    if (wait_until(descriptor, start, seconds_since(start) + kStep)) return true;
  }
  return false;
}

}  // namespace

ProcessEnd run_process(const ProcessCall& call) {
  std::vector<std::string> environment = call.environment;
  for (char** entry = ::environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const std::vector<char*> words = pointers(call.words), variables = pointers(environment);
  const std::size_t own = own_kb();
  const Clock::time_point start = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) become(call, words.data(), variables.data());
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  if (descriptor < 0) throw std::runtime_error(std::string("pidfd_open: ") + std::strerror(errno));

  ProcessEnd end;
  bool ended = false;
  if (call.kick) {
    ended = wait_for_kick(descriptor, child, *call.kick, start);
    if (!ended) ::kill(child, call.kick->signal);
  }
  if (!ended && !wait_until(descriptor, start, call.limits.wall_s)) {
    end.timed_out = true;
    ::kill(child, SIGKILL);
  }
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  ::close(descriptor);
  ::kill(-child, SIGKILL);  // children that it left behind
  end.wall_s = seconds_since(start);
  end.cpu_s = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
              1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  const auto peak = static_cast<std::size_t>(usage.ru_maxrss);
  end.peak_kb = peak > own + kOwnGrowthKb ? peak : 0;
  end.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.timed_out = end.timed_out || end.signal == SIGXCPU;
  return end;
}

}  // namespace kb::robustness
