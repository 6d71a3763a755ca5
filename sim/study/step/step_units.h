// Simulations of single launches of a step. Each function is for a process of its own, because SystemC elaborates once
// per process.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/data_mode.h"
#include "platform/topology/ccl_config.h"
#include "platform/topology/topology.h"
#include "sim/analysis/energy/launch_events.h"
#include "sim/run/driver/progress.h"
#include "sim/study/step/answer.h"
#include "sw/distributed/all_reduce_choice.h"
#include "sw/model/program.h"
#include "sw/model/step_run.h"

namespace kb::contract {
class IKernelCatalog;
}

namespace kb::elab {
class BlockCatalog;
}

namespace kb::sw {
class Runtime;
}

namespace kb::step {

struct Catalogs {
  const contract::IKernelCatalog* kernels = nullptr;
  const elab::BlockCatalog* blocks = nullptr;
  const sw::AllReduceCatalog* all_reduces = nullptr;
};

// What a host program left: events of its launches, on machines with coefficients of energy.
struct ProgramRun {
  TimeFs time = 0_fs;
  std::optional<sim::LaunchEvents> events;

  // The events of the launches with these numbers at the host, together.
  std::optional<Events> events_of(const std::vector<contract::RequestId>& requests) const;
};

// Runs a host program on the machine to its end; its failure is thrown.
ProgramRun run_program(const topology::LoadedTopology& machine, const Catalogs& catalogs, contract::DataMode data,
                       const std::function<void(sw::Runtime&)>& program, sim::Progress progress = sim::Progress::off);

// The time of each launch, from the start of the first kernel to the end of the last, and its events.
std::vector<Answer> simulate_launches(const topology::LoadedTopology& one, const Catalogs& catalogs,
                                      const sw::Program& program, const std::vector<sw::LaunchOnRank>& wanted);
// Ends by SIP, from the start of the first, and the events of all.
Answer simulate_sum(const topology::LoadedTopology& all, const Catalogs& catalogs, const sw::Program& program,
                    std::size_t launch, const std::vector<TimeFs>& offsets);
TimeFs simulate_gap(const topology::LoadedTopology& one, const Catalogs& catalogs);
TimeFs simulate_host_turn(const topology::LoadedTopology& one, const Catalogs& catalogs, const sw::Program& program);
// The whole program in one run. The first answer has the duration of the run and what belongs to no launch; those of
// the launches follow, with start and end by SIP.
std::vector<Answer> simulate_step(const topology::LoadedTopology& all, const Catalogs& catalogs,
                                  const sw::Program& program, sim::Progress progress);

}  // namespace kb::step
