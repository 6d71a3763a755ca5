// Runs the probe cases and judges them (H-84 .. H-93).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/study/probe/cases.h"
#include "sim/study/probe/formula.h"

namespace kb::elab {
class BlockCatalog;
}
namespace kb::observe {
class EventLog;
}

namespace kb::sim {

struct ProbeResult {
  ProbeCase probe;
  TraceRow row;
  std::vector<NodeId> path;  // forward, both ends
  PathFormula formula;
  TimeFs actual = 0_fs;     // delivered - issued
  TimeFs completed = 0_fs;  // response at the initiator - issued
  std::string status;
};

struct ProbeCheck {
  std::string text;  // "H2D: strictly increasing with hops: 1 < 2 < 3"
  bool ok = true;
  bool informational = false;  // printed, never counted
};

struct ProbeReport {
  std::vector<ProbeResult> results;
  std::vector<ProbeCase> skipped;
  std::vector<ProbeCheck> checks;

  bool ok() const;
};

struct ProbeOptions {
  const elab::BlockCatalog* blocks = nullptr;  // besides the built-in ones
  observe::EventLog* log = nullptr;            // what the blocks do, from the process of the case; none when null
};

// `filter` is "all" or the exact name of a case; usage Error with the nearest name otherwise (H-91). Every case runs on
// a machine of its own in a process of its own.
ProbeReport run_probe(const topology::LoadedTopology& topology, const std::string& filter,
                      const ProbeOptions& options = {});

// The checks of H-88 and H-89 over the cases that ran; a comparison needs two of them.
std::vector<ProbeCheck> check_probe(const std::vector<ProbeResult>& results);

// Cases and checks for people, on one screen; lines of checks begin with "[v] PASS" or "[x] FAIL". With `routes` also
// the utilisation by size and what each transfer passes.
std::string render_probe(const topology::LoadedTopology& topology, const ProbeReport& report, bool routes);
std::string render_probe_json(const topology::LoadedTopology& topology, const ProbeReport& report);

}  // namespace kb::sim
