// Overrides single keys of a tree from the command line.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "platform/topology/yaml_tree.h"

namespace kb::topology::yaml {
namespace {

constexpr char kOverrideFile[] = "--set";

struct Step {
  std::string key;
  bool index = false;  // written as [n]
};

// "a.b[2].c" -> a, b, [2], c; empty when malformed.
std::vector<Step> split_path(const std::string& path) {
  std::vector<Step> steps;
  std::string word;
  bool after_index = false;
  const auto flush = [&]() {
    if (word.empty()) return after_index;
    steps.push_back({word, false});
    word.clear();
    return true;
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '.') {
      if (!flush()) return {};
      after_index = false;
    } else if (path[i] == '[') {
      const std::size_t end = path.find(']', i);
      if (!flush() || end == std::string::npos || end == i + 1) return {};
      steps.push_back({path.substr(i + 1, end - i - 1), true});
      i = end;
      after_index = true;
    } else {
      if (after_index) return {};
      word += path[i];
    }
  }
  if (!flush()) return {};
  return steps;
}

void mark_override(Value& value) {
  value.from_override = true;
  value.mark = {};
  for (Entry& entry : value.entries) {
    entry.mark = {};
    mark_override(*entry.value);
  }
  for (ValuePtr& item : value.items) mark_override(*item);
}

bool all_digits(const std::string& text) {
  return !text.empty() && text.size() < 6 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

ValuePtr new_container(bool list) {
  auto value = std::make_shared<Value>();
  value->kind = list ? Kind::list : Kind::map;
  value->from_override = true;
  return value;
}

// The slot of one step below `parent`, created when missing; nullptr with `problem` set when the step does not fit.
ValuePtr* step_into(ValuePtr& parent, const Step& step, std::string& problem) {
  // Copies the parent, because an alias may share it with another place in the file.
  parent = parent->kind == Kind::null ? new_container(step.index) : std::make_shared<Value>(*parent);
  if (parent->kind == Kind::list) {
    const std::size_t size = parent->items.size();
    if (!all_digits(step.key) || std::stoul(step.key) > size) {
      problem = size == 0 ? fmt::format("'{}' is not an index into a list without entries: 0 adds the first", step.key)
                          : fmt::format("'{}' is not an index into a list of {}: 0 is the first, and {} adds one",
                                        step.key, size, size);
      return nullptr;
    }
    const std::size_t index = std::stoul(step.key);
    if (index == size) parent->items.push_back(std::make_shared<Value>());
    return &parent->items[index];
  }
  if (parent->kind != Kind::map || step.index) {
    problem = fmt::format("'{}' looks into {}", step.key, kind_text(parent->kind));
    return nullptr;
  }
  for (Entry& entry : parent->entries) {
    if (entry.key == step.key) return &entry.value;
  }
  parent->entries.push_back({step.key, {}, std::make_shared<Value>()});
  parent->entries.back().value->from_override = true;
  return &parent->entries.back().value;
}

void open_scalar(ValuePtr& value, const std::string& key) {
  if (value->kind != Kind::scalar) return;
  ValuePtr map = new_container(false);
  map->mark = value->mark;
  map->from_override = value->from_override;
  map->entries.push_back({key, value->mark, value});
  value = map;
}

}  // namespace

void apply_override(ValuePtr& root, const std::string& path, const std::string& text,
                    std::vector<Diagnostic>& diagnostics, const Openings& openings) {
  const std::vector<Step> steps = split_path(path);
  if (steps.empty() || steps.size() > kMaxLevels) {
    diagnostics.push_back({kOverrideFile, 0, 0, path, "this is not a key path",
                           "write dotted keys, e.g. cube.links.router_link_bw_gbs=128"});
    return;
  }
  std::vector<Diagnostic> syntax;
  ValuePtr value = parse(text, kOverrideFile, syntax);
  if (!value || !syntax.empty()) {
    const std::string why = syntax.empty() ? "" : syntax.front().message;
    diagnostics.push_back({kOverrideFile, 0, 0, path, fmt::format("the value '{}' cannot be read: {}", text, why),
                           "write a number, a word or a YAML list"});
    return;
  }
  mark_override(*value);
  ValuePtr* slot = &root;
  const Step* parent = nullptr;
  for (const Step& step : steps) {
    std::string problem;
    const auto opening = parent == nullptr ? openings.end() : openings.find(parent->key);
    if (opening != openings.end()) open_scalar(*slot, opening->second);
    parent = &step;
    slot = step_into(*slot, step, problem);
    if (slot == nullptr) {
      diagnostics.push_back({kOverrideFile, 0, 0, path, problem, "correct the key path"});
      return;
    }
  }
  *slot = value;
}

}  // namespace kb::topology::yaml
