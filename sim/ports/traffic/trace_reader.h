// Reader of traffic files: rows of transactions as CSV, or accesses of the trace formats of memory simulators.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/error.h"
#include "platform/topology/graph.h"
#include "sim/ports/traffic/traffic.h"

namespace kb::sim {

class TraceParser;

// Where the accesses of a trace come from and go to. Rows of CSV say it themselves.
struct AccessOptions {
  double clock_mhz = 0.0;                 // of the cycles in the file; 0: none
  std::string source = "sip0.cube0.pe0";  // the PE that asks
  std::string base;                       // physical address of the trace's address 0; "": of the source's HBM slice
  std::uint64_t bytes = 32;               // of an access that states none: one burst of HBM
  bool allow_unsorted = false;            // an access whose cycle is over is issued with the one before it
};

struct TraceFormat {
  std::string_view name;    // as --format has it
  std::string_view ending;  // of files from which the format is guessed; "" for none
  bool has_rows;            // rows of transactions, which take no AccessOptions
  bool needs_clock;
  std::unique_ptr<TraceParser> (*make)(const std::string& name, const topology::Graph& graph,
                                       const AccessOptions& options);
};

// The format called `name`, or by the ending of the file if `name` is empty; CSV when the ending says nothing. A packed
// file has ".gz" behind its ending. Configuration Error with the nearest name.
const TraceFormat& trace_format(const std::string& name, const std::string& file);

struct Trace {
  std::vector<TraceRow> rows;  // in file order
  std::vector<Diagnostic> warnings;
};

// Checks every row against the machine: the source exists, the target is HBM, SRAM or a TCM, and the bytes do not
// exceed one slice or window. Configuration Error with file and line of every problem. The file may be packed by gzip.
Trace read_trace(const std::string& file, const topology::Graph& graph, const TraceFormat& format,
                 const AccessOptions& options = {});
// Like read_trace(), but from text; `name` stands for the file in messages.
Trace parse_trace(std::string_view text, const std::string& name, const topology::Graph& graph,
                  const TraceFormat& format, const AccessOptions& options = {});
// Rows as CSV.
Trace parse_trace(std::string_view text, const std::string& name, const topology::Graph& graph);

}  // namespace kb::sim
