// Raw transactions on the fabric: rows of a traffic file, and their measured times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/topology/topology.h"

namespace kb::elab {
class BlockCatalog;
}
namespace kb::observe {
class EventLog;
}
namespace kb::payload {
class IHopObserver;
}

namespace kb::dram {
class CommandLog;
}

namespace kb::sim {

class HostTimeLimit;
struct WaveOptions;
enum class Progress : std::uint8_t;

enum class TraceOp : std::uint8_t { pe_read, pe_write, host_read, host_write };
std::string_view trace_op_name(TraceOp op);
constexpr bool is_pe_op(TraceOp op) {
  return op == TraceOp::pe_read || op == TraceOp::pe_write;
}
constexpr bool is_read_op(TraceOp op) {
  return op == TraceOp::pe_read || op == TraceOp::host_read;
}

// One checked row: the source exists, and [dst, dst + bytes) is inside one HBM slice, SRAM window or TCM.
struct TraceRow {
  std::string id;       // unique, as written
  TimeFs issue = 0_fs;  // absolute
  TraceOp op = TraceOp::pe_read;
  PeCoord src;            // only for PE rows; host rows enter at PCIE_EP of the destination's SIP
  std::uint64_t dst = 0;  // 51-bit physical address
  std::uint64_t bytes = 0;
  int line = 0;  // in the file, counted from 1
};

struct TrafficResult {
  TraceRow row;
  const std::vector<NodeId>* path = nullptr;  // forward path including both ends; owned by the machine
  TimeFs issue = 0_fs;                        // absolute times
  TimeFs delivered = 0_fs;
  TimeFs completed = 0_fs;
  std::string status;  // "OK" or the error code of the response
};

struct TrafficOptions {
  Progress progress{};                           // off
  HostTimeLimit* host_limit = nullptr;           // may be null
  const elab::BlockCatalog* blocks = nullptr;    // in addition to the built-in ones
  observe::EventLog* log = nullptr;              // may be null
  payload::IHopObserver* hops = nullptr;         // hop trace; may be null
  dram::CommandLog* dram = nullptr;              // trace of memory commands; may be null
  const WaveOptions* waves = nullptr;            // may be null
  std::vector<std::string>* warnings = nullptr;  // warnings about waveforms; required with waves
};

// Simulates the rows on a new machine and returns the results in row order. It elaborates SystemC, so that it can be
// called once per process. Rows with equal issue times are injected in row order; PE rows enter at pe_dma's fabric side
// and use no DMA channel. Error of family no_progress when rows stay unanswered.
std::vector<TrafficResult> run_traffic(const topology::LoadedTopology& topology, std::vector<TraceRow> rows,
                                       const TrafficOptions& options = {});

}  // namespace kb::sim
