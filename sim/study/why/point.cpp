#include "sim/study/why/point.h"

#include <algorithm>
#include <cctype>

namespace kb::why {
namespace {

// YAML reads a text that begins with one of its signs as something else.
std::string yaml_text(const std::string& text) {
  const bool plain = !text.empty() && (std::isalnum(static_cast<unsigned char>(text[0])) != 0);
  return plain ? text : "\"" + text + "\"";
}

}  // namespace

Assignments overrides_of(const Point& point, std::size_t replacements) {
  Assignments overrides;
  std::size_t entry = replacements;
  for (const Change& change : point.changes) {
    if (change.where == Change::Where::key) {
      overrides.emplace_back(change.what, change.value);
    } else if (change.where == Change::Where::nodes || change.where == Change::Where::links) {
      const std::string prefix = "replace[" + std::to_string(entry++) + "].";
      overrides.emplace_back(prefix + (change.where == Change::Where::nodes ? "nodes" : "links"),
                             yaml_text(change.what));
      overrides.emplace_back(prefix + (change.name == "impl" ? "" : "attrs.") + change.name, change.value);
    }
  }
  return overrides;
}

Assignments parameters_of(const Point& point) {
  Assignments parameters;
  for (const Change& change : point.changes) {
    if (change.where == Change::Where::parameter) parameters.emplace_back(change.what, change.value);
  }
  return parameters;
}

std::vector<std::string> code_of(const Point& point) {
  std::vector<std::string> code;
  for (const Change& change : point.changes) {
    if (change.where == Change::Where::code)
      code.push_back(change.what + (change.value.empty() ? "" : "=" + change.value));
  }
  return code;
}

std::string quoted(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string options_of(const Point& point, std::size_t replacements, const std::string& pins) {
  std::string options = point.pinned ? "--pins " + quoted(pins) : "";
  // In the order of the changes, so that the options of a step begin with those of the step before.
  std::size_t entry = replacements;
  for (const Change& change : point.changes) {
    const Point one{{change}, point.pinned};
    Assignments assignments = overrides_of(one, entry);
    if (change.where == Change::Where::nodes || change.where == Change::Where::links) ++entry;
    const Assignments parameters = parameters_of(one);
    assignments.insert(assignments.end(), parameters.begin(), parameters.end());
    for (const auto& [name, value] : assignments) {
      options += (options.empty() ? "--set " : " --set ") + quoted(name + "=" + value);
    }
    for (const std::string& relief : code_of(one)) {
      options += (options.empty() ? "--relief " : " --relief ") + quoted(relief);
    }
  }
  return options;
}

}  // namespace kb::why
