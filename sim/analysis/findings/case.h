// Input of the finding rules: one launch, from submission to completion, at its last-ending PE.
#pragma once

#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/names.h"
#include "platform/params/hbm_ctrl_params.h"
#include "platform/params/memory_traits.h"
#include "platform/resource/resource_table.h"
#include "platform/topology/graph.h"
#include "sim/analysis/findings/block_counts.h"
#include "sim/analysis/findings/finding.h"
#include "sim/analysis/findings/launch_activity.h"
#include "sim/analysis/findings/operation_costs.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

struct LaunchCase {
  const LaunchRecord& launch;
  const LaunchRecord::LastEndingPe& pe;
  const LaunchActivity& activity;
  const topology::Graph& graph;
  const OperationCosts* costs;  // null when not recorded
  const MessageWaits* waits;    // null when not recorded
  const std::deque<LaunchRecord>& launches;
  const BlockCounts& counts;
  const std::vector<ResourceName>& resources;
  LaunchActivity::Spans spans{};    // of other PEs, while this one waited for them
  std::vector<TimeFs> elsewhere{};  // by share: their time then

  TimeFs total() const { return launch.completed - launch.submitted; }
  TimeFs share(contract::TimeShare which) const { return pe.shares.of(which); }
  TimeFs computing() const { return pe.shares.computing(); }
  // The same with the time of the PEs that it waits for, one behind the other.
  TimeFs share_on_path(contract::TimeShare which) const;
  // The part of the kernel's time in which the busiest wire, memory port or engine of the PE is idle; no overlap can
  // save more.
  TimeFs slack() const;
  // The same without the engines.
  TimeFs slack_of_transfers() const;
  // Exposed DMA time: transfers without concurrent computation.
  TimeFs exposed() const { return pe.shares.exposed_dma(); }
  TimeFs exposed_elsewhere() const;
  TimeFs computing_elsewhere() const;
  TimeFs exposed_on_path() const { return exposed() + exposed_elsewhere(); }
  // `least`: such a part of the launch remains, whatever it is relieved of.
  static constexpr int kFiftieth = 50, kThousandth = 1000;
  Finding finding(const char* rule, TimeFs gain, std::string headline, int least = kFiftieth) const;
};

std::string percent(TimeFs part, TimeFs whole);  // "58 %"
inline TimeFs part(TimeFs time, double factor) {
  return TimeFs(static_cast<std::int64_t>(static_cast<double>(time.fs()) * factor));
}
std::string ns_text(TimeFs time);  // "512.0 ns"

using Findings = std::vector<Finding>;

// The largest gain that one of `rules` has found.
TimeFs explained_by(const Findings& findings, std::initializer_list<const char*> rules);

// Each function adds its findings.
// How long the last PE ends behind the median.
TimeFs lateness(const LaunchCase& launch_case);
// How much longer the PE's reads last than their bytes take.
TimeFs reads_beyond_bytes(const LaunchCase& launch_case);
void find_pe_causes(const LaunchCase& launch_case, Findings& findings);
void find_memory_causes(const LaunchCase& launch_case, Findings& findings);
// A memory that has served bytes for `busy`, nearly all the time.
void add_memory_bound(const LaunchCase& launch_case, const topology::Node& node, TimeFs busy, Findings& findings);
// The part of the kernel's time in which the busiest wire of the launch carries nothing; what brings the wires no less
// to carry saves no more.
TimeFs without_wires(const LaunchCase& launch_case);
void find_wire_causes(const LaunchCase& launch_case, Findings& findings);
void find_resource_causes(const LaunchCase& launch_case, const std::vector<resource::DeclaredUse>& declared,
                          Findings& findings);
void find_launches_beside(const LaunchCase& launch_case, Findings& findings);
void find_delays_of_commands(const LaunchCase& launch_case, Findings& findings);
void find_header_causes(const LaunchCase& launch_case, Findings& findings);
void find_barrier_causes(const LaunchCase& launch_case, Findings& findings);
void find_message_causes(const LaunchCase& launch_case, Findings& findings);

// Overheads of nodes, of one kind or all, on the way of the launch to the PE and back, on those of reads and writes,
// and of the messages that the PE waited for.
TimeFs launch_headers(const LaunchCase& launch_case, std::optional<topology::NodeKind> kind);
TimeFs transfer_headers(const LaunchCase& launch_case, std::optional<topology::NodeKind> kind);
TimeFs message_headers(const LaunchCase& launch_case, topology::NodeKind kind);

// The delays of reads and writes on their way; `gain`: what transfers without any would save.
struct TransferDelays {
  std::optional<TimeFs> gain;      // what transfers without these delays save at most; no value: not known
  std::optional<Finding> largest;  // of the sort that stands out
};
TransferDelays delays_of_transfers(const LaunchCase& launch_case, TimeFs gain);

// The PEs that the last-ending PE waited for, at barriers and for messages, and when.
LaunchActivity::Spans spans_elsewhere(const LaunchCase& launch_case);

// The launches whose kernels ran on this SIP while this one's did, the longest first.
std::vector<const LaunchRecord*> launches_beside(const LaunchRecord& launch, const std::deque<LaunchRecord>& launches);
// Adds how much of the bytes of a block these launches moved; `resource`: one of the block's, "" for all.
void add_bytes_of_others(const LaunchCase& launch_case, const std::string& block, const std::string& resource,
                         Finding& finding);

// Adds the chain of waits from the last-ending PE back to its origin, with sentences about it.
void add_chain(const LaunchCase& launch_case, Finding& finding);

}  // namespace kb::sim
