#include "sim/study/step/answer.h"

#include <fmt/format.h>

#include <sstream>

#include "platform/base/error.h"

namespace kb::step {
namespace {

constexpr char kSeparator = '|';  // between times and events

std::string events_text(const Events& events) {
  std::string text(1, kSeparator);
  for (const auto& [key, count] : events.counts) {
    text += fmt::format(" {} {}", key, count);
    const auto declared = events.declared.find(key);
    if (declared == events.declared.end()) continue;
    const energy::Coefficient& one = declared->second;
    text += fmt::format(" {} {} {}", one.value, one.low, one.high);
  }
  return text;
}

bool is_declared(const std::string& key) {
  return key.find('/') != std::string::npos;
}

std::optional<Events> events_of(const std::string& text) {
  Events events;
  std::istringstream in(text);
  for (std::string key; in >> key;) {
    if (!(in >> events.counts[key])) return std::nullopt;
    if (!is_declared(key)) continue;
    energy::Coefficient& one = events.declared[key];
    if (!(in >> one.value >> one.low >> one.high)) return std::nullopt;
  }
  return events;
}

}  // namespace

void Events::add(const Events& more) {
  sim::add_events(counts, more.counts);
  declared.insert(more.declared.begin(), more.declared.end());
}

std::string answer_text(const Answer& answer) {
  std::string text;
  for (const TimeFs time : answer.times) text += fmt::format("{}{}", text.empty() ? "" : " ", time.fs());
  if (answer.events) text += ' ' + events_text(*answer.events);
  return text;
}

std::optional<Answer> answer_of(const std::string& line) {
  const std::size_t separator = line.find(kSeparator);
  Answer answer;
  std::istringstream in(line.substr(0, separator));
  for (std::int64_t fs = 0; in >> fs;) answer.times.emplace_back(fs);
  if (answer.times.empty() || !in.eof()) return std::nullopt;
  if (separator == std::string::npos) return answer;
  answer.events = events_of(line.substr(separator + 1));
  if (!answer.events) return std::nullopt;
  return answer;
}

std::string answers_text(const std::vector<Answer>& answers) {
  std::string text;
  for (const Answer& answer : answers) text += answer_text(answer) + '\n';
  return text;
}

std::vector<Answer> answers_of(const std::string& text) {
  std::vector<Answer> answers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::optional<Answer> answer = answer_of(line);
    if (!answer) throw Error::model("a simulation of launches answered without times");
    answers.push_back(std::move(*answer));
  }
  return answers;
}

}  // namespace kb::step
