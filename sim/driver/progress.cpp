#include "sim/driver/progress.h"

#include <unistd.h>

#include <cstdio>
#include <string>

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

void ProgressLine::update(TimeFs now, std::uint64_t events) {
  if (!enabled_) return;
  const Clock::time_point time = Clock::now();
  if (time - start_ < kQuiet || time - last_ < kInterval) return;
  last_ = time;
  const double seconds = std::chrono::duration<double>(time - start_).count();
  std::fprintf(stderr, "\r\033[Ksimulated %.3f us, %s events, %s per second, %.0f s", fs_to_ns(now) * 1e-3,
               scaled(static_cast<double>(events)).c_str(), scaled(static_cast<double>(events) / seconds).c_str(),
               seconds);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace kb::sim
