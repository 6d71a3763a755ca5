#include "platform/topology/spec_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/nearest.h"
#include "platform/base/whole_number.h"
#include "platform/topology/key_record.h"
#include "platform/topology/scalar_text.h"

namespace kb::topology {
namespace {

// The message already lists the words.
std::string pick(const std::string& word, const std::vector<std::string>& words) {
  const std::string near = nearest_name(word, words);
  return near.empty() ? "choose one of them" : fmt::format("did you mean '{}'?", near);
}

// Decimal, including 1e4 (which YAML itself treats as a real number), or hexadecimal.
std::errc whole_of(const std::string& text, std::int64_t& value) {
  const std::errc error = parse_whole(text, value);
  const std::optional<std::int64_t> other = error == std::errc::invalid_argument ? to_whole(text) : std::nullopt;
  if (!other) return error;
  value = *other;
  return {};
}

std::string shown(const yaml::Value& value) {
  if (value.kind == yaml::Kind::scalar) return fmt::format("'{}'", value.text);
  return std::string(yaml::kind_text(value.kind));
}

template <typename Number>
std::optional<std::string> text_of(const std::optional<Number>& number) {
  return number ? std::optional(fmt::format("{}", *number)) : std::nullopt;
}

// Description of a list that is not a pair of numbers.
std::string list_text(const yaml::Value& value) {
  for (const yaml::ValuePtr& item : value.items) {
    if (item->kind != yaml::Kind::scalar) return fmt::format("one that holds {}", shown(*item));
  }
  return fmt::format("one of {}", value.items.size());
}

}  // namespace

std::string number_text(double value) {
  return fmt::format("{}", value);
}
std::string join_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}
std::string pair_text(double a, double b) {
  return fmt::format("[{}, {}]", a, b);
}

MapReader::MapReader(ReadContext& context, const yaml::ValuePtr& root)
    : MapReader(context, "", root, root ? root->mark : yaml::Mark{}, false) {}

MapReader::MapReader(ReadContext& context, std::string path, const yaml::ValuePtr& value, yaml::Mark mark,
                     bool from_override)
    : context_(&context), path_(std::move(path)), mark_(mark), from_override_(from_override) {
  if (!value || value->kind == yaml::Kind::null) return;
  if (value->kind == yaml::Kind::map) {
    value_ = value;
    return;
  }
  wrong_ = true;
  context_->mark_bad(path_);
  context_->report(value->mark, value->from_override, path_, fmt::format("expected a mapping, found {}", shown(*value)),
                   "write 'key: value' lines below it");
}

std::string MapReader::path(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

bool MapReader::has(const std::string& key) const {
  if (context_->record() != nullptr) context_->record()->note_looked_for(path(key));
  return value_ && value_->find(key) != nullptr;
}

void MapReader::note(const std::string& key, const KeyRule& rule) const {
  context_->note_rule(path(key), rule);
}

std::vector<std::string> MapReader::keys() const {
  std::vector<std::string> out;
  if (value_) {
    for (const yaml::Entry& entry : value_->entries) out.push_back(entry.key);
  }
  return out;
}

void MapReader::report(const std::string& key, const std::string& message, const std::string& remedy) {
  context_->mark_bad(path(key));
  const yaml::Entry* entry = value_ ? value_->find(key) : nullptr;
  if (entry == nullptr) {
    context_->report(mark_, from_override_, path(key), message, remedy);
  } else {
    const bool null = entry->value->kind == yaml::Kind::null || entry->value->kind == yaml::Kind::map;
    context_->report(null ? entry->mark : entry->value->mark, entry->value->from_override, path(key), message, remedy);
  }
}

const yaml::Value* MapReader::take(const std::string& key, bool mandatory, const std::string& words) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  context_->note_known(path(key));
  const yaml::Entry* entry = value_ ? value_->find(key) : nullptr;
  if (entry != nullptr) {
    context_->note_given(path(key), entry->value->kind == yaml::Kind::scalar ? entry->value->mark : entry->mark,
                         entry->value->from_override);
    return entry->value.get();
  }
  if (wrong_) context_->mark_bad(path(key));
  if (mandatory && !wrong_) {
    report(key, "this mandatory key is missing",
           (value_ || path_.empty() ? "add it to the mapping that starts here"
                                    : fmt::format("add a mapping '{}' with this key", path_)) +
               (words.empty() ? "" : ": " + words));
  }
  return nullptr;
}

