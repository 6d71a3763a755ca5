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

// Patterns for the wires and blocks of a machine, as short as they can be.
class Patterns {
 public:
  explicit Patterns(const topology::Graph& graph);
  // "FROM -> TO"; empty when no patterns match just these.
  std::vector<std::string> of(topology::EdgeKind kind) const { return patterns_of(wires_, static_cast<int>(kind)); }
  std::vector<std::string> of(topology::NodeKind kind) const { return patterns_of(blocks_, static_cast<int>(kind)); }

 private:
  // Names that differ in their digits only.
  struct Alike {
    int kind = 0;
    std::string first;
    std::set<std::string> exact;  // patterns with a `?` for each digit
  };
  using Classes = std::map<std::string, std::vector<Alike>>;  // by name with `*` for digits; one entry for each kind
  static std::vector<std::string> patterns_of(const Classes& classes, int kind);
  static bool matches_others(const Classes& classes, int kind, const std::string& pattern);

  Classes wires_, blocks_;
};

// A machine and what was used of it.
struct ReliefCase {
  const topology::Graph& graph;
  const std::vector<ClassUse>& uses;
  Patterns patterns;
  std::set<topology::NodeKind> kinds;  // of blocks that took part

  const ClassUse* use_of(std::string_view kind, bool wires) const;
  TimeFs used(std::string_view kind, bool wires) const;
};

void add_wire_reliefs(const ReliefCase& relief_case, std::vector<Relief>& reliefs);
void add_block_reliefs(const ReliefCase& relief_case, std::vector<Relief>& reliefs);
void add_odd_reliefs(const ReliefCase& relief_case, std::vector<Relief>& reliefs);

std::string wire_name(const topology::Graph& graph, const topology::Edge& edge);
std::string number(double value);  // "0.5", "32"
// "UCIe links between cubes"
std::string words_of(topology::EdgeKind kind);
std::string words_of(topology::NodeKind kind);

}  // namespace kb::why
