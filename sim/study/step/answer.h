// What a simulation of launches answers, and its text, which goes between processes and into a store.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "platform/energy/coefficient.h"
#include "sim/analysis/energy/launch_events.h"

namespace kb::step {

// Events of launches, which cost energy.
struct Events {
  sim::EventCounts counts;
  std::map<std::string, energy::Coefficient> declared;  // of resources that bring theirs

  void add(const Events& more);
  friend bool operator==(const Events& a, const Events& b) { return a.counts == b.counts; }
  friend bool operator!=(const Events& a, const Events& b) { return !(a == b); }
};

struct Answer {
  std::vector<TimeFs> times;
  std::optional<Events> events;  // on machines with coefficients of energy
};

// In one line. No value for other text, also for an answer without times.
std::string answer_text(const Answer& answer);
std::optional<Answer> answer_of(const std::string& line);
// A line for each.
std::string answers_text(const std::vector<Answer>& answers);
// Model Error when a line is no answer.
std::vector<Answer> answers_of(const std::string& text);

}  // namespace kb::step
