#include "sim/evaluate/point_failure.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "sim/evaluate/printable.h"

namespace kb::evaluate {
namespace {

constexpr int kNotStarted = 127;         // by the program loader
constexpr int kInterrupted = 130;        // of kernbench, after a signal
constexpr std::size_t kMostSaid = 4000;  // bytes
constexpr std::array<int, 7> kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
constexpr const char* kGoOn = "; finished points are kept, the same command goes on";

ErrorFamily family_of(int code) {
  for (const ErrorFamily family : {ErrorFamily::configuration, ErrorFamily::program, ErrorFamily::no_progress}) {
    if (exit_code(family) == code) return family;
  }
  return ErrorFamily::model;
}

std::string last_words(std::string said) {
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said.empty() ? "it printed nothing" : printable(last_part(said, kMostSaid));
}

// Of the shell that called; runs inherit it.
std::string memory_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return fmt::format("; the likely cause is that a process may use {} KiB of memory (ulimit -v)",
                     limit.rlim_cur / 1024);
}

struct Cause {
  ErrorFamily family;
  std::string text;
  std::string remedy = {};
};

Cause cause_of(const sim::ProcessEnd& end) {
  if (!end.not_started.empty()) return {ErrorFamily::configuration, "could not be started: " + end.not_started, kGoOn};
  if (end.code == kNotStarted) return {ErrorFamily::configuration, "could not be started", memory_limit() + kGoOn};
  if (end.code == kInterrupted) return {ErrorFamily::configuration, "was interrupted by somebody else", kGoOn};
  if (end.signal == 0) {
    const ErrorFamily family = family_of(end.code);
    const std::string limit = family == ErrorFamily::model ? memory_limit() : std::string();
    return {limit.empty() ? family : ErrorFamily::configuration, fmt::format("ended with code {}", end.code), limit};
  }
  const std::string signal = fmt::format("signal {} ({})", end.signal, ::strsignal(end.signal));
  if (std::find(kCrashes.begin(), kCrashes.end(), end.signal) != kCrashes.end()) {
    const std::string limit = memory_limit();
    return {limit.empty() ? ErrorFamily::model : ErrorFamily::configuration, "crashed with " + signal, limit};
  }
  if (end.signal == SIGKILL) {
    return {ErrorFamily::configuration, "was killed by " + signal,
            std::string("; the usual cause is that the memory of this computer is used up: run fewer at a time with "
                        "--jobs") +
                kGoOn};
  }
  return {ErrorFamily::configuration, "was ended from outside by " + signal, kGoOn};
}

}  // namespace

Error failure_of(const Point& point, const sim::ProcessEnd& end, const std::string& said) {
  const Cause cause = cause_of(end);
  const std::string words = end.not_started.empty() ? ": " + last_words(said) : std::string();
  return {cause.family, "POINT_FAILED",
          fmt::format("point {} ({}) {}{}{}", point.id, describe(point), cause.text, words, cause.remedy)};
}

}  // namespace kb::evaluate
