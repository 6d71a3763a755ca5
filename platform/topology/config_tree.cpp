// The recording part of the reader: diagnostics, origins and known keys.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "platform/base/nearest.h"
#include "platform/base/problem_limit.h"
#include "platform/topology/key_record.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {
namespace {

constexpr char kOverrideOrigin[] = "--set";
constexpr char kMergeKey[] = "<<";
constexpr char kCorrectFirst[] = "correct the first ones and check again";

std::string leaf(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

// How many leading parts `path` has in common with the mapping `parent`.
int shared_parts(const std::string& path, const std::string& parent) {
  const std::string mapping = parent + ".";
  int parts = 0;
  for (std::size_t i = 0; i < std::min(path.size(), mapping.size()) && path[i] == mapping[i]; ++i) {
    if (path[i] == '.') ++parts;
  }
  return parts;
}

// Where a key with this name stands that is not known in `parent`: below it, or in the nearest mapping. A name that is
// known in several mappings outside is too general for a guess.
std::string elsewhere(const std::string& key, const std::string& parent, const std::set<std::string>& known) {
  std::string nearest;
  int most = -1;
  bool alone = false;
  for (const std::string& path : known) {
    if (leaf(path) != key) continue;
    if (parent.empty() || path.rfind(parent + ".", 0) == 0) return path;
    const int shared = shared_parts(path, parent);
    if (shared < most) continue;
    alone = shared > most;
    most = shared;
    nearest = path;
  }
  return alone ? nearest : "";
}

}  // namespace

ReadContext::ReadContext(std::string file) : ReadContext(std::move(file), builtin_only()) {}

void ReadContext::report(yaml::Mark mark, bool from_override, const std::string& key, const std::string& message,
                         const std::string& remedy) {
  if (from_override) mark = {};
  add({from_override ? kOverrideOrigin : file_, mark.line, mark.column, key, message, remedy});
}

void ReadContext::add(Diagnostic problem) {
  const std::string text = problem.text();
  const auto same = [&](const Diagnostic& other) { return other.text() == text; };
  if (std::any_of(diagnostics_.begin(), diagnostics_.end(), same)) return;
  if (diagnostics_.size() < kMaxProblems) {
    diagnostics_.push_back(std::move(problem));
  } else {
    ++left_out_;
  }
}

std::vector<Diagnostic> ReadContext::problems() const {
  std::vector<Diagnostic> all = diagnostics_;
  if (left_out_ > 0) all.push_back({file_, 0, 0, "", fmt::format("{} more problems", left_out_), kCorrectFirst});
  return all;
}

bool ReadContext::is_bad(const std::string& path) const {
  for (std::size_t end = path.size();;) {
    if (bad_.count(path.substr(0, end)) != 0) return true;
    const std::size_t dot = path.find_last_of(".[", end - 1);
    if (dot == std::string::npos || dot == 0) return false;
    end = dot;
  }
}

bool ReadContext::has_bad_below(const std::string& path) const {
  const auto first = bad_.lower_bound(path + ".");
  return first != bad_.end() && first->rfind(path + ".", 0) == 0;
}

Diagnostic ReadContext::place(const std::vector<std::string>& keys) const {
  for (const std::string& key : keys) {
    const auto it = given_.find(key);
    if (it == given_.end()) continue;
    const Given& found = it->second;
    return {found.from_override ? kOverrideOrigin : file_, found.mark.line, found.mark.column, key, "", ""};
  }
  return {file_, 0, 0, keys.front(), "", ""};
}

std::optional<Diagnostic> ReadContext::rule(const std::vector<std::string>& keys, const std::string& message,
                                            const std::string& remedy) const {
  for (const std::string& key : keys) {
    if (is_bad(key)) return std::nullopt;
  }
  Diagnostic found = place(keys);
  found.message = message;
  found.remedy = remedy;
  return found;
}

void ReadContext::report_rule(const std::vector<std::string>& keys, const std::string& message,
                              const std::string& remedy) {
  if (auto diagnostic = rule(keys, message, remedy)) add(*diagnostic);
}

void ReadContext::warn_rule(const std::vector<std::string>& keys, const std::string& message,
                            const std::string& remedy) {
  if (auto diagnostic = rule(keys, message, remedy)) warnings_.push_back(*diagnostic);
}

void ReadContext::note_given(const std::string& path, yaml::Mark mark, bool from_override) {
  given_[path] = {from_override ? yaml::Mark{} : mark, from_override};
}

void ReadContext::note_value(const std::string& path, const std::string& text, bool from_override) {
  const char* origin = from_override ? kOverrideOrigin : given(path) && !is_bad(path) ? "file" : "default";
  config_[path] = {text, origin};
}

void ReadContext::note_rule(const std::string& path, const KeyRule& rule) {
  rules_.insert_or_assign(path, rule);
  if (record_ != nullptr) record_->note(path, rule);
}

void ReadContext::describe(const std::string& path, const std::string& text) {
  const auto found = config_.find(path);
  if (found != config_.end()) found->second.text = text;
}

void ReadContext::note_unknown(const yaml::Entry& entry, const std::string& parent,
                               const std::vector<std::string>& siblings) {
  if (unknown_.size() >= kMaxProblems) {
    ++left_out_;
    return;
  }
  unknown_.push_back({entry.key, parent, entry.mark, entry.value->from_override, siblings});
}

void ReadContext::finish_unknown() {
  for (const Unknown& unknown : unknown_) {
    const std::string path = unknown.parent.empty() ? unknown.key : unknown.parent + "." + unknown.key;
    const std::string other = elsewhere(unknown.key, unknown.parent, known_);
    const std::string remedy = other.empty() || !nearest_name(unknown.key, unknown.siblings).empty()
                                   ? suggest(unknown.key, unknown.siblings)
                                   : fmt::format("did you mean '{}'?", other);
    if (unknown.key == kMergeKey) {
      report(unknown.mark, unknown.from_override, path, "mappings are not merged",
             "write the keys out; an alias can stand for a whole mapping");
      continue;
    }
    report(unknown.mark, unknown.from_override, path, fmt::format("unknown key '{}'", unknown.key), remedy);
  }
  unknown_.clear();
}

}  // namespace kb::topology
