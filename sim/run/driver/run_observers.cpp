#include "sim/run/driver/run_observers.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include "platform/address/address_config.h"
#include "platform/address/address_space.h"
#include "platform/address/phys_addr.h"
#include "platform/observe/text_table.h"
#include "platform/params/pe_dma_params.h"
#include "sim/analysis/energy/energy_account.h"
#include "sim/analysis/energy/statistic_table.h"
#include "sim/analysis/findings/block_counts.h"
#include "sim/analysis/findings/findings.h"
#include "sim/analysis/findings/limiter.h"
#include "sim/run/driver/event_counter.h"
#include "sim/run/driver/recorded_use.h"
#include "sim/run/driver/statistics.h"

namespace kb::sim {
namespace {

// Returns a predicate for addresses in kernel scratch and of received messages.
std::function<bool(std::uint64_t)> kernel_scratch(const topology::MachineSpec& spec) {
  const address::TcmPartition tcm = address::AddressConfig::from_spec(spec).tcm_partition();
  return [tcm](std::uint64_t pa) {
    if (address::space_of(pa) == address::AddressSpace::message) return true;
    const address::PhysAddr at = address::PhysAddr::decode(pa);
    return at.is_tcm() && at.offset() - tcm.scratch_offset < tcm.scratch_bytes;
  };
}

// Stores of a PE end in the order of its calls when its PE_DMA has one write channel.
bool one_write_channel(const topology::MachineSpec& spec) {
  return spec.pe_components.at("pe_dma").impl == "builtin.pe_dma" &&
         spec.pe_params<params::PeDmaParams>("pe_dma").wr_engines == 1;
}

std::string window_note(const record::ActivityRecorder::Window& window, TimeFs end) {
  const std::string ends = observe::fixed(fs_to_ns(end), 3);
  if (window.begin >= end) {
    return "the window of --record-window begins after the run, which ends at " + ends + " ns";
  }
  return "there are no findings, because --record-window divides launches; run without it for them";
}

}  // namespace

RunObservers::RunObservers(const topology::Graph& graph, const ObserverChoice& choice) : graph_(graph) {
  if (choice.window) window_ = {choice.window->first, choice.window->second};
  if (choice.activity) {
    recorder_.emplace(series_of(graph), window_);
    costs_.emplace(graph);
  }
  if (graph.spec.energy) work_.emplace(graph);
  if (choice.races) races_.emplace(kernel_scratch(graph.spec), one_write_channel(graph.spec));
}

void RunObservers::observe(SimulationOptions& options) {
  if (recorder_) options.recorder = &*recorder_;
  if (costs_) options.costs = &*costs_;
  if (work_) options.work = &*work_;
  if (races_) options.order = &*races_;
}

void RunObservers::add_energy(RunRecord& record) const {
  const StatisticTable statistics = statistics_of<StatisticTable>(record.blocks, graph_);
  const EnergyInput input{graph_,         statistics, *work_, record.declared, recorder_ ? &*recorder_ : nullptr,
                          record.sim_time};
  try {
    record.energy = account_energy(input, record.launches);
  } catch (const Error& error) {
    if (error.code() != "ENERGY_RANGE") throw;
    record.warnings.emplace_back(error.what());
  }
}

void RunObservers::report(RunRecord& record) const {
  if (races_) {
    record.races = races_->races();
    record.races_not_compared = races_->not_compared();
  }
  if (window_) record.notes.push_back(window_note(*window_, record.sim_time));
  if (work_) add_energy(record);
  if (!recorder_) return;
  const MessageWaits waits(costs_->receives(), graph_, costs_->slot_waits());
  name_awaited(record.launches, waits);
  add_recorded_use(*recorder_, graph_, record);
  if (!window_) {
    const BlockCounts counts = statistics_of<BlockCounts>(record.blocks, graph_);
    record.findings =
        find_causes({record.launches, *recorder_, graph_, &*costs_, &waits, record.declared, counts, record.resources});
  }
  record.operations = costs_->most_expensive(kOperationsShown);
}

}  // namespace kb::sim
