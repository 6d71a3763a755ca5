// Rules for memory: idle channels beside full ones, and a slice that all PEs wait for.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "platform/contract/share_words.h"
#include "platform/observe/text_table.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

using record::Role;
using Row = LaunchActivity::Row;

// When a resource is busy for this share of a bin, requests are assumed to have waited for it. A pseudo-channel without
// waiting requests is idle for most of a bin.
constexpr double kFull = 0.75, kFullChannel = 0.25, kFullSlice = 0.6;

bool is_full(TimeFs busy, TimeFs width, double part = kFull) {
  return fs_to_ns(busy) >= part * fs_to_ns(width);
}

// The pseudo-channels of one controller.
struct Slice {
  NodeId node;
  std::vector<TimeFs> sum{};   // per bin: busy time of all channels
  std::vector<TimeFs> most{};  // per bin: busy time of the busiest channel
  TimeFs full = 0_fs;          // busy time of the busiest channel in bins in which it was full
  TimeFs full_sum = 0_fs;      // busy time of all channels in these bins
  TimeFs total = 0_fs;         // busy time of all channels in all bins
};

void add_row(Slice& slice, const Row& row) {
  slice.sum.resize(row.busy.size());
  slice.most.resize(row.busy.size());
  accumulate(slice.total, row.sum.busy);
  for (std::size_t bin = 0; bin < row.busy.size(); ++bin) {
    accumulate(slice.sum[bin], row.busy[bin]);
    slice.most[bin] = std::max(slice.most[bin], row.busy[bin]);
  }
}

// Busy time per pseudo-channel in each bin of the window: of the busiest slice of a cube, and of all its slices.
struct Bins {
  std::vector<TimeFs> fullest, all;
  std::vector<NodeId> which;  // the busiest slice
};

void add_slice(const Slice& slice, std::int64_t channels, Bins& bins) {
  bins.fullest.resize(slice.sum.size());
  bins.all.resize(slice.sum.size());
  bins.which.resize(slice.sum.size());
  for (std::size_t bin = 0; bin < slice.sum.size(); ++bin) {
    const TimeFs busy = slice.sum[bin] / channels;
    accumulate(bins.all[bin], busy);
    if (busy <= bins.fullest[bin]) continue;
    bins.fullest[bin] = busy;
    bins.which[bin] = slice.node;
  }
}

void close(Slice& slice, const LaunchActivity& activity) {
  for (std::size_t bin = 0; bin < slice.sum.size(); ++bin) {
    if (!is_full(slice.most[bin], activity.bin_width(bin), kFullChannel)) continue;
    slice.full += slice.most[bin];
    accumulate(slice.full_sum, slice.sum[bin]);
  }
  slice.sum = {};
  slice.most = {};
}

std::int64_t channels_of(const LaunchCase& launch_case, const Slice& slice) {
  return launch_case.graph.node(slice.node).params.as<params::HbmCtrlParams>().num_pcs;
}

std::vector<Slice> slices_of(const LaunchCase& launch_case, Bins& own_cube) {
  std::vector<Slice> slices;
  const auto close_last = [&] {
    if (slices.empty()) return;
    const topology::Node& node = launch_case.graph.node(slices.back().node);
    if (node.sip == launch_case.pe.pe.sip && node.cube == launch_case.pe.pe.cube) {
      add_slice(slices.back(), channels_of(launch_case, slices.back()), own_cube);
    }
    close(slices.back(), launch_case.activity);
  };
  const auto is_channel = [](const record::SeriesInfo& series) {
    return series.role == Role::memory && series.name == params::kChannelResource;
  };
  launch_case.activity.for_each_if(is_channel, [&](const Row& row) {
    if (slices.empty() || slices.back().node != row.series->node) {
      close_last();
      slices.push_back({row.series->node});
    }
    add_row(slices.back(), row);
  });
  close_last();
  return slices;
}

