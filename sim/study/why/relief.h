// What can be taken from a machine to see what it costs.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/study/why/measure.h"
#include "sim/study/why/point.h"

namespace kb::why {

// How particular a relief is. Of two with nearly the same gain the more particular one tells more.
enum class Scope {
  machine,   // everything of a sort
  path,      // the wires of a path
  kind,      // the wires or blocks of one kind
  member,    // one wire or block
  waste,     // work whose result is thrown away
  odd_ones,  // all that differ from their kind in one way
  odd_one,   // one that differs
  codes,     // all calls or tensors of the kernels
  code,      // one call or tensor
};

struct Relief {
  std::string id;    // its family and what it relieves: "rate ucie_mesh"; equal for equal reliefs
  std::string text;  // for a reader: "UCIe links between cubes without limit (512 GB/s)"
  Scope scope{};
  TimeFs used = 0_fs;  // how long what it relieves was busy and waited for, an upper bound when one of it was used
  std::vector<Change> changes;
};

// The reliefs that `machine` has for what `uses` says it used. Each changes something.
std::vector<Relief> reliefs_of(const topology::LoadedTopology& machine, const std::vector<ClassUse>& uses);

// Adds reliefs of kernels.
void add_code_reliefs(const std::vector<CodeUse>& uses, std::vector<Relief>& reliefs);

// A row of what `--help` and the guide say about them.
struct ReliefFamily {
  const char* name;
  const char* text;
};
const std::vector<ReliefFamily>& relief_families();

}  // namespace kb::why
