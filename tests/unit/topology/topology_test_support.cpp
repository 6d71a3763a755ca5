#include "tests/unit/topology/topology_test_support.h"

#include <stdexcept>

namespace kb::topology {

const char* const kMinimal =
    "system:\n"
    "  sips: { count: 2 }\n"
    "sip:\n"
    "  cube_mesh: { w: 4, h: 4 }\n"
    "cube:\n"
    "  pe_layout: { corners: [NW, NE, SW, SE], pe_per_corner: 2 }\n";

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.family() != ErrorFamily::configuration) throw;
    return error.what();
  }
  return "";
}

std::string error_of_text(const std::string& yaml, const Overrides& overrides) {
  return error_of([&] { load_text(yaml, "t.yaml", overrides); });
}

std::string error_of_set(const std::string& key, const std::string& value) {
  return error_of_text(kMinimal, {{key, value}});
}

bool has_edge(const Graph& graph, std::string_view src, std::string_view dst) {
  const auto a = graph.find_node(src);
  const auto b = graph.find_node(dst);
  return a && b && graph.find_edge(*a, *b).has_value();
}

const Edge& edge_between(const Graph& graph, std::string_view src, std::string_view dst) {
  if (!has_edge(graph, src, dst)) throw std::runtime_error("no edge " + std::string(src) + " -> " + std::string(dst));
  return graph.edge(*graph.find_edge(*graph.find_node(src), *graph.find_node(dst)));
}

}  // namespace kb::topology
