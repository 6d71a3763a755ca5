#include "platform/waves/wave_scopes.h"

#include <algorithm>

#include "platform/base/split.h"

namespace kb::waves {
namespace {

std::vector<std::string> scopes_of(const contract::SignalInfo& signal) {
  std::vector<std::string> scopes = split(signal.scope, '.');
  if (!signal.group.empty()) scopes.push_back(shown_name(signal.group));
  return scopes;
}

}  // namespace

std::string shown_name(const std::string& name) {
  std::string shown = name;
  std::replace(shown.begin(), shown.end(), '.', '_');
  return shown;
}

std::string text_name(const contract::SignalInfo& signal) {
  return shown_name(signal.name) + "_text";
}

std::string shown_path(const contract::SignalInfo& signal) {
  return signal.scope + "." + (signal.group.empty() ? "" : shown_name(signal.group) + ".") + shown_name(signal.name);
}

void visit_scopes(const std::vector<contract::SignalInfo>& signals, const ScopeVisitor& visitor) {
  std::vector<std::pair<std::vector<std::string>, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < signals.size(); ++i) order.emplace_back(scopes_of(signals[i]), i);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> open;
  for (const auto& [scope, index] : order) {
    std::size_t common = 0;
    while (common < open.size() && common < scope.size() && open[common] == scope[common]) ++common;
    for (; open.size() > common; open.pop_back()) visitor.close();
    for (; open.size() < scope.size(); open.push_back(scope[open.size()])) visitor.open(scope[open.size()]);
    visitor.signal(index);
  }
  for (; !open.empty(); open.pop_back()) visitor.close();
}

}  // namespace kb::waves
