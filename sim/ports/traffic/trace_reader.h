// Reader of traffic files: CSV with the header id,issue_ns,op,src,dst,bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/base/error.h"
#include "platform/topology/graph.h"
#include "sim/ports/traffic/traffic.h"

namespace kb::sim {

struct Trace {
  std::vector<TraceRow> rows;  // in file order
  std::vector<Diagnostic> warnings;
};

// Checks every row against the machine: the source exists, the target is HBM or SRAM, and the bytes do not exceed one
// slice or window. Configuration Error with file and line of every problem.
Trace read_trace(const std::string& file, const topology::Graph& graph);
// Like read_trace(), but from text; `name` stands for the file in messages.
Trace parse_trace(std::string_view text, const std::string& name, const topology::Graph& graph);

}  // namespace kb::sim
