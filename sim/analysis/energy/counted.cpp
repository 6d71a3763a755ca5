#include "sim/analysis/energy/counted.h"

#include <cmath>
#include <optional>
#include <unordered_map>

#include "platform/base/error.h"

namespace kb::sim {
namespace {

using energy::EventId;
using energy::Part;
using topology::Edge;
using topology::EdgeKind;
using topology::Node;
using topology::NodeKind;

bool is_router(NodeKind kind) {
  return kind == NodeKind::noc_router || kind == NodeKind::channel_router || kind == NodeKind::io_noc;
}

// The kinds of edges that are wires of a die and no links between dies.
bool is_on_die(EdgeKind kind) {
  return kind != EdgeKind::ucie_mesh && kind != EdgeKind::io_to_cube && kind != EdgeKind::cube_to_io &&
         kind != EdgeKind::pcie;
}

class Counter {
 public:
  explicit Counter(const EnergyInput& input) : input_(input), all_(energy::events().size()) {
    const energy::Table& table = *input.graph.spec.energy;
    for (EventId id = 0; id < all_.size(); ++id) {
      const energy::EventRow& row = energy::events()[id];
      all_[id] = {std::string(energy::word_of(row.part).name),         row.name, row.unit, row.per, row.text, row.ratio,
                  table.of_event[id] ? &*table.of_event[id] : nullptr, 0,        {},       {}};
    }
    index_series();
  }

  std::vector<Counted> count() {
    for (const Edge& edge : input_.graph.edges) count_edge(edge);
    for (std::uint32_t i = 0; i < input_.graph.nodes.size(); ++i) count_node(NodeId(i));
    count_engines();
    std::vector<Counted> used;
    for (Counted& one : all_) {
      if (one.total > 0) used.push_back(std::move(one));
    }
    return used;
  }

 private:
  void index_series() {
    if (input_.recorder == nullptr) return;
    const std::vector<record::SeriesInfo>& series = input_.recorder->series();
    for (std::uint32_t i = 0; i < series.size(); ++i) {
      if (series[i].role == record::Role::wire) wires_[key(series[i].node, series[i].peer)] = i;
      if (series[i].role != record::Role::wire && series[i].role != record::Role::state) {
        of_node_[series[i].node.value].push_back(i);
      }
    }
  }
  static std::uint64_t key(NodeId from, NodeId to) { return std::uint64_t{from.value} << 32U | to.value; }

  // Adds the places of a series; `per_byte`: events for each byte.
  void add_series(EventId event, std::uint32_t series, std::uint64_t per_byte) {
    Counted& counted = all_[event];
    for (const account::ResourceAccount::Row& row : input_.recorder->uses_of(series)) {
      std::uint64_t& count = counted.by_place[row.place];
      count = energy::counted_sum(count, row.sums.bytes, per_byte);
    }
    counted.series.push_back({series, per_byte, Counted::Measure::bytes});
  }

  void add_edge(EventId event, const Edge& edge, std::uint64_t bytes, std::uint64_t per_byte) {
    if (per_byte == 0) return;
    all_[event].total = energy::counted_sum(all_[event].total, bytes, per_byte);
    const auto wire = wires_.find(key(edge.src, edge.dst));
    if (wire != wires_.end()) add_series(event, wire->second, per_byte);
  }

