// Entry points of the topology library: file -> checked spec -> compiled graph, and its printable forms.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/topology/graph.h"
#include "platform/topology/implementations.h"
#include "platform/topology/mesh_layout.h"

namespace kb::topology {

// Where a configuration value came from, for reports ("default", "file", "--set").
struct ConfigValue {
  std::string value;
  std::string origin;
  std::string text = {};  // what the parameter of a block means; empty for other keys
};

struct LoadedTopology {
  std::string file;                           // as given
  std::string sha256;                         // of the file's bytes
  std::map<std::string, ConfigValue> config;  // every leaf key by dotted path, effective value and origin
  std::vector<Diagnostic> warnings;           // plausibility findings that do not stop a run (T-37)
  MeshLayout mesh;                            // the router grid every cube has
  Graph graph;
};

// Loads, checks and compiles a topology file. `overrides` are dotted key paths with YAML scalars
// ("cube.links.router_link_bw_gbs", "128"), applied after parsing, origin "--set".
// `implementations` are those that `impl` may name besides the built-in ones; it has to outlive the result.
// Throws a configuration Error that lists every problem at once, each with file, line, column and key.
LoadedTopology load(const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides = {},
                    const Implementations& implementations = builtin_only());

// The same from text (tests, configurations built into a binary); `name` stands for the file in messages.
LoadedTopology load_text(const std::string& text, const std::string& name,
                         const std::vector<std::pair<std::string, std::string>>& overrides = {},
                         const Implementations& implementations = builtin_only());

// `kernbench topology`: a readable summary (counts, bandwidths, memory, distances).
std::string render_summary(const LoadedTopology& topology);
// `kernbench topology --json`: nodes, edges, spec, ns_per_mm, flit_bytes (stable contract).
std::string render_json(const LoadedTopology& topology);
// `kernbench topology --dot`: Graphviz; representative by default, every node with `full`.
std::string render_dot(const LoadedTopology& topology, bool full);
// `kernbench topology --emit-mesh FILE`: the cube's router grid, holes and attachments as YAML with its source hash.
std::string render_mesh(const LoadedTopology& topology);

}  // namespace kb::topology
