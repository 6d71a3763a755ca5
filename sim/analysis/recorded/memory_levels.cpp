#include "sim/analysis/recorded/memory_levels.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "platform/params/memory_traits.h"
#include "sim/analysis/recorded/resource_use.h"

namespace kb::analysis {
namespace {

struct Sum {
  double bytes = 0, gbs = 0;
  // Minimum time of the bytes in ns.
  double fullness() const { return gbs > 0 ? bytes / gbs : 0; }
};

enum class Count : std::uint8_t { channels, tcm_ports, all_wires, fullest_wire };

struct Level {
  DisplayText word;
  Count count;
  std::vector<std::string> wires;  // their kinds; with all_wires one for each direction
};

const std::vector<Level>& levels() {
  static const std::vector<Level> rows = {
      {{"HBM", "HBM", "What the HBM channels of its PEs move.", "", ""}, Count::channels, {}},
      {{"SRAM", "SRAM", "What passes between SRAMs and their routers.", "", "#2f8f83"},
       Count::all_wires,
       {"sram_to_router", "router_to_sram"}},
      {{"TCM", "TCM", "What FETCH or STORE moves.", "", "#b08a1e"}, Count::tcm_ports, {}},
      {{"link", "link", "What passes between PEs and their routers.", "", "#5b9a3d"},
       Count::all_wires,
       {"router_to_pe", "pe_to_router"}},
      {{"UCIe", "UCIe", "What passes the fullest wire between chiplets.", "", "#c2559b"},
       Count::fullest_wire,
       {"ucie_mesh", "io_to_cube", "cube_to_io"}},
      {{"PCIe", "PCIe", "What passes the fullest wire to the host.", "", "#8c6d31"}, Count::fullest_wire, {"pcie"}},
  };
  return rows;
}

bool is_inside(const Series& series, const Scope& part) {
  return part.has(series.component, series.coord) || (!series.peer.empty() && part.has(series.peer, series.peer_coord));
}

// Resources used below a node.
struct Used {
  std::map<std::string, Sum> wires,
      fullest;  // by kind of wire: all wires in use, and the one with the longest busy time
  // Bytes by HBM slice and resource. A controller of a plug-in may have several resources, and each byte passes them
  // all.
  std::map<std::string, std::map<std::string, double>> memory_bytes;
  Sum fetched, stored;
  std::set<std::string> slices;  // those in use, or whose PE ran a kernel: as in cell_of()

  void add_wire(const std::string& kind, const Sum& wire) {
    if (wire.gbs <= 0) return;
    wires[kind].bytes += wire.bytes;
    wires[kind].gbs += wire.gbs;
    Sum& most = fullest[kind];
    if (wire.fullness() > most.fullness()) most = wire;
  }
  double channel_bytes() const {
    double all = 0;
    for (const auto& [slice, resources] : memory_bytes) {
      double most = 0;
      for (const auto& [resource, bytes] : resources) most = std::max(most, bytes);
      all += most;
    }
    return all;
  }
  double bytes_of(const std::string& kind) const {
    const auto found = wires.find(kind);
    return found == wires.end() ? 0 : found->second.bytes;
  }
};

Used used_below(const Activity& activity, const std::vector<Use>& uses, const Machine& machine, const Scope& part) {
  Used used;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Series& series = activity.series()[i];
    if (uses[i].is_empty() || !is_inside(series, part)) continue;
    const double bytes = uses[i].bytes;
    if (series.kind == "wire") {
      const std::string& peer = series.peer;
      used.add_wire(machine.wire_kind(series.component, peer), {bytes, machine.wire_gbs(series.component, peer)});
    } else if (series.kind == "memory" && series.coord.pe.valid()) {
      used.memory_bytes[series.component][series.resource] += bytes;
      used.slices.insert(cell_of(series));
    } else if (series.kind == "state") {
      used.slices.insert(cell_of(series));
    } else if (series.kind == "tcm" && (series.name == "fetch" || series.name == "store")) {
      const bool fetch = series.name == "fetch";
      Sum& sum = fetch ? used.fetched : used.stored;
      sum.bytes += bytes;
      sum.gbs += fetch ? machine.fetch_gbs() : machine.store_gbs();
    }
  }
  return used;
}

// The channels serve both directions; each direction of the wires between a slice and its router has its own rate,
// which `efficiency` scales.
Sum hbm_sum(const Used& used, const Machine& machine) {
  const double reads = used.bytes_of("hbm_to_router") + used.bytes_of("hbm_to_channel");
  const double writes = used.bytes_of("router_to_hbm") + used.bytes_of("channel_to_hbm");
  const double fuller = reads + writes > 0 ? std::max(reads, writes) / (reads + writes) : 1;
  const Bandwidth slice = params::slice_bandwidth(machine.channels_per_slice(), Bandwidth(machine.channel_gbs()),
                                                  Bandwidth(machine.slice_gbs()), fuller);
  return {used.channel_bytes(), static_cast<double>(used.slices.size()) * slice.gbs()};
}

Sum wire_sum(const Level& level, const Used& used) {
  const std::map<std::string, Sum>& sums = level.count == Count::all_wires ? used.wires : used.fullest;
  Sum best;
  for (const std::string& kind : level.wires) {
    const auto found = sums.find(kind);
    if (found != sums.end() && found->second.fullness() > best.fullness()) best = found->second;
  }
  return best;
}

Sum sum_of(const Level& level, const Used& used, const Machine& machine) {
  if (level.count == Count::channels) return hbm_sum(used, machine);
  if (level.count != Count::tcm_ports) return wire_sum(level, used);
  return used.fetched.fullness() >= used.stored.fullness() ? used.fetched : used.stored;
}

}  // namespace

std::vector<DisplayText> memory_level_words() {
  std::vector<DisplayText> words;
  for (const Level& level : levels()) words.push_back(level.word);
  return words;
}

std::vector<MemoryLevel> memory_levels(const Activity& activity, const std::vector<Use>& uses, const Machine& machine,
                                       const Scope& part) {
  const Used used = used_below(activity, uses, machine, part);
  std::vector<MemoryLevel> found;
  for (const Level& level : levels()) {
    const Sum sum = sum_of(level, used, machine);
    if (sum.bytes > 0 && sum.gbs > 0) found.push_back({std::string(level.word.name), sum.bytes, sum.gbs});
  }
  return found;
}

std::size_t active_pes(const Activity& activity, const std::vector<Use>& uses, const Scope& part) {
  std::set<std::string> pes;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Series& series = activity.series()[i];
    if (series.kind == "state" && !uses[i].is_empty() && is_inside(series, part)) pes.insert(series.component);
  }
  return pes.size();
}

}  // namespace kb::analysis