  void count_edge(const Edge& edge) {
    const Node &from = input_.graph.node(edge.src), &to = input_.graph.node(edge.dst);
    const std::uint64_t bytes = input_.statistics.at(edge.src, "to_" + to.id + ".bytes");
    if (bytes == 0) return;
    const auto bits = [&](Part part, const char* name) { add_edge(energy::find(part, name), edge, bytes, 8); };
    if (is_router(from.kind)) bits(Part::routers, "bit");
    if (edge.kind == EdgeKind::pcie) bits(Part::pcie, "bit");
    if (edge.kind != EdgeKind::pcie && !is_on_die(edge.kind)) bits(Part::ucie, "bit");
    if (is_on_die(edge.kind)) {
      const auto micrometres = static_cast<std::uint64_t>(std::llround(edge.distance_mm * 1000.0));
      add_edge(energy::find(Part::wires, "bit_mm"), edge, bytes, 8 * micrometres);
    }
    if (from.kind == NodeKind::sram || to.kind == NodeKind::sram) bits(Part::sram, "bit");
    if (from.kind == NodeKind::hbm_ctrl) count_memory_edge(edge.src, edge, bytes, "read_bit");
    if (to.kind == NodeKind::hbm_ctrl) count_memory_edge(edge.dst, edge, bytes, "write_bit");
  }

  void count_memory_edge(NodeId memory, const Edge& edge, std::uint64_t bytes, const char* direction) {
    if (!has_banks(memory)) return add_edge(energy::find(Part::hbm, "bit"), edge, bytes, 8);
    add_edge(energy::find(Part::hbm, direction), edge, bytes, 8);
    add_edge(energy::find(Part::hbm, "io_bit"), edge, bytes, 8);
    const auto wire = wires_.find(key(edge.src, edge.dst));
    if (wire != wires_.end()) memory_wires_[memory.value].push_back(wire->second);
  }

  bool has_banks(NodeId memory) const { return input_.statistics.has(memory, "acts"); }

  void count_node(NodeId id) {
    const Node& node = input_.graph.node(id);
    if (node.kind == NodeKind::hbm_ctrl && has_banks(id)) count_rows(id, node);
    if (node.kind != NodeKind::pe_tcm && node.kind != NodeKind::pe_dma && node.kind != NodeKind::pe_fetch_store) return;
    const EventId event = energy::find(Part::tcm, "bit");
    const auto statistic = [&](const char* name) { return input_.statistics.at(id, name); };
    // A copy inside of the TCM passes its ports, and no PE_DMA wire.
    if (node.kind != NodeKind::pe_fetch_store) {
      all_[event].total += 8 * (statistic("read_bytes") + statistic("write_bytes") - statistic("tcm_copied_bytes"));
    }
    const auto found = of_node_.find(id.value);
    if (found == of_node_.end()) return;
    for (const std::uint32_t series : found->second) {
      const record::Role role = input_.recorder->series()[series].role;
      if (role == record::Role::tcm || role == record::Role::dma) add_series(event, series, 8);
      if (input_.recorder->series()[series].name == "tcm_copied") subtract(event, series, 8);
    }
  }

  // What another series has counted twice.
  void subtract(EventId event, std::uint32_t series, std::uint64_t per_byte) {
    for (const account::ResourceAccount::Row& row : input_.recorder->uses_of(series)) {
      all_[event].by_place[row.place] -= row.sums.bytes * per_byte;
    }
  }

  // Activations belong to who opened the row, as a resource `act` says; without one, in the proportion of bytes.
  // Refreshes are nobody's.
  void count_rows(NodeId id, const Node& node) {
    const bool all_banks = node.params.find("refresh") == params::Value(std::string("all_bank")) ||
                           node.impl_params.find("refresh") == params::Value(std::string("all_bank"));
    all_[energy::find(Part::hbm, all_banks ? "refresh_all" : "refresh")].total += input_.statistics.at(id, "refreshes");
    Counted& act = all_[energy::find(Part::hbm, "act")];
    const std::uint64_t acts = input_.statistics.at(id, "acts");
    act.total += acts;
    if (input_.recorder == nullptr || acts == 0) return;
    for (const std::uint32_t series : memory_wires_[id.value]) {
      act.series.push_back({series, 1, Counted::Measure::bytes});
    }
    if (count_openers(id, act)) return;
    std::map<account::PlaceId, std::uint64_t> bytes;
    std::uint64_t sum = 0;
    for (const std::uint32_t series : memory_wires_[id.value]) {
      for (const account::ResourceAccount::Row& row : input_.recorder->uses_of(series)) {
        bytes[row.place] += row.sums.bytes;
        sum += row.sums.bytes;
      }
    }
    if (sum > 0) divide(acts, bytes, sum, act.by_place);
  }

