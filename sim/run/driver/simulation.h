// Runs one simulation: elaborates the machine, runs a host program on it and collects the results.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/contract/data_mode.h"
#include "platform/observe/event_log.h"
#include "platform/observe/output_file.h"
#include "platform/resource/resource_table.h"
#include "platform/topology/topology.h"
#include "sim/run/driver/progress.h"
#include "sim/run/driver/reliefs.h"
#include "sim/run/driver/run_record.h"
#include "sim/run/driver/wave_options.h"

namespace kb::contract {
class IHost;
class IKernelCatalog;
class IOrderObserver;
}  // namespace kb::contract

namespace kb::elab {
class BlockCatalog;
}

namespace kb::contract {
class IOrderObserver;
}

namespace kb::payload {
class IHopObserver;
}

namespace kb::record {
class ActivityRecorder;
}

namespace kb::dram {
class CommandLog;
}

namespace kb::sim {

class HostTimeLimit;
class EngineWork;
class OperationCosts;

struct SimulationOptions {
  contract::DataMode data_mode = contract::DataMode::off;
  bool strict = false;                                           // reading unwritten memory is an error
  observe::OutputFile* oplog = nullptr;                          // may be null; the caller commits all output files
  std::vector<std::pair<std::string, std::string>> oplog_facts;  // facts of the run, for logs that store them
  bool log_outside_writes = true;  // whether `oplog` has a row for each write of an outside model
  WaveOptions waves;
  std::optional<TimeFs> time_limit;
  HostTimeLimit* host_time_limit = nullptr;  // may be null
  Progress progress = Progress::off;
  observe::EventLog* log = nullptr;  // may be null
  // Activity recorder; may be null. It is finished when simulate() returns. Without `oplog`, times that findings do not
  // use have no bins.
  record::ActivityRecorder* recorder = nullptr;
  OperationCosts* costs = nullptr;            // may be null
  EngineWork* work = nullptr;                 // may be null
  contract::IOrderObserver* order = nullptr;  // may be null
  payload::IHopObserver* hops = nullptr;      // may be null
  dram::CommandLog* dram = nullptr;           // may be null
  Reliefs reliefs;                            // those with lines need `recorder`
  const contract::IKernelCatalog* kernels = nullptr;
  const elab::BlockCatalog* blocks = nullptr;  // in addition to the built-in ones
  const topology::Graph* plan = nullptr;       // planning machine; null: the simulated one
};

// The host side of the run; called in a host thread. Program Errors that it throws end the run with ok: false.
using HostProgram = std::function<void(contract::IHost&)>;

struct SimulationResult {
  TimeFs sim_time = 0_fs;
  std::uint64_t events = 0;
  std::uint64_t requests = 0;  // number of requests of the host program
  std::deque<LaunchRecord> launches;
  std::vector<BlockRecord> blocks;
  std::vector<std::string> undeclared;  // implementations of blocks from outside that declare no resource
  std::vector<resource::DeclaredUse> resources;
  // The failure of the run, of family program or no_progress; no value when it succeeded. Errors of other families are
  // thrown.
  std::optional<Error> failure;
  UnknownAccesses unknown_accesses;
  std::vector<std::string> warnings;
};

// Runs the simulation to its end. SystemC elaborates once per process, so that this can be called once. `started` is
// called when the machine is built, just before simulated time begins. Waveforms and the operation log are complete on
// return, also after program and no-progress failures.
SimulationResult simulate(const topology::LoadedTopology& topology, const SimulationOptions& options,
                          const HostProgram& program);

}  // namespace kb::sim
