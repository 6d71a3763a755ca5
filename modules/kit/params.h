// Access to node parameters by name, for tests with hand-made machines.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "platform/topology/component_rules.h"
#include "platform/topology/graph.h"

namespace kb::test {

using Values = std::map<std::string, params::Value>;

// The value of a numeric parameter; throws when the node has no parameter of that name.
inline double number(const topology::Node& node, std::string_view name) {
  const params::Value value = node.params.find(name).value();
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}
inline std::string text(const topology::Node& node, std::string_view name) {
  return std::get<std::string>(node.params.find(name).value());
}

// A copy with some values replaced, including derived ones.
inline params::ParamSet with_values(const params::ParamSet& base, const Values& values) {
  const std::shared_ptr<void> params = base.table()->copy(base.data());
  for (const auto& [name, value] : values) base.table()->find(name)->set(params.get(), value);
  return {*base.table(), params};
}
// Parameters of a kind with `values` set and defaults elsewhere.
inline params::ParamSet params_of(topology::NodeKind kind, const Values& values = {}) {
  return with_values(params::ParamSet(topology::kind_rule(kind).fields), values);
}

// Gives a node the parameters of its kind.
inline void set_params(topology::Node& node, const Values& values = {}) {
  node.params = params_of(node.kind, values);
  const auto overhead = node.params.find("overhead_ns");
  node.overhead = overhead ? ns_to_fs(std::get<double>(*overhead)) : 0_fs;
}

}  // namespace kb::test
