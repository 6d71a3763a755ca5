#include "sim/study/step/times_text.h"

#include <fmt/format.h>

#include <sstream>

namespace kb::step {

std::string times_text(const std::vector<TimeFs>& times) {
  std::string text;
  for (const TimeFs time : times) text += fmt::format("{}{}", text.empty() ? "" : " ", time.fs());
  return text;
}

std::optional<std::vector<TimeFs>> times_of(const std::string& text) {
  std::vector<TimeFs> times;
  std::istringstream in(text);
  for (std::int64_t fs = 0; in >> fs;) times.emplace_back(fs);
  if (times.empty() || !in.eof()) return std::nullopt;
  return times;
}

}  // namespace kb::step