// Time saved if the bursts of full bins were spread evenly over all channels.
TimeFs excess_of(const LaunchCase& launch_case, const Slice& slice) {
  return slice.full - slice.full_sum / channels_of(launch_case, slice);
}

void find_idle_channels(const LaunchCase& launch_case, const std::vector<Slice>& slices, Findings& findings) {
  const Slice* worst = nullptr;
  std::size_t same = 0;
  for (const Slice& slice : slices) {
    if (worst == nullptr || excess_of(launch_case, slice) > excess_of(launch_case, *worst)) worst = &slice;
  }
  if (worst == nullptr || worst->full == 0_fs) return;
  const auto pcs = channels_of(launch_case, *worst);
  const double used = fs_to_ns(worst->full_sum) / fs_to_ns(worst->full);
  if (used > 0.8 * static_cast<double>(pcs)) return;
  for (const Slice& slice : slices)
    same += fs_to_ns(excess_of(launch_case, slice)) >= 0.9 * fs_to_ns(excess_of(launch_case, *worst)) ? 1 : 0;
  const std::string& name = launch_case.graph.node(worst->node).id;
  // Each access waits for the fullest of its channels, which is another one from access to access.
  const TimeFs exposed = launch_case.exposed_on_path(),
               uneven = worst->full < launch_case.activity.window() / 4
                            ? 0_fs
                            : part(exposed, 1.0 - used / static_cast<double>(pcs));
  const TimeFs gain = std::min(std::max(excess_of(launch_case, *worst), uneven), exposed);
  Finding finding = launch_case.finding("idle_pseudo_channels", gain,
                                        fmt::format("pseudo-channels of {} idle beside full ones", name));
  finding.evidence = {
      fmt::format("while reads and writes fill one of its pseudo-channels ({} of the kernel), {:.1f} of {} are busy",
                  percent(worst->full, launch_case.activity.window()), used, pcs),
      fmt::format("{} of {} slices in use look like this", same, slices.size())};
  finding.remedy =
      "make rows that are read together cover all channels: a wider tile (tile_n up to the row), another row pitch "
      "than a multiple of burst_bytes x num_pcs / 2, or --set cube.components.hbm_ctrl.attrs.channel_hash=xor";
  findings.push_back(std::move(finding));
}

// Busy time of the busiest wire from or to a controller: its rate may be less than that of the channels (efficiency).
TimeFs busy_wire_of(const LaunchCase& launch_case, NodeId controller) {
  TimeFs most = 0_fs;
  for (const LaunchActivity::WireUse& use : launch_case.activity.wires(kFull)) {
    if (use.series->node == controller || use.series->peer == controller) most = std::max(most, use.busy);
  }
  return most;
}

void find_hot_slice(const LaunchCase& launch_case, const std::vector<Slice>& slices, Findings& findings) {
  const std::size_t homes = std::max(slices.size(), launch_case.launch.summary.pes);  // each PE has a slice
  if (slices.empty() || homes < 2) return;
  const Slice* hot = &slices.front();
  TimeFs total = 0_fs;
  for (const Slice& slice : slices) {
    accumulate(total, slice.total);
    if (slice.total > hot->total) hot = &slice;
  }
  const TimeFs mean = total / homes;
  const auto pcs = channels_of(launch_case, *hot);
  const TimeFs busy = std::max(hot->total / pcs, busy_wire_of(launch_case, hot->node));
  if (hot->total / 2 < mean || !is_full(busy, launch_case.activity.window() / 2)) return;
  const double times = fs_to_ns(hot->total) / fs_to_ns(mean);
  const TimeFs saved = part(busy, 1.0 - 1.0 / times);
  // A copy for each PE lies at its end of the way, and leaves what its own wires have to carry.
  using contract::PeResource;
  const TimeFs exposed = launch_case.exposed_on_path(),
               carried = std::max(launch_case.pe.shares.of(PeResource::read_link),
                                  launch_case.pe.shares.of(PeResource::write_link)),
               counted = std::min(saved, exposed);
  Finding finding = launch_case.finding(
      "hot_slice", std::max(counted, exposed - std::min(exposed, carried)),
      fmt::format("{} serves {:.1f} times as much as the others", launch_case.graph.node(hot->node).id, times),
      LaunchCase::kThousandth);
  finding.counted = counted;
  finding.evidence = {fmt::format(
      "its pseudo-channels or its wire are busy for {} of the kernel, those of {} slices would be for {} on average",
      percent(busy, launch_case.activity.window()), homes, percent(busy - saved, launch_case.activity.window()))};
  add_bytes_of_others(launch_case, launch_case.graph.node(hot->node).id, "", finding);
  finding.remedy = "spread the tensor over the slices, or give each cube or PE a copy";
  findings.push_back(std::move(finding));
}

