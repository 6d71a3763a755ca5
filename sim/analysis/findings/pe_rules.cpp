// Rules for the PE that ended last, compared with the others.
#include <fmt/format.h>

#include <algorithm>

#include "platform/contract/completion.h"
#include "platform/contract/launch_summary.h"
#include "platform/contract/share_words.h"
#include "platform/engine/engine_catalog.h"
#include "platform/observe/text_table.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

using contract::PeResource;
using contract::TimeShare;

// The engines of the machine with their parts of the launch, "PE_GEMM 40 % and PE_MATH 10 %", and the busiest one.
struct EngineTimes {
  std::string text;
  const engine::EngineRow* busiest = nullptr;
};
EngineTimes engine_times(const LaunchCase& launch_case) {
  const engine::EngineCatalog& engines = *launch_case.graph.spec.engines;
  EngineTimes times;
  TimeFs most = -1_fs;
  for (const engine::EngineId id : engines.ids()) {
    const TimeFs time = launch_case.pe.shares.of(id);
    const char* const join = times.text.empty() ? "" : id == engines.ids().back() ? " and " : ", ";
    times.text += fmt::format("{}PE_{} {}", join, engine::engine_stage(id), percent(time, launch_case.total()));
    if (time <= most) continue;
    most = time;
    times.busiest = &engines.row(id);
  }
  return times;
}

void find_compute_bound(const LaunchCase& launch_case, Findings& findings) {
  const TimeFs compute = launch_case.computing();
  const contract::LaunchSummary& sum = launch_case.launch.summary;
  if (sum.macs > sum.useful_macs) {
    const double padding = static_cast<double>(sum.macs - sum.useful_macs) / static_cast<double>(sum.macs);
    // Transfers that overlap with the padding today would become visible.
    const TimeFs hidden = std::max(0_fs, launch_case.pe.shares.of(PeResource::read_link) - launch_case.exposed());
    const TimeFs least = std::max(part(compute, 1.0 - padding), std::min(hidden, compute));
    Finding finding = launch_case.finding("padded_tiles", compute - least, "much of the MAC array's work is padding");
    finding.evidence = {
        fmt::format("{:.0f} % of the multiply-accumulates are of elements that do not exist", 100 * padding)};
    finding.remedy = "make the sizes multiples of gemm_granularity, or give a PE more rows";
    findings.push_back(std::move(finding));
  }
  if (compute < part(launch_case.pe.exec, 0.8)) return;
  const TimeFs gain = std::min({compute, launch_case.slack_of_transfers(), without_wires(launch_case)});
  Finding finding = launch_case.finding("compute_bound", gain, "the engines compute nearly all the time");
  const EngineTimes engines = engine_times(launch_case);
  finding.evidence = {fmt::format("{} computes for {} of the launch, {}: transfers are hidden",
                                  pe_name(launch_case.pe.pe), percent(compute, launch_case.total()), engines.text)};
  finding.remedy = engines.busiest->advice;
  findings.push_back(std::move(finding));
}

void find_missing_overlap(const LaunchCase& launch_case, Findings& findings) {
  const TimeFs compute = launch_case.computing();
  const TimeFs gain = std::min({compute, launch_case.exposed(), launch_case.slack()});
  Finding finding = launch_case.finding("missing_overlap", gain, "transfers and computing take turns");
  finding.evidence = {fmt::format("{} computes for {} of the launch, and for {} it moves data while nothing computes",
                                  pe_name(launch_case.pe.pe), percent(compute, launch_case.total()),
                                  percent(launch_case.exposed(), launch_case.total()))};
  finding.remedy = "load the next tile while this one is computed: a composite, or smaller tiles in two buffers";
  findings.push_back(std::move(finding));
}

// Time in which the PE's HBM slice serves bytes that take `wire` on its link, if no burst is wasted.
TimeFs in_whole_bursts(const LaunchCase& launch_case, TimeFs wire) {
  for (const topology::Node& node : launch_case.graph.nodes) {
    if (!(node.pe_coord() == launch_case.pe.pe) || node.kind != topology::NodeKind::hbm_ctrl) continue;
    const params::MemoryTraits hbm = params::memory_traits(node.params, node.impl_params);
    const Bandwidth slice = hbm.channel_bw * static_cast<double>(hbm.channels);
    return part(wire, launch_case.graph.spec.pe_to_router_bw / slice);
  }
  return kNever;
}

// Time that the bytes of the PE's reads need.
TimeFs needed_for_reads(const LaunchCase& launch_case) {
  const TimeFs wire = launch_case.pe.shares.of(PeResource::read_link),
               both_ways = wire + launch_case.pe.shares.of(PeResource::write_link);
  return std::max(wire,
                  std::min(launch_case.pe.shares.of(PeResource::hbm_slice), in_whole_bursts(launch_case, both_ways)));
}

