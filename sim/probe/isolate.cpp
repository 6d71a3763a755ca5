#include "sim/probe/isolate.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

#include "platform/base/error.h"

namespace kb::sim {
namespace {

struct Child {
  std::size_t job = 0;
  pid_t pid = -1;
  int pipe = -1;
  std::string text;
};

void write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

// First byte of the answer: 'R' result, 'E' error as family, code and message separated by zeros.
[[noreturn]] void run_child(const std::function<std::string()>& job, int pipe) {
  // The parent reports an interrupt; its end takes the children along.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string answer;
  const auto failed = [&answer](const Error& error) {
    answer = 'E' + std::to_string(static_cast<int>(error.family())) + '\0' + error.code() + '\0' + error.what();
  };
  try {
    answer = 'R' + job();
  } catch (const Error& error) {
    failed(error);
  } catch (const std::bad_alloc&) {
    failed(
        Error::configuration("there is not enough memory for building and simulating the machine in a process of "
                             "its own; use a smaller one, or raise the limit (ulimit -v)"));
  } catch (const std::exception& error) {
    failed(Error::model(error.what()));
  }
  write_all(pipe, answer);
  std::fflush(nullptr);
  ::_exit(0);
}

Child start(std::size_t index, const std::function<std::string()>& job) {
  int ends[2];
  if (::pipe(ends) != 0) throw Error::configuration(std::string("cannot create a pipe: ") + std::strerror(errno));
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw Error::configuration(std::string("cannot start a process: ") + std::strerror(errno));
  if (pid == 0) {
    ::close(ends[0]);
    run_child(job, ends[1]);
  }
  ::close(ends[1]);
  return {index, pid, ends[0], ""};
}

// Reads until one child closed its pipe; returns its position.
std::size_t wait_for_one(std::vector<Child>& children) {
  char buffer[4096];
  while (true) {
    std::vector<pollfd> polls;
    polls.reserve(children.size());
    for (const Child& child : children) polls.push_back({child.pipe, POLLIN, 0});
    if (::poll(polls.data(), polls.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw Error::model(std::string("poll failed: ") + std::strerror(errno));
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (polls[i].revents == 0) continue;
      const ssize_t count = ::read(children[i].pipe, buffer, sizeof buffer);
      if (count > 0) children[i].text.append(buffer, static_cast<std::size_t>(count));
      if (count == 0) return i;
    }
  }
}

std::string take_answer(const std::string& text, int status) {
  if (text.empty()) {
    const std::string how = WIFSIGNALED(status) ? "was killed by signal " + std::to_string(WTERMSIG(status))
                                                : "ended with code " + std::to_string(WEXITSTATUS(status));
    throw Error::model("a simulation process " + how + " without a result");
  }
  if (text[0] == 'R') return text.substr(1);
  const std::size_t code = text.find('\0');
  const std::size_t message = text.find('\0', code + 1);
  const auto family = static_cast<ErrorFamily>(std::stoi(text.substr(1, code - 1)));
  throw Error(family, text.substr(code + 1, message - code - 1), text.substr(message + 1));
}

}  // namespace

std::vector<std::string> run_isolated(const std::vector<std::function<std::string()>>& jobs,
                                      const std::function<void(std::size_t answered)>& on_answer) {
  const std::size_t parallel = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> answers(jobs.size());
  std::vector<int> states(jobs.size(), 0);
  std::vector<Child> children;
  std::size_t next = 0;
  while (next < jobs.size() || !children.empty()) {
    if (next < jobs.size() && children.size() < parallel) {
      children.push_back(start(next, jobs[next]));
      ++next;
      continue;
    }
    const std::size_t i = wait_for_one(children);
    Child child = std::move(children[i]);
    children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
    ::close(child.pipe);
    while (::waitpid(child.pid, &states[child.job], 0) < 0 && errno == EINTR) {
    }
    answers[child.job] = std::move(child.text);
    if (on_answer) on_answer(next - children.size());
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) answers[i] = take_answer(answers[i], states[i]);
  return answers;
}

}  // namespace kb::sim
