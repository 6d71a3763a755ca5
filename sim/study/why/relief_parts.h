// Parts of reliefs.cpp: reliefs of wires, of blocks, and those that restore what differs from its kind.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/topology/graph.h"
#include "sim/study/why/relief.h"

namespace kb::why {

// A machine and what was used of it.
struct ReliefCase {
  const topology::Graph& graph;
  const std::vector<ClassUse>& uses;
  std::set<topology::NodeKind> kinds;  // of blocks that took part

  const ClassUse* use_of(std::string_view kind, bool wires) const;
  TimeFs used(std::string_view kind, bool wires) const;
};

void add_wire_reliefs(const ReliefCase& relief_case, std::vector<Relief>& reliefs);
void add_block_reliefs(const ReliefCase& relief_case, std::vector<Relief>& reliefs);
void add_odd_reliefs(const ReliefCase& relief_case, std::vector<Relief>& reliefs);

// Patterns that match these names and no others of `all`: digits become `*`. Empty when there are none such.
std::vector<std::string> patterns_of(const std::vector<std::string>& names, const std::vector<std::string>& all);

// The wires of a kind as patterns "FROM -> TO"; empty when no pattern matches just these.
std::vector<std::string> wire_patterns(const topology::Graph& graph, topology::EdgeKind kind);
std::vector<std::string> block_patterns(const topology::Graph& graph, topology::NodeKind kind);

std::string wire_name(const topology::Graph& graph, const topology::Edge& edge);
std::string number(double value);  // "0.5", "32"
// "UCIe links between cubes"
std::string words_of(topology::EdgeKind kind);
std::string words_of(topology::NodeKind kind);

}  // namespace kb::why