// Finds reads that take much longer than their bytes on the wire although no memory or wire is full.
void find_small_transfers(const LaunchCase& launch_case, Findings& findings) {
  const TimeFs reading = launch_case.pe.shares.of(PeResource::read_channel), needed = needed_for_reads(launch_case);
  if (reading == 0_fs || needed > part(reading, 2.0 / 3)) return;
  // More or larger transfers bring no wire of the launch less to carry.
  const TimeFs writing = launch_case.pe.shares.of(PeResource::write_channel);
  const TimeFs gain = std::min({reading + writing - needed, launch_case.exposed(), without_wires(launch_case)}) +
                      launch_case.exposed_elsewhere();
  for (const Finding& other : findings) {
    const bool of_memory = other.rule == "idle_pseudo_channels" || other.rule == "hot_slice" ||
                           other.rule == "slices_in_turn" || other.rule == "slow_link" || other.rule == "hot_link" ||
                           other.rule == "resource_waits" || other.rule == "memory_bound" || other.rule == "slow_slice";
    if (of_memory && other.own_gain() >= gain / 2) return;  // explains the long reads
  }
  TransferDelays delays = delays_of_transfers(launch_case, gain);
  if (delays.largest) {
    findings.push_back(std::move(*delays.largest));
    return;
  }
  // Where a wire is full, transfers wait for others, and delays are the smaller part.
  const bool waits = explained_by(findings, {"hot_link", "slow_link"}) >= launch_case.total() / 20;
  // More commands under way are translated meanwhile, too.
  const TimeFs own = waits ? delays.gain.value_or(gain) : gain;
  Finding finding = launch_case.finding("small_transfers", own + launch_case.share(TimeShare::tlb),
                                        "reads spend most of their time on the way, not on the wire");
  finding.counted = own;
  finding.evidence = {fmt::format("reads of {} last {}, their bytes take {} on its wire", pe_name(launch_case.pe.pe),
                                  ns_text(reading), ns_text(needed))};
  finding.remedy =
      "move more bytes with each command, or let more reads be under way (pe_dma: rd_outstanding, rd_engines)";
  findings.push_back(std::move(finding));
}

void find_straggler(const LaunchCase& launch_case, Findings& findings) {
  std::vector<TimeFs> ends;
  for (const contract::PeResult& pe : launch_case.launch.pes) ends.push_back(pe.start + pe.exec);
  if (ends.size() < 2) return;
  const TimeFs last = *std::max_element(ends.begin(), ends.end()), median = last - lateness(launch_case);
  const auto late = static_cast<std::size_t>(
      std::count_if(ends.begin(), ends.end(), [&](TimeFs end) { return end > median + (last - median) / 2; }));
  if (late * 4 > ends.size()) return;  // a half that works longer is no straggler
  Finding finding =
      launch_case.finding("straggler", last - median, fmt::format("{} ends late", pe_name(launch_case.pe.pe)));
  finding.evidence = {
      fmt::format("{} of {} PEs end with it, {} behind the median", late, ends.size(), ns_text(last - median))};
  finding.remedy = "give it less work, or look at what is nearer to the others: its memory, its wires, its start";
  findings.push_back(std::move(finding));
}

void find_launch_overhead(const LaunchCase& launch_case, Findings& findings) {
  const TimeFs delivery = launch_case.pe.ready - launch_case.launch.submitted,
               barrier = launch_case.pe.start - launch_case.pe.ready;
  const TimeFs completion = launch_case.launch.completed - launch_case.pe.start - launch_case.pe.exec;
  const TimeFs late = launch_case.launch.summary.late_max;
  Finding finding = launch_case.finding(
      late > 0_fs ? "late_launch" : "launch_overhead", delivery + barrier + completion,
      late > 0_fs ? "the launch reaches PEs after their start" : "the launch travels longer than it pays");
  finding.evidence = {fmt::format("delivery {}, barrier {}, completion {} of {}", ns_text(delivery), ns_text(barrier),
                                  ns_text(completion), ns_text(launch_case.total()))};
  if (late > 0_fs) {
    finding.evidence.push_back(
        fmt::format("{} PEs are late, by up to {}", launch_case.launch.summary.late_pes, ns_text(late)));
  }
  finding.remedy = late > 0_fs ? "it waits behind other traffic, such as tensors that the host has just written: write "
                                 "less or earlier, or keep them on the device"
                               : "do more in one launch, or launch on fewer cubes";
  findings.push_back(std::move(finding));
}

void find_full_block(const LaunchCase& launch_case, Findings& findings) {
  const TimeFs full = launch_case.share(TimeShare::queue_full);
  Finding finding = launch_case.finding("full_queue", std::min(full, launch_case.slack()),
                                        "an engine holds results that the next block has no room for");
  finding.evidence = {
      fmt::format("{} of the launch at {}", percent(full, launch_case.total()), pe_name(launch_case.pe.pe))};
  finding.remedy = "make the tiles smaller, or the queue behind the engine longer (queue_depth)";
  findings.push_back(std::move(finding));
}

}  // namespace

TimeFs reads_beyond_bytes(const LaunchCase& launch_case) {
  return std::max(0_fs, launch_case.pe.shares.of(PeResource::read_channel) - needed_for_reads(launch_case));
}

TimeFs lateness(const LaunchCase& launch_case) {
  std::vector<TimeFs> ends;
  for (const contract::PeResult& pe : launch_case.launch.pes) ends.push_back(pe.start + pe.exec);
  if (ends.empty()) return 0_fs;
  std::sort(ends.begin(), ends.end());
  return ends.back() - ends[(ends.size() - 1) / 2];
}

void find_pe_causes(const LaunchCase& launch_case, Findings& findings) {
  find_compute_bound(launch_case, findings);
  find_missing_overlap(launch_case, findings);
  find_small_transfers(launch_case, findings);
  find_straggler(launch_case, findings);
  find_launch_overhead(launch_case, findings);
  find_full_block(launch_case, findings);
}

}  // namespace kb::sim
