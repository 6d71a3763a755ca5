#include "sim/run/driver/progress.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

namespace kb::sim {
namespace {

using std::chrono::milliseconds;

// Time until the first line, and between lines.
struct Pace {
  milliseconds first;
  milliseconds interval;
};
constexpr Pace kTerminal{milliseconds(1000), milliseconds(200)};
constexpr Pace kAutomatic{milliseconds(30'000), milliseconds(30'000)};
constexpr Pace kWanted{milliseconds(5000), milliseconds(5000)};
constexpr Pace kOnRequest{std::chrono::hours(100'000), std::chrono::hours(100'000)};

// Variables shared with the signal handler.
volatile std::sig_atomic_t g_asked = 0;
volatile std::sig_atomic_t g_polled = 0;  // since the last tick
volatile std::sig_atomic_t g_shown = 0;   // the terminal shows a line that the next one replaces
bool g_terminal = false;
const char* volatile g_stage = nullptr;
volatile std::time_t g_begun = 0;  // of the stage
constexpr std::size_t kMostText = 448;
char g_news[2][kMostText] = {};  // the text shown, and the next one

// Writes a line in one call and without stdio, because it may run in a signal handler.
void show(const char* text) {
  char line[512] = "";
  std::strcat(line, g_terminal ? "\r\033[K" : "progress: ");
  std::strncat(line, text, kMostText + 24);
  if (!g_terminal) std::strcat(line, "\n");
  static_cast<void>(!::write(STDERR_FILENO, line, std::strlen(line)));
  g_shown = g_terminal ? 1 : 0;
}

// The text of the step and its seconds, so that lines without news differ.
void show_stage(const char* stage) {
  char text[kMostText + 24] = "";
  std::strncat(text, stage, kMostText);
  const auto seconds = static_cast<long long>(::time(nullptr) - g_begun);
  if (seconds > 0) {
    char digits[24];
    std::size_t at = sizeof digits - 3;
    std::memcpy(digits + at, " s", 3);
    for (long long rest = seconds; rest > 0; rest /= 10) digits[--at] = static_cast<char>('0' + rest % 10);
    std::strcat(text, ", ");
    std::strcat(text, digits + at);
  }
  show(text);
}

void on_signal(int signal) {
  const int error = errno;
  const char* const stage = g_stage;
  if (stage != nullptr) {
    show_stage(stage);
  } else if (signal == SIGUSR1) {
    g_asked = 1;
  } else {
    if (g_polled == 0) show("in a long step of the simulation, such as code of the workload");
    g_polled = 0;
  }
  errno = error;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

Pace pace_of(Progress wanted, bool terminal) {
  if (wanted < Progress::automatic) return kOnRequest;
  if (terminal) return kTerminal;
  return wanted == Progress::wanted ? kWanted : kAutomatic;
}

// Starts a timer that sends SIGALRM at this pace; a pace of zero stops it.
void set_timer(const Pace& pace) {
  const auto value = [](milliseconds ms) {
    return timeval{static_cast<time_t>(ms.count() / 1000), static_cast<suseconds_t>(ms.count() % 1000 * 1000)};
  };
  const itimerval ticks{value(pace.interval), value(pace.first)};
  ::setitimer(ITIMER_REAL, &ticks, nullptr);
}

std::string scaled(double value) {
  return value >= 1e6 ? fmt::format("{:.1f} million", value * 1e-6) : fmt::format("{:.0f} thousand", value * 1e-3);
}

// Estimates the remaining time: until the time limit or, without one, until the end of the submitted work.
std::string estimate(const ProgressState& state, double seconds) {
  if (state.end && state.now > 0_fs) {
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

std::string points_text(std::size_t done, std::size_t total, std::size_t failed, double seconds) {
  std::string text = fmt::format("{} of {} points", done, total);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  if (done == 0) return text + "; no estimate";
  const double each = std::max(seconds, 1e-3) / static_cast<double>(done);
  const double rest = each * static_cast<double>(total - done);
  return text +
         fmt::format(", {:.3g} per second; about {}", 1.0 / each,
                     rest < 600.0 ? fmt::format("{:.0f} s more", rest) : fmt::format("{:.0f} min more", rest / 60.0));
}

ProgressLine::ProgressLine(Progress wanted)
    : wanted_(wanted),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_(start_ + pace_of(wanted_, terminal_).first) {
  if (wanted_ == Progress::off) return;
  g_asked = 0;
  g_terminal = terminal_;
  handle(SIGUSR1, on_signal);
  if (wanted_ == Progress::on_request) return;
  handle(SIGALRM, on_signal);
  set_timer(pace_of(wanted_, terminal_));
}

ProgressLine::~ProgressLine() {
  if (wanted_ == Progress::off) return;
  set_timer({});
  g_stage = nullptr;
  for (const int signal : {SIGUSR1, SIGALRM}) handle(signal, SIG_IGN);
  if (g_shown != 0) static_cast<void>(!::write(STDERR_FILENO, "\r\033[K", 4));
  g_shown = 0;
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void ProgressLine::stage(const char* text) {
  if (wanted_ == Progress::off) return;
  start_ = Clock::now();
  g_begun = ::time(nullptr);
  g_stage = text;
}

void ProgressLine::news(const std::string& text) {
  if (wanted_ == Progress::off) return;
  char* const next = g_news[g_stage == g_news[0] ? 1 : 0];
  next[text.copy(next, kMostText - 1)] = '\0';
  g_stage = next;
}

bool ProgressLine::due() {
  if (wanted_ == Progress::off) return false;
  g_polled = 1;
  const Clock::time_point time = Clock::now();
  if (time < next_ && g_asked == 0) return false;
  g_asked = 0;
  next_ = time + pace_of(wanted_, terminal_).interval;
  return true;
}

void ProgressLine::update(const ProgressState& state) {
  show(progress_text(state, seconds()).c_str());
}

void ProgressLine::update_count(std::size_t done, std::size_t total, const char* what) {
  if (due()) show(fmt::format("{} of {} {}", done, total, what).c_str());
}

void ProgressLine::update_text(const std::string& text) {
  show(text.c_str());
}

}  // namespace kb::sim
