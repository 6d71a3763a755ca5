#include "sim/driver/progress.h"

#include <unistd.h>

#include <cstdio>

namespace kb::sim {
namespace {

constexpr std::chrono::milliseconds kQuiet{1000};
constexpr std::chrono::milliseconds kInterval{200};

std::string scaled(double value) {
  char text[32];
  if (value >= 1e6) {
    std::snprintf(text, sizeof text, "%.1f million", value * 1e-6);
  } else {
    std::snprintf(text, sizeof text, "%.0f thousand", value * 1e-3);
  }
  return text;
}

}  // namespace

ProgressLine::ProgressLine(bool wanted)
    : enabled_(wanted && ::isatty(STDERR_FILENO) == 1), start_(Clock::now()), last_(start_) {}

bool ProgressLine::due() {
  if (!enabled_) return false;
  const Clock::time_point time = Clock::now();
  if (time - start_ < kQuiet || time - last_ < kInterval) return false;
  last_ = time;
  return true;
}

void ProgressLine::show(const std::string& text) {
  std::fprintf(stderr, "\r\033[K%s, %.0f s", text.c_str(), std::chrono::duration<double>(last_ - start_).count());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::update(TimeFs now, std::uint64_t events) {
  if (!due()) return;
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  char time[48];
  std::snprintf(time, sizeof time, "%.3f", fs_to_ns(now) * 1e-3);
  show("simulated " + std::string(time) + " us, " + scaled(static_cast<double>(events)) + " events, " +
       scaled(static_cast<double>(events) / seconds) + " per second");
}

void ProgressLine::update_count(std::size_t done, std::size_t total, const char* what) {
  if (due()) show(std::to_string(done) + " of " + std::to_string(total) + " " + what);
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace kb::sim