// Finds the case in which, at any time, a few slices of a cube are full and the others idle, but not always the same:
// PEs read one tensor in one order. Slices that only their own PEs read may also be full in turn, but then no read
// takes longer than its bytes.
void find_slices_in_turn(const LaunchCase& launch_case, const Bins& bins, Findings& findings) {
  using contract::PeResource;
  for (const Finding& other : findings) {
    if (other.rule == "hot_slice") return;
  }
  const std::int64_t homes = launch_case.graph.spec.pes_per_cube();
  std::set<NodeId> full_ones;
  TimeFs full = 0_fs, fullest = 0_fs, mean = 0_fs;
  for (std::size_t bin = 0; bin < bins.fullest.size(); ++bin) {
    const TimeFs of_all = bins.all[bin] / homes;
    const TimeFs width = launch_case.activity.bin_width(bin);
    if (!is_full(bins.fullest[bin], width, kFullSlice) || bins.fullest[bin] / 2 < of_all) continue;
    full += width;
    fullest += bins.fullest[bin];
    mean += of_all;
    full_ones.insert(bins.which[bin]);
  }
  if (full < launch_case.activity.window() / 3 || full_ones.size() < 2 || launch_case.launch.summary.pes < 2) return;
  const TimeFs reading = launch_case.pe.shares.of(PeResource::read_channel),
               wire = launch_case.pe.shares.of(PeResource::read_link);
  const TimeFs longer = std::max(0_fs, reading - wire);
  Finding finding =
      launch_case.finding("slices_in_turn", std::min({fullest - mean, longer, launch_case.exposed_on_path()}),
                          "PEs read the same few HBM slices at a time, other ones later");
  finding.evidence = {
      fmt::format("for {} of the kernel a slice of its cube is busy for {}, while all {} are for {} on average",
                  percent(full, launch_case.activity.window()), percent(fullest, full), homes, percent(mean, full)),
      fmt::format("reads of {} last {}, their bytes take {} on its wire", pe_name(launch_case.pe.pe), ns_text(reading),
                  ns_text(wire))};
  finding.remedy =
      "let each PE begin with another part of the tensor, its own first, and go around; or give PEs copies";
  findings.push_back(std::move(finding));
}

// Finds slices that are busy nearly all the time, all alike: the memory is as fast as it is.
void find_memory_bound(const LaunchCase& launch_case, const std::vector<Slice>& slices, Findings& findings) {
  const TimeFs uneven = explained_by(findings, {"idle_pseudo_channels", "hot_slice", "slices_in_turn"});
  if (uneven >= launch_case.total() / 20) return;
  const Slice* most = nullptr;
  for (const Slice& slice : slices) {
    if (most == nullptr || slice.total > most->total) most = &slice;
  }
  if (most == nullptr) return;
  const TimeFs busy = most->total / channels_of(launch_case, *most);
  if (!is_full(busy, launch_case.activity.window(), kFullSlice)) return;
  add_memory_bound(launch_case, launch_case.graph.node(most->node), busy, findings);
}

