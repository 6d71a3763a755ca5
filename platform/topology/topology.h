// Entry points of the topology library: file -> checked spec -> compiled graph, and its text output.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/topology/graph.h"
#include "platform/topology/implementations.h"
#include "platform/topology/key_rule.h"
#include "platform/topology/mesh_layout.h"

namespace kb::topology {

// An effective configuration value with its origin ("default", "file", "--set").
struct ConfigValue {
  std::string value;
  std::string origin;
  std::string text = {};  // description of a block parameter; empty for other keys
};

struct LoadedTopology {
  std::string file;                                            // as given by the user
  std::string sha256;                                          // hash of the file's bytes
  std::string text;                                            // the file's bytes
  std::vector<std::pair<std::string, std::string>> overrides;  // as given
  std::map<std::string, ConfigValue> config;                   // all leaf keys by dotted path
  std::map<std::string, KeyRule> rules;                        // of all keys that were read, by dotted path
  std::vector<Diagnostic> warnings;                            // plausibility warnings, which do not stop a run (T-37)
  MeshLayout mesh;                                             // the router grid of every cube
  Graph graph;
};

// Loads, checks and compiles a topology file. `overrides` are dotted key paths with YAML scalars
// ("cube.links.router_link_bw_gbs", "128"), applied after parsing, with origin "--set". `implementations` are accepted
// for `impl` in addition to the built-in ones, and must outlive the result. Configuration Error with all problems, each
// with file, line, column and key.
LoadedTopology load(const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides = {},
                    const Implementations& implementations = builtin_only());

// Like load(), but from text (tests, built-in configurations); `name` stands for the file in messages.
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