  bool count_openers(NodeId id, Counted& act) {
    bool found = false;
    for (const std::uint32_t series : of_node_[id.value]) {
      if (input_.recorder->series()[series].name != "act") continue;
      found = true;
      for (const account::ResourceAccount::Row& row : input_.recorder->uses_of(series)) {
        act.by_place[row.place] += row.sums.count;
      }
    }
    return found;
  }

  // Whole numbers in the proportion of `bytes`, which add up to `count`.
  static void divide(std::uint64_t count, const std::map<account::PlaceId, std::uint64_t>& bytes, std::uint64_t sum,
                     std::map<account::PlaceId, std::uint64_t>& shares) {
    energy::Count so_far = 0;
    std::uint64_t given = 0;
    for (const auto& [place, part] : bytes) {
      so_far += part;
      const auto until = static_cast<std::uint64_t>(so_far * count / sum);
      shares[place] += until - given;
      given = until;
    }
  }

  // Engines show over time as the busy time of their PE.
  void count_engines() {
    std::vector<Counted::Series> busy;
    for (const auto& [node, series] : of_node_) {
      for (const std::uint32_t one : series) {
        const record::SeriesInfo& info = input_.recorder->series()[one];
        if (info.role == record::Role::engine && info.name == "compute") {
          busy.push_back({one, 1, Counted::Measure::busy});
        }
      }
    }
    for (const auto& [event, places] : input_.work.counts()) {
      Counted& counted = all_[event];
      for (const auto& [place, count] : places) counted.total += count;
      counted.by_place = places;
      counted.series = busy;
    }
  }

  const EnergyInput& input_;
  std::vector<Counted> all_;
  std::unordered_map<std::uint64_t, std::uint32_t> wires_;            // series by both ends
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_node_;       // series that are no wires, by node
  std::map<std::uint32_t, std::vector<std::uint32_t>> memory_wires_;  // series to and from a memory with banks
};

// Coefficients that a declared resource carries.
void add_declared(const EnergyInput& input, std::vector<Counted>& all) {
  for (const resource::DeclaredUse& use : input.declared) {
    const std::string part = input.graph.node(use.node).impl;
    const auto add = [&](const std::optional<energy::Coefficient>& coefficient, const char* unit, std::uint64_t total,
                         std::uint64_t account::Sums::*count) {
      if (!coefficient || total == 0) return;
      auto same = std::find_if(all.begin(), all.end(), [&](const Counted& one) {
        return one.part == part && one.name == use.declaration.name && one.unit == unit;
      });
      if (same == all.end()) {
        same = all.insert(
            all.end(),
            Counted{part, use.declaration.name, unit, unit, use.declaration.sentence, 1, &*coefficient, 0, {}, {}});
      }
      same->total += total;
      if (input.recorder == nullptr) return;
      for (std::uint32_t i = 0; i < input.recorder->series().size(); ++i) {
        const record::SeriesInfo& info = input.recorder->series()[i];
        if (info.node != use.node || info.name != use.declaration.name) continue;
        for (const account::ResourceAccount::Row& row : input.recorder->uses_of(i)) {
          if (row.sums.*count > 0) same->by_place[row.place] += row.sums.*count;
        }
        same->series.push_back({i, 1, total == use.sums.bytes ? Counted::Measure::bytes : Counted::Measure::busy});
      }
    };
    add(use.declaration.energy_per_use, "use", use.sums.uses, &account::Sums::count);
    add(use.declaration.energy_per_byte, "B", use.sums.bytes, &account::Sums::bytes);
  }
}

}  // namespace

std::vector<Counted> count_events(const EnergyInput& input) {
  std::vector<Counted> all = Counter(input).count();
  add_declared(input, all);
  return all;
}

}  // namespace kb::sim