// Finds a slice that answers later than the others of the machine.
void find_slow_slice(const LaunchCase& launch_case, Findings& findings) {
  std::vector<double> latencies;
  const topology::Node* slow = nullptr;
  std::int64_t reads = 0;
  double worst = 0;
  for (std::size_t i = 0; i < launch_case.graph.nodes.size(); ++i) {
    const topology::Node& node = launch_case.graph.nodes[i];
    if (node.kind != topology::NodeKind::hbm_ctrl) continue;
    latencies.push_back(fs_to_ns(params::memory_traits(node.params, node.impl_params).access + node.overhead));
    const std::int64_t here = launch_case.counts.at(NodeId(static_cast<std::uint32_t>(i))).reads;
    if (here == 0 || latencies.back() <= worst) continue;
    worst = latencies.back();
    slow = &node;
    reads = here;
  }
  if (slow == nullptr || latencies.size() < 3) return;
  const auto middle = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
  std::nth_element(latencies.begin(), middle, latencies.end());
  const double more = worst - *middle;
  if (more <= 0) return;
  const double of_pe =
      static_cast<double>(reads) / static_cast<double>(std::max<std::size_t>(1, launch_case.launch.summary.pes));
  const TimeFs waits = std::min(launch_case.exposed(), reads_beyond_bytes(launch_case)) +
                       launch_case.exposed_elsewhere() + launch_case.share(contract::TimeShare::dependency);
  // Its own PE may be the only one that reads there, and end last for that, or be waited for.
  const TimeFs late = slow->pe_coord() == launch_case.pe.pe ? lateness(launch_case) : 0_fs;
  const TimeFs waited_for = launch_case.spans.count(slow->pe_coord()) > 0
                                ? std::min(ns_to_fs(more * static_cast<double>(reads)), launch_case.exposed_elsewhere())
                                : 0_fs;
  const TimeFs gain = std::max({std::min(ns_to_fs(more * of_pe), waits), late, waited_for});
  Finding finding = launch_case.finding("slow_slice", gain, fmt::format("{} answers later than the others", slow->id));
  finding.evidence = {
      fmt::format("an access takes {} ns there, {} ns elsewhere; it serves {} reads", worst, *middle, reads)};
  finding.remedy = "lay the tensors on other slices, or look at why this one differs (replace: in the topology)";
  findings.push_back(std::move(finding));
}

}  // namespace

void add_memory_bound(const LaunchCase& launch_case, const topology::Node& node, TimeFs busy, Findings& findings) {
  const double efficiency = params::memory_traits(node.params, node.impl_params).efficiency;
  // Twice the rate, or what an efficiency below a half leaves.
  const TimeFs gain = part(busy, 1.0 - std::min(0.5, efficiency));
  Finding finding = launch_case.finding("memory_bound", std::min(gain, launch_case.exposed_on_path()),
                                        fmt::format("{} is busy nearly all the time", node.id));
  finding.evidence = {
      fmt::format("it serves bytes for {} of the kernel", percent(busy, launch_case.activity.window()))};
  if (efficiency < 1) {
    finding.evidence.push_back(fmt::format("it gives {:.0f} % of its bandwidth (efficiency)", 100 * efficiency));
  }
  add_bytes_of_others(launch_case, node.id, "", finding);
  finding.remedy = "move fewer bytes: keep what is used again in the TCM, use a smaller dtype, fuse kernels";
  findings.push_back(std::move(finding));
}

void find_memory_causes(const LaunchCase& launch_case, Findings& findings) {
  if (launch_case.activity.empty()) return;
  Bins own_cube;
  const std::vector<Slice> slices = slices_of(launch_case, own_cube);
  find_idle_channels(launch_case, slices, findings);
  find_hot_slice(launch_case, slices, findings);
  find_slices_in_turn(launch_case, own_cube, findings);
  find_memory_bound(launch_case, slices, findings);
  find_slow_slice(launch_case, findings);
}

}  // namespace kb::sim
