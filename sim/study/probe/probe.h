// Runs the probe cases and evaluates them (H-84 .. H-93).
#pragma once

#include <cstdint>
#include <optional>
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

// Times of a transfer, from its issue.
struct ProbeTimes {
  TimeFs actual = 0_fs;     // delivered - issued
  TimeFs completed = 0_fs;  // response at the initiator - issued
};

struct ProbeResult {
  ProbeCase probe;
  TraceRow row;
  std::vector<NodeId> path;  // forward path, including both ends
  PathFormula formula;
  TimeFs actual = 0_fs;     // delivered - issued
  TimeFs completed = 0_fs;  // response at the initiator - issued
  std::string status;
  // Times on the same machine whose memory is never refreshed, for a case in memory with banks that are. The formula
  // knows no refresh, and a transfer on an idle machine meets one or not by its time and its banks alone.
  std::optional<ProbeTimes> without_refresh;

  // What formula and checks are compared with.
  ProbeTimes steady() const { return without_refresh.value_or(ProbeTimes{actual, completed}); }
};

struct ProbeCheck {
  std::string text;  // "H2D: strictly increasing with hops: 1 < 2 < 3"
  bool ok = true;
  bool informational = false;  // printed, but not counted
};

struct ProbeReport {
  std::vector<ProbeResult> results;
  std::vector<ProbeCase> skipped;
  std::vector<ProbeCheck> checks;

  bool ok() const;
};

struct ProbeOptions {
  const elab::BlockCatalog* blocks = nullptr;  // in addition to the built-in ones
  observe::EventLog* log = nullptr;            // log of block actions in the process of the case; may be null
};

// `filter` is "all" or the exact name of a case; otherwise usage Error with the nearest name (H-91). Every case runs on
// a separate machine in a separate process.
ProbeReport run_probe(const topology::LoadedTopology& topology, const std::string& filter,
                      const ProbeOptions& options = {});

// The checks of H-88 and H-89 on the cases that ran, without refreshes; a comparison needs two of them. `unsteady`: by
// so much more or less may a transfer take by the clock of its memory.
std::vector<ProbeCheck> check_probe(const std::vector<ProbeResult>& results, TimeFs unsteady = 0_fs);

// Text with cases and checks that fits one screen; lines of checks begin with "[v] PASS" or "[x] FAIL". `routes` adds
// the utilisation by size and the route of each transfer.
std::string render_probe(const topology::LoadedTopology& topology, const ProbeReport& report, bool routes);
std::string render_probe_json(const topology::LoadedTopology& topology, const ProbeReport& report);

}  // namespace kb::sim