const yaml::Value* MapReader::take_scalar(const std::string& key, bool mandatory, const std::string& expected,
                                          const std::string& words) {
  const yaml::Value* value = take(key, mandatory, words);
  if (value == nullptr || value->kind == yaml::Kind::scalar) return value;
  report(key,
         value->kind == yaml::Kind::null ? fmt::format("expected {}, but the key has no value", expected)
                                         : fmt::format("expected {}, found {}", expected, yaml::kind_text(value->kind)),
         "write the value after the colon, or remove the key");
  return nullptr;
}

const yaml::Value* MapReader::take_list(const std::string& key, bool mandatory, const std::string& example) {
  const yaml::Value* value = take(key, mandatory);
  if (value == nullptr || value->kind == yaml::Kind::list) return value;
  report(key, fmt::format("expected a list, found {}", shown(*value)), fmt::format("write for example [{}]", example));
  return nullptr;
}

std::optional<double> MapReader::parse_real(const std::string& key, const yaml::Value& value, const Bounds& bounds) {
  const std::string unit = unit_of(key);
  const std::optional<double> number = value.quoted ? std::nullopt : to_real(value.text);
  if (!number) {
    report(key, fmt::format("expected a number{}, found {}", unit.empty() ? "" : " in " + unit, shown(value)),
           value.quoted ? "remove the quotes" : "write the number alone; the unit belongs to the key");
    return std::nullopt;
  }
  if (!bounds.contain(*number)) {
    report(key, fmt::format("{} is out of range", value.text),
           fmt::format("it must be {}{}", bounds.text(), unit.empty() ? "" : " " + unit));
    return std::nullopt;
  }
  if ((unit == "ns" || unit == "ns/mm") && *number > 0.0 && std::llround(*number * 1e6) == 0) {
    report(key, fmt::format("{} {} rounds to zero", value.text, unit),
           "the resolution is 1 fs = 0.000001 ns; write 0 or a larger value");
    return std::nullopt;
  }
  return number;
}

double MapReader::real(const std::string& key, std::optional<double> fallback, const Bounds& bounds) {
  note(key, {KeyRule::Type::real, bounds, {}, text_of(fallback), !fallback});
  const yaml::Value* value = take_scalar(key, !fallback, "a number");
  std::optional<double> number;
  if (value != nullptr) number = parse_real(key, *value, bounds);
  if (number) {
    context_->note_value(path(key), number_text(*number), value->from_override);
    return *number;
  }
  if (fallback) context_->note_value(path(key), number_text(*fallback), false);
  return fallback.value_or(bounds.low + (bounds.above_low ? 1.0 : 0.0));
}

std::optional<double> MapReader::given_real(const std::string& key, const Bounds& bounds) {
  if (take(key, false) == nullptr) return std::nullopt;
  return real(key, std::nullopt, bounds);
}

std::int64_t MapReader::whole(const std::string& key, std::optional<std::int64_t> fallback, const Bounds& bounds,
                              const std::vector<std::string>& examples) {
  note(key, {KeyRule::Type::whole, bounds, examples, text_of(fallback), !fallback});
  const yaml::Value* value = take_scalar(key, !fallback, "a whole number");
  if (value != nullptr) {
    std::int64_t number = 0;
    const std::errc error = value->quoted ? std::errc::invalid_argument : whole_of(value->text, number);
    const auto size = static_cast<double>(number);
    if (error == std::errc::invalid_argument) {
      report(key, fmt::format("expected a whole number, found '{}'", value->text),
             value->quoted ? "remove the quotes" : "write digits only");
    } else if (error != std::errc{} || size < bounds.low || size > bounds.high) {
      report(key, fmt::format("{} is out of range", value->text), fmt::format("it must be {}", bounds.text()));
    } else {
      context_->note_value(path(key), fmt::format("{}", number), value->from_override);
      return number;
    }
  } else if (fallback) {
    context_->note_value(path(key), fmt::format("{}", *fallback), false);
  }
  return fallback.value_or(static_cast<std::int64_t>(bounds.low));
}

