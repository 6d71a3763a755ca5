#include "sim/study/why/tornado.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "platform/topology/key_texts.h"
#include "platform/topology/scalar_text.h"

namespace kb::why {
namespace {

using topology::KeyRule;

constexpr double kLess = 0.9, kMore = 1.1;

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

// Nine digits hide the rounding of 0.9 and 1.1.
std::string text_of(double value) {
  return fmt::format("{:.9g}", value);
}

// The lowest limit among the rates of a machine whose 0 means "without limit".
double slowest_rate(const topology::LoadedTopology& machine) {
  double slowest = std::numeric_limits<double>::max();
  for (const auto& [key, rule] : machine.rules) {
    if (rule.type != KeyRule::Type::real || topology::unit_of(key) != "GB/s") continue;
    const auto found = machine.config.find(key);
    const auto value = found == machine.config.end() ? std::nullopt : number_of(found->second.value);
    if (value && *value > 0) slowest = std::min(slowest, *value);
  }
  return slowest;
}

class Trials {
 public:
  explicit Trials(const topology::LoadedTopology& machine) : slowest_(slowest_rate(machine)) {}

  std::vector<std::string> of(const std::string& key, const KeyRule& rule, const std::string& value) const {
    switch (rule.type) {
      case KeyRule::Type::real:
        return is_size(key) ? sizes(rule, number_of(value)) : reals(rule, number_of(value));
      case KeyRule::Type::whole:
        return with_examples(sizes(rule, number_of(value)), others(rule.words, value));
      case KeyRule::Type::flag:
        return {value == "true" ? "false" : "true"};
      case KeyRule::Type::word:
      case KeyRule::Type::text:
        return others(rule.words, value);
      default:
        return {};
    }
  }

 private:
  static bool is_size(const std::string& key) {
    const std::string unit = topology::unit_of(key);
    return unit == "MB" || unit == "GB";
  }

  static std::vector<std::string> within(const Bounds& bounds, const std::vector<double>& values) {
    std::vector<std::string> texts;
    for (const double value : values) {
      if (bounds.contain(value)) texts.push_back(text_of(value));
    }
    return texts;
  }

  std::vector<std::string> reals(const KeyRule& rule, std::optional<double> value) const {
    if (!value) return {};
    if (*value == 0) return within(rule.bounds, {rule.bounds.or_zero ? slowest_ : 1});
    return within(rule.bounds, {*value * kLess, *value * kMore});
  }

  static std::vector<std::string> sizes(const KeyRule& rule, std::optional<double> value) {
    if (!value) return {};
    if (*value == 0) return within(rule.bounds, {1});
    const double half = rule.type == KeyRule::Type::whole ? std::floor(*value / 2) : *value / 2;
    return half > 0 ? within(rule.bounds, {half, 2 * *value}) : within(rule.bounds, {2 * *value});
  }

  static std::vector<std::string> with_examples(std::vector<std::string> values,
                                                const std::vector<std::string>& examples) {
    for (const std::string& example : examples) {
      if (std::find(values.begin(), values.end(), example) == values.end()) values.push_back(example);
    }
    return values;
  }

  static std::vector<std::string> others(std::vector<std::string> words, const std::string& value) {
    words.erase(std::remove(words.begin(), words.end(), value), words.end());
    return words;
  }

  double slowest_;
};

Request request_of(const std::string& key, const std::string& value) {
  return {{{{Change::Where::key, key, "", value}}, false}, false};
}

TimeFs apart(TimeFs a, TimeFs b) {
  return a > b ? a - b : b - a;
}

}  // namespace

bool KeyEffect::measured() const {
  return std::any_of(trials.begin(), trials.end(), [](const KeyTrial& trial) { return trial.problem.empty(); });
}

std::vector<KeyEffect> key_trials(const topology::LoadedTopology& machine) {
  const Trials trials(machine);
  std::vector<KeyEffect> keys;
  for (const auto& [key, entry] : machine.config) {
    if (key.rfind("energy.", 0) == 0) continue;  // no time depends on it
    KeyEffect effect{key, entry.value, entry.text.empty() ? topology::key_text(key) : entry.text, {}, 0_fs};
    const auto rule = machine.rules.find(key);
    if (rule != machine.rules.end()) {
      for (const std::string& value : trials.of(key, rule->second, entry.value))
        effect.trials.push_back({value, 0_fs, "", false});
    }
    keys.push_back(std::move(effect));
  }
  return keys;
}

Tornado measure_keys(IMeasurer& measurer, const topology::LoadedTopology& machine, TimeFs base) {
  Tornado tornado;
  tornado.base = base;
  std::vector<Request> requests;
  for (KeyEffect& key : key_trials(machine)) {
    for (const KeyTrial& trial : key.trials) requests.push_back(request_of(key.key, trial.value));
    if (key.trials.empty()) {
      tornado.kept.push_back(key.key);
    } else {
      tornado.keys.push_back(std::move(key));
    }
  }
  tornado.points = requests.size();
  const std::vector<Measure> measures = measurer.measure(requests);
  auto measure = measures.begin();
  for (KeyEffect& key : tornado.keys) {
    for (KeyTrial& trial : key.trials) {
      if (measure->ok) {
        trial.time = measure->time;
        key.swing = std::max(key.swing, apart(trial.time, base));
      } else {
        trial.problem = measure->cause;
        trial.not_run = measure->code == kOutOfBudget;
      }
      ++measure;
    }
  }
  std::stable_sort(tornado.keys.begin(), tornado.keys.end(),
                   [](const KeyEffect& a, const KeyEffect& b) { return a.swing > b.swing; });
  return tornado;
}

}  // namespace kb::why
