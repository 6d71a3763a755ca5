#include "sim/study/sweep/machine_sql.h"

#include <fmt/format.h>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/routing/latency.h"
#include "platform/routing/uncontended_transfer.h"

namespace kb::sweep {
namespace {

using data::TableCell;
using data::TableRow;
using topology::NodeKind;

TableCell number_or_null(std::uint32_t value, bool there) {
  return there ? TableCell(std::int64_t{value}) : TableCell();
}

std::uint64_t whole(const TableCell& cell, const char* what) {
  const auto* number = std::get_if<std::int64_t>(&cell);
  if (number == nullptr || *number < 0) {
    throw Error::configuration(fmt::format("{} is a whole number from 0, not '{}'", what, data::text_of(cell)));
  }
  return static_cast<std::uint64_t>(*number);
}

std::string edges_text(const std::vector<EdgeId>& edges) {
  std::string text;
  for (const EdgeId edge : edges) text += fmt::format("{}{}", text.empty() ? "[" : ",", edge.value);
  return text.empty() ? "[]" : text + "]";
}

// SplitMix64 (Steele, Lea, Flood 2014), the number-th of the sequence that begins at the seed.
double draw_machine(const TableRow& arguments) {
  std::uint64_t z = (whole(arguments[0], "a seed") << 32) + (whole(arguments[1], "a number") + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  constexpr double kScale = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>((z ^ (z >> 31)) >> 11) * kScale;
}

}  // namespace

MachineSql::MachineSql(const topology::LoadedTopology& machine)
    : machine_(machine), graph_(machine.graph), resolver_(machine.graph), router_(machine.graph) {}

void MachineSql::add_to(data::SqlDatabase& database, const std::string& text) {
  add_tables(database, text);
  database.add_function("path_ns", 2, [this](const TableRow& given) {
    return fs_to_ns(routing::path_latency_fs(graph_, route(given), 0));
  });
  database.add_function("path_gbs", 2,
                        [this](const TableRow& given) { return routing::narrowest_bw(graph_, route(given)).gbs(); });
  database.add_function("path_edges", 2, [this](const TableRow& given) { return edges_text(route(given).edges); });
  database.add_function("path_edges_back", 2,
                        [this](const TableRow& given) { return edges_text(route(given).reverse_edges); });
  database.add_function("read_ns", 4, [this](const TableRow& given) { return transfer_ns(given, true); });
  database.add_function("write_ns", 4, [this](const TableRow& given) { return transfer_ns(given, false); });
  database.add_function("hbm_address", 4, [this](const TableRow& given) { return hbm_address(given); });
  database.add_function("draw", 2, [](const TableRow& given) { return draw_machine(given); });
}

void MachineSql::add_tables(data::SqlDatabase& database, const std::string& text) const {
  if (data::has_word(text, "machine")) {
    std::vector<TableRow> rows;
    for (const auto& [key, value] : machine_.config) rows.push_back({key, value.value});
    database.add_table("machine", {"key", "value"}, rows);
  }
  if (data::has_word(text, "node")) {
    std::vector<TableRow> rows;
    for (const topology::Node& node : graph_.nodes) {
      rows.push_back(
          {node.id, std::string(topology::node_kind_name(node.kind)), number_or_null(node.sip.value, node.sip.valid()),
           number_or_null(node.cube.value, node.cube.valid()), number_or_null(node.pe.value, node.pe.valid()),
           node.pos_mm ? TableCell(node.pos_mm->x) : TableCell(),
           node.pos_mm ? TableCell(node.pos_mm->y) : TableCell()});
    }
    database.add_table("node", {"id", "kind", "sip", "cube", "pe", "x_mm", "y_mm"}, rows);
  }
  if (data::has_word(text, "edge")) {
    std::vector<TableRow> rows;
    for (const topology::Edge& edge : graph_.edges) {
      rows.push_back({static_cast<std::int64_t>(rows.size()), graph_.node(edge.src).id, graph_.node(edge.dst).id,
                      std::string(topology::edge_kind_name(edge.kind)), edge.distance_mm, edge.bw.gbs()});
    }
    database.add_table("edge", {"id", "source", "target", "kind", "mm", "gbs"}, rows);
  }
}

NodeId MachineSql::node(const TableCell& id) const {
  const std::string name = data::text_of(id);
  if (const std::optional<NodeId> found = graph_.find_node(name)) return *found;
  std::vector<std::string> names;
  for (const topology::Node& node : graph_.nodes) names.push_back(node.id);
  throw Error::configuration(fmt::format("the machine has no node '{}'; {}", name, suggest(name, names)));
}

const routing::Route& MachineSql::route(const TableRow& arguments) {
  const NodeId from = node(arguments[0]), to = node(arguments[1]);
  return graph_.node(from).kind == NodeKind::pe_dma ? router_.find_path(from, to) : router_.find_node_path(from, to);
}

TableCell MachineSql::transfer_ns(const TableRow& arguments, bool read) {
  const auto is = [&](std::size_t at, NodeKind kind) { return graph_.node(node(arguments[at])).kind == kind; };
  if (!is(0, NodeKind::pe_dma) || !(is(1, NodeKind::hbm_ctrl) || is(1, NodeKind::sram))) {
    throw Error::configuration(
        "read_ns and write_ns are of a pe_dma and a memory, e.g. sip0.cube0.pe0.pe_dma and "
        "sip0.cube0.sram");
  }
  const routing::TransferPath path = routing::transfer_path(graph_, route(arguments));
  const std::uint64_t bytes = whole(arguments[2], "a number of bytes");
  if (bytes == 0) throw Error::configuration("a transfer has at least one byte");
  const routing::TransferTimes times =
      read ? routing::uncontended_read(path, bytes) : routing::uncontended_write(path, bytes);
  const std::string part = data::text_of(arguments[3]);
  if (part == "answered") return fs_to_ns(times.answered);
  if (part == "delivered") return fs_to_ns(times.delivered);
  if (part == "behind_first") return fs_to_ns(times.last_flit_delay);
  static const std::vector<std::string> kParts{"pe", "mesh", "ucie", "fabric", "memory"};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (part == kParts[i]) return fs_to_ns(times.parts[i]);
  }
  std::vector<std::string> names = kParts;
  names.insert(names.end(), {"answered", "delivered", "behind_first"});
  throw Error::configuration(fmt::format("'{}' is not part of a transfer; {}", part, suggest(part, names)));
}

TableCell MachineSql::hbm_address(const TableRow& arguments) const {
  const auto number = [&](std::size_t at, const char* what) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(whole(arguments[at], what), ~std::uint32_t{0}));
  };
  const PeCoord pe{SipId(number(0, "a SIP")), CubeId(number(1, "a cube")), PeId(number(2, "a PE"))};
  static_cast<void>(resolver_.find_hbm(pe));
  return static_cast<std::int64_t>(address::PhysAddr::pe_hbm_addr(pe.sip, pe.cube, pe.pe,
                                                                  whole(arguments[3], "an offset"),
                                                                  graph_.spec.hbm_slice_bytes())
                                       .value());
}

}  // namespace kb::sweep