bool MapReader::flag(const std::string& key, bool fallback) {
  note(key, {KeyRule::Type::flag, {}, {}, fallback ? "true" : "false"});
  const yaml::Value* value = take_scalar(key, false, "true or false");
  if (value != nullptr) {
    const std::optional<bool> parsed = value->quoted ? std::nullopt : to_flag(value->text);
    if (parsed) {
      context_->note_value(path(key), *parsed ? "true" : "false", value->from_override);
      return *parsed;
    }
    report(key, fmt::format("expected true or false, found '{}'", value->text), "write true or false");
  }
  context_->note_value(path(key), fallback ? "true" : "false", false);
  return fallback;
}

std::string MapReader::text(const std::string& key, std::optional<std::string> fallback,
                            const std::vector<std::string>& examples) {
  note(key, {KeyRule::Type::text, {}, examples, fallback, !fallback});
  const yaml::Value* value = take_scalar(key, !fallback, "a word");
  if (value != nullptr && value->text.empty()) {
    report(key, "this text is empty", "write a word");
    value = nullptr;
  }
  if (value == nullptr && fallback) context_->note_value(path(key), *fallback, false);
  if (value == nullptr) return fallback.value_or("");
  context_->note_value(path(key), value->text, value->from_override);
  return value->text;
}

std::size_t MapReader::choice(const std::string& key, std::optional<std::size_t> fallback,
                              const std::vector<std::string>& words) {
  note(key, {KeyRule::Type::word, {}, words, fallback ? std::optional(words[*fallback]) : std::nullopt, !fallback});
  const std::string one = fmt::format("one of {}", join_words(words));
  const yaml::Value* value = take_scalar(key, !fallback, one, one);
  if (value != nullptr) {
    const auto it = std::find(words.begin(), words.end(), value->text);
    if (it != words.end()) {
      context_->note_value(path(key), value->text, value->from_override);
      return static_cast<std::size_t>(it - words.begin());
    }
    report(key, fmt::format("'{}' is not one of {}", value->text, join_words(words)), pick(value->text, words));
  } else if (fallback) {
    context_->note_value(path(key), words[*fallback], false);
  }
  return fallback.value_or(0);
}

std::vector<std::size_t> MapReader::choices(const std::string& key, const std::vector<std::size_t>* fallback,
                                            const std::vector<std::string>& words) {
  note(key, {KeyRule::Type::words, {}, words, {}, fallback == nullptr});
  std::vector<std::size_t> out;
  const yaml::Value* value = take_list(key, fallback == nullptr, words.front());
  if (value == nullptr) {
    if (fallback != nullptr) out = *fallback;
  } else {
    for (const yaml::ValuePtr& item : value->items) {
      const auto it = std::find(words.begin(), words.end(), item->text);
      const auto index = static_cast<std::size_t>(it - words.begin());
      std::string problem;
      if (it == words.end())
        problem = fmt::format("{} is not one of {}", shown(*item), join_words(words));
      else if (std::find(out.begin(), out.end(), index) != out.end())
        problem = shown(*item) + " is listed twice";
      if (problem.empty()) {
        out.push_back(index);
        continue;
      }
      context_->mark_bad(path(key));
      context_->report(item->mark, item->from_override, path(key), problem,
                       it == words.end() ? pick(item->text, words) : "remove one of them");
    }
  }
  std::vector<std::string> names;
  for (std::size_t index : out) names.push_back(words[index]);
  if (value != nullptr || fallback != nullptr) {
    context_->note_value(path(key), fmt::format("[{}]", join_words(names)), value != nullptr && value->from_override);
  }
  return out;
}

