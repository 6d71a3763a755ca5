#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/topology/topology.h"

namespace kb::topology {

using Overrides = std::vector<std::pair<std::string, std::string>>;

// The mandatory keys of the reference machine; all others have defaults.
extern const char* const kMinimal;

inline LoadedTopology minimal(const Overrides& overrides = {}) {
  return load_text(kMinimal, "t.yaml", overrides);
}

// Text of the configuration Error, one line per problem; "" when none was thrown. Other exceptions fail the test.
std::string error_of(const std::function<void()>& action);
std::string error_of_text(const std::string& yaml, const Overrides& overrides = {});
std::string error_of_set(const std::string& key, const std::string& value);

// "sip0.cube0.r0c0 -> sip0.cube0.r0c1" must exist.
const Edge& edge_between(const Graph& graph, std::string_view src, std::string_view dst);
bool has_edge(const Graph& graph, std::string_view src, std::string_view dst);

}  // namespace kb::topology
