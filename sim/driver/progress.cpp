#include "sim/driver/progress.h"

#include <fmt/format.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>

namespace kb::sim {
namespace {

using std::chrono::milliseconds;

// Until the first line, and from one to the next.
struct Pace {
  milliseconds first;
  milliseconds interval;
};
constexpr Pace kTerminal{milliseconds(1000), milliseconds(200)};
constexpr Pace kAutomatic{milliseconds(30'000), milliseconds(30'000)};
constexpr Pace kWanted{milliseconds(5000), milliseconds(5000)};
constexpr Pace kOnRequest{std::chrono::hours(100'000), std::chrono::hours(100'000)};

sem_t g_wake;  // posted by a signal and by the end of the line

void on_question(int) {
  ::sem_post(&g_wake);
}

void answer_questions(bool answer) {
  struct sigaction action {};
  action.sa_handler = answer ? on_question : SIG_IGN;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR1, &action, nullptr);
}

Pace pace_of(Progress wanted, bool terminal) {
  if (wanted < Progress::automatic) return kOnRequest;
  if (terminal) return kTerminal;
  return wanted == Progress::wanted ? kWanted : kAutomatic;
}

// Or until somebody posts; steady_clock is CLOCK_MONOTONIC.
void wait_until(std::chrono::steady_clock::time_point time) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  const timespec until{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  while (::sem_clockwait(&g_wake, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string scaled(double value) {
  return value >= 1e6 ? fmt::format("{:.1f} million", value * 1e-6) : fmt::format("{:.0f} thousand", value * 1e-3);
}

// Of the time limit, or of what has been submitted, which may be less than what comes.
std::string estimate(const ProgressState& state, double seconds) {
  if (state.end && state.now > 0) {
    const double all = seconds * fs_to_ns(*state.end) / fs_to_ns(state.now);
    return fmt::format("at most {:.0f} s more to the time limit", std::max(0.0, all - seconds));
  }
  if (state.done == 0 || state.total <= state.done) return "no estimate";
  const double each = seconds / static_cast<double>(state.done);
  return fmt::format("about {:.0f} s more for those", each * static_cast<double>(state.total - state.done));
}

}  // namespace

std::string progress_text(const ProgressState& state, double seconds) {
  return fmt::format(
      "simulated {:.3f} us, {} of {} {}, {} events, {} per second, {:.0f} s; {}", fs_to_ns(state.now) * 1e-3,
      state.done, state.total, state.what, scaled(static_cast<double>(state.events)),
      scaled(static_cast<double>(state.events) / std::max(seconds, 1e-3)), seconds, estimate(state, seconds));
}

ProgressLine::ProgressLine(Progress wanted)
    : wanted_(wanted), terminal_(::isatty(STDERR_FILENO) == 1), start_(Clock::now()), since_(start_) {
  if (wanted == Progress::off) return;
  ::sem_init(&g_wake, 0, 0);
  // Signals are for the thread of the simulation.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { run(); });
    answer_questions(true);
  } catch (const std::system_error&) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  answer_questions(false);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  ::sem_post(&g_wake);
  thread_.join();
}

void ProgressLine::stage(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  stage_ = text;
  since_ = Clock::now();
  state_.reset();
}

void ProgressLine::update(const ProgressState& state) {
  const std::lock_guard<std::mutex> lock(mutex_);
  state_ = state;
}

void ProgressLine::run() {
  const Pace pace = pace_of(wanted_, terminal_);
  Clock::time_point next = start_ + pace.first;
  for (;;) {
    wait_until(next);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ended_) break;
    show();
    next = Clock::now() + pace.interval;
  }
  if (shown_) static_cast<void>(!::write(STDERR_FILENO, "\r\033[K", 4));
}

// In one piece, and not by stdio, whose lock a child could inherit.
void ProgressLine::show() {
  const std::string text = state_ ? progress_text(*state_, seconds_since(since_))
                                  : fmt::format("{}, {:.0f} s", stage_, seconds_since(start_));
  const std::string line = terminal_ ? "\r\033[K" + text : "progress: " + text + "\n";
  shown_ = terminal_ && ::write(STDERR_FILENO, line.data(), line.size()) >= 0;
  if (!terminal_) static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

}  // namespace kb::sim