std::pair<double, double> MapReader::pair(const std::string& key, std::optional<std::pair<double, double>> fallback,
                                          const Bounds& bounds, const std::string& example) {
  const std::optional<std::string> shown_fallback =
      fallback ? std::optional(pair_text(fallback->first, fallback->second)) : std::nullopt;
  note(key, {KeyRule::Type::pair, bounds, {}, shown_fallback, !fallback});
  const yaml::Value* value = take(key, !fallback);
  if (value != nullptr) {
    const bool two = value->kind == yaml::Kind::list && value->items.size() == 2 &&
                     value->items[0]->kind == yaml::Kind::scalar && value->items[1]->kind == yaml::Kind::scalar;
    if (two) {
      const std::optional<double> a = parse_real(key, *value->items[0], bounds);
      const std::optional<double> b = a ? parse_real(key, *value->items[1], bounds) : std::nullopt;
      if (a && b) {
        context_->note_value(path(key), pair_text(*a, *b), value->from_override);
        return {*a, *b};
      }
    } else {
      report(key,
             fmt::format("expected a list of two numbers, found {}",
                         value->kind == yaml::Kind::list ? list_text(*value) : shown(*value)),
             fmt::format("write for example [{}]", example));
    }
  } else if (fallback) {
    context_->note_value(path(key), pair_text(fallback->first, fallback->second), false);
  }
  return fallback.value_or(std::pair<double, double>{bounds.low, bounds.low});
}

std::vector<double> MapReader::reals(const std::string& key, const Bounds& bounds) {
  std::vector<double> out;
  const yaml::Value* value = take_list(key, true, "1.5, 4.5");
  if (value == nullptr) return out;
  for (const yaml::ValuePtr& item : value->items) {
    const std::optional<double> number = parse_real(key, *item, bounds);
    if (!number) break;
    out.push_back(*number);
  }
  return out;
}

std::vector<std::string> MapReader::words(const std::string& key, const std::string& example) {
  std::vector<std::string> out;
  const yaml::Value* value = take_list(key, true, example);
  if (value == nullptr) return out;
  for (const yaml::ValuePtr& item : value->items) {
    if (item->kind != yaml::Kind::scalar) {
      report(key, fmt::format("expected a list of words, found one that holds {}", shown(*item)),
             fmt::format("write for example [{}]", example));
      return {};
    }
    out.push_back(item->text);
  }
  return out;
}

MapReader MapReader::map(const std::string& key) {
  note(key, {KeyRule::Type::mapping, {}, {}, {}});
  take(key, false);
  const yaml::Entry* entry = value_ ? value_->find(key) : nullptr;
  MapReader child(*context_, path(key), entry ? entry->value : nullptr, entry ? entry->mark : mark_,
                  entry ? entry->value->from_override : from_override_);
  child.wrong_ = child.wrong_ || wrong_;
  return child;
}

std::vector<MapReader> MapReader::list_of_maps(const std::string& key, std::size_t most, const std::string& what) {
  note(key, {KeyRule::Type::mappings, {}, {}, {}, false, most});
  std::vector<MapReader> out;
  const yaml::Value* value = take(key, false);
  if (value == nullptr || value->kind == yaml::Kind::null) return out;
  if (value->kind != yaml::Kind::list) {
    report(key, fmt::format("expected a list, found {}", shown(*value)), "start each entry with '- '");
    return out;
  }
  if (value->items.size() > most) {
    report(key, fmt::format("{} {} {}", value->items.size(), what, most), fmt::format("list at most {}", most));
  }
  for (std::size_t i = 0; i < std::min(value->items.size(), most); ++i) {
    const yaml::ValuePtr& item = value->items[i];
    out.push_back(MapReader(*context_, fmt::format("{}[{}]", path(key), i), item, item->mark, item->from_override));
  }
  return out;
}

params::Value MapReader::any_scalar(const std::string& key) {
  const yaml::Value* value = take_scalar(key, true, "a number, a word, true or false");
  if (value == nullptr) return std::string();
  const std::string quote = value->quoted ? "\"" : "";
  context_->note_value(path(key), quote + value->text + quote, value->from_override);
  if (value->quoted) return value->text;
  if (const auto flag_value = to_flag(value->text)) return *flag_value;
  if (const auto number = to_whole(value->text)) return *number;
  if (const auto number = to_real(value->text)) {
    if (std::isfinite(*number)) return *number;
    report(key, fmt::format("{} is out of range", value->text), "write a finite number");
  }
  return value->text;
}

void MapReader::done() {
  if (!value_) return;
  for (const yaml::Entry& entry : value_->entries) {
    if (std::find(asked_.begin(), asked_.end(), entry.key) == asked_.end()) {
      context_->note_unknown(entry, path_, asked_);
    }
  }
}

}  // namespace kb::topology
