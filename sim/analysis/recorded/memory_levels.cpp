#include "sim/analysis/recorded/memory_levels.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "sim/analysis/recorded/resource_use.h"

namespace kb::analysis {
namespace {

struct Sum {
  double bytes = 0, gbs = 0;
  // Minimum time of the bytes in ns.
  double fullness() const { return gbs > 0 ? bytes / gbs : 0; }
};

enum class Count : std::uint8_t { all_wires, fullest_wire };

struct WireLevel {
  const char* name;
  Count count;
  std::vector<std::string> kinds;  // wires; with all_wires one for each direction
};

const std::vector<WireLevel>& wire_levels() {
  static const std::vector<WireLevel> levels = {
      {"SRAM", Count::all_wires, {"sram_to_router", "router_to_sram"}},
      {"link", Count::all_wires, {"router_to_pe", "pe_to_router"}},
      {"UCIe", Count::fullest_wire, {"ucie_mesh", "io_to_cube", "cube_to_io"}},
      {"PCIe", Count::fullest_wire, {"pcie"}},
  };
  return levels;
}

bool is_inside(const Series& series, const Scope& part) {
  return part.has(series.component, series.coord) || (!series.peer.empty() && part.has(series.peer, series.peer_coord));
}

// Resources used below a node.
struct Used {
  std::map<std::string, Sum> wires, fullest;  // by kind of wire: all wires in use, and the one with the longest busy time
  double channel_bytes = 0;
  Sum fetched, stored;
  std::set<std::string> slices;  // those in use, or whose PE ran a kernel: as in cell_of()

  void add_wire(const std::string& kind, const Sum& wire) {
    if (wire.gbs <= 0) return;
    wires[kind].bytes += wire.bytes;
    wires[kind].gbs += wire.gbs;
    Sum& most = fullest[kind];
    if (wire.fullness() > most.fullness()) most = wire;
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
    if (series.kind == "link") {
      const std::string& peer = series.peer;
      used.add_wire(machine.wire_kind(series.component, peer), {bytes, machine.wire_gbs(series.component, peer)});
    } else if (series.kind == "pseudo_channel") {
      used.channel_bytes += bytes;
      used.slices.insert(cell_of(series));
    } else if (series.kind == "state") {
      used.slices.insert(cell_of(series));
    } else if (series.kind == "tcm") {
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
MemoryLevel hbm_level(const Used& used, const Machine& machine) {
  const double reads = used.bytes_of("hbm_to_router") + used.bytes_of("hbm_to_channel");
  const double writes = used.bytes_of("router_to_hbm") + used.bytes_of("channel_to_hbm");
  const double fuller = reads + writes > 0 ? std::max(reads, writes) / (reads + writes) : 1;
  const double channels = static_cast<double>(machine.channels_per_slice()) * machine.channel_gbs();
  const double wires = machine.slice_gbs() > 0 ? machine.slice_gbs() / fuller : channels;
  return {"HBM", used.channel_bytes, static_cast<double>(used.slices.size()) * std::min(channels, wires)};
}

MemoryLevel wire_level(const WireLevel& wanted, const Used& used) {
  const std::map<std::string, Sum>& sums = wanted.count == Count::all_wires ? used.wires : used.fullest;
  Sum best;
  for (const std::string& kind : wanted.kinds) {
    const auto found = sums.find(kind);
    if (found != sums.end() && found->second.fullness() > best.fullness()) best = found->second;
  }
  return {wanted.name, best.bytes, best.gbs};
}

}  // namespace

std::vector<MemoryLevel> memory_levels(const Activity& activity, const std::vector<Use>& uses, const Machine& machine,
                                       const Scope& part) {
  const Used used = used_below(activity, uses, machine, part);
  const Sum& tcm = used.fetched.fullness() >= used.stored.fullness() ? used.fetched : used.stored;
  std::vector<MemoryLevel> levels = {hbm_level(used, machine), {"TCM", tcm.bytes, tcm.gbs}};
  for (const WireLevel& wanted : wire_levels()) levels.push_back(wire_level(wanted, used));
  std::swap(levels[1], levels[2]);  // SRAM lies between HBM and TCM
  levels.erase(std::remove_if(levels.begin(), levels.end(),
                              [](const MemoryLevel& level) { return level.bytes <= 0 || level.gbs <= 0; }),
               levels.end());
  return levels;
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
