#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/nearest.h"
#include "platform/topology/component_rules.h"
#include "platform/topology/graph.h"
#include "platform/topology/schema.h"

namespace kb::topology {
namespace {

constexpr double kMaxSips = 16;
constexpr double kMaxCubes = 16;
constexpr std::size_t kMaxChiplets = 5;
constexpr std::size_t kMaxPorts = 64;  // four sides of each cube

ComponentSpec read_slot(MapReader& components, const char* slot, NodeKind kind) {
  MapReader component = components.map(slot);
  ComponentSpec spec = read_component(component, kind);
  component.done();
  return spec;
}

// T-14: ring_1d has no grid; otherwise explicit w and h are used, or the count must be a square.
void resolve_grid(MapReader& sips, MachineSpec& spec) {
  const bool has_w = sips.has("w");
  const bool has_h = sips.has("h");
  int w = has_w ? static_cast<int>(sips.whole("w", std::nullopt, at_least(1, kMaxSips))) : 0;
  int h = has_h ? static_cast<int>(sips.whole("h", std::nullopt, at_least(1, kMaxSips))) : 0;
  for (const char* key : {"w", "h"}) sips.allow(key);
  sips.context().note_known("system.sips.w");
  sips.context().note_known("system.sips.h");
  if (has_w != has_h) {
    sips.report(has_w ? "w" : "h", "only one of w and h is given", "give both, with w * h equal to count");
    return;
  }
  if (spec.sip_topology == SipTopology::ring_1d) return;
  sips.context().warn_rule({"system.sips.topology"},
                           fmt::format("'{}' lays no wires: every SIP has its links to the switch and no others",
                                       name_of(spec.sip_topology)),
                           "it is the order in which collectives see the SIPs");
  if (has_w) {
    if (w * h != spec.sip_count) {
      sips.context().report_rule({"system.sips.w", "system.sips.h", "system.sips.count"},
                                 fmt::format("a grid of {} x {} SIPs does not hold {} SIPs", w, h, spec.sip_count),
                                 "w * h must equal count");
    }
  } else {
    const int side = static_cast<int>(std::lround(std::sqrt(spec.sip_count)));
    if (side * side != spec.sip_count) {
      sips.context().report_rule(
          {"system.sips.count", "system.sips.topology"},
          fmt::format("{} SIPs form no square, so a {} needs its grid", spec.sip_count, name_of(spec.sip_topology)),
          "give system.sips.w and h with w * h equal to count");
      return;
    }
    w = h = side;
    sips.context().note_value("system.sips.w", fmt::format("{}", side), false);
    sips.context().note_value("system.sips.h", fmt::format("{}", side), false);
  }
  spec.sip_w = w;
  spec.sip_h = h;
}

void read_system(MapReader& system, MachineSpec& spec) {
  spec.ns_per_mm = system.real("ns_per_mm", 0.01, at_least(0.0, 1e3));
  MapReader sips = system.map("sips");
  spec.sip_count = static_cast<int>(sips.whole("count", std::nullopt, at_least(1, kMaxSips)));
  spec.sip_topology = static_cast<SipTopology>(sips.choice("topology", 0, names_of<SipTopology>()));
  resolve_grid(sips, spec);
  sips.done();
  MapReader components = system.map("components");
  spec.switch_component = read_slot(components, "switch", NodeKind::switch_);
  components.done();
  MapReader links = system.map("links");
  spec.io_ep_to_switch_bw = links.bandwidth("io_ep_to_switch_bw_gbs", 512.0);
  spec.io_ep_to_switch_mm = links.real("io_ep_to_switch_mm", 0.0, length_mm());
  links.done();
  system.done();
}

CubePortSpec read_cube_port(MapReader& entry) {
  CubePortSpec port;
  MapReader cube = entry.map("cube");
  const auto [x, y] = cube.pair("xy", std::nullopt, at_least(0, kMaxCubes - 1), "0, 0");
  if (x != std::floor(x) || y != std::floor(y)) {
    cube.report("xy", "the cube's coordinates are not whole numbers", "write for example [0, 0]");
  }
  port.cube_x = static_cast<int>(x);
  port.cube_y = static_cast<int>(y);
  cube.done();
  port.cube_side = static_cast<Side>(entry.choice("cube_side", std::nullopt, side_names()));
  port.phy = entry.text("phy", std::nullopt);
  port.distance_mm = entry.real("distance_mm", 2.0, length_mm());
  entry.done();
  return port;
}

// The first two cubes of the north row; one if the mesh is one cube wide.
std::vector<CubePortSpec> default_ports(const MachineSpec& spec, MapReader& chiplet) {
  std::vector<CubePortSpec> ports;
  for (int x = 0; x < std::min(2, spec.cube_mesh_w); ++x) {
    ports.push_back({x, 0, Side::N, fmt::format("P{}", x), 2.0});
    const std::string path = chiplet.path(fmt::format("cube_ports[{}]", x));
    ReadContext& context = chiplet.context();
    context.note_value(path + ".cube.xy", fmt::format("[{}, 0]", x), false);
    context.note_value(path + ".cube_side", "N", false);
    context.note_value(path + ".phy", ports.back().phy, false);
    context.note_value(path + ".distance_mm", "2", false);
  }
  return ports;
}

IoChipletSpec read_io_chiplet(MapReader& chiplet, std::size_t index, std::size_t count, const MachineSpec& spec) {
  IoChipletSpec io;
  io.id = chiplet.text("id", fmt::format("io{}", index));
  MapReader components = chiplet.map("components");
  io.pcie_ep = read_slot(components, "pcie_ep", NodeKind::pcie_ep);
  io.io_cpu = read_slot(components, "io_cpu", NodeKind::io_cpu);
  io.io_noc = read_slot(components, "io_noc", NodeKind::io_noc);
  io.io_ucie = read_slot(components, "io_ucie", NodeKind::ucie);
  io.ucie_conn = read_slot(components, "ucie_conn", NodeKind::ucie_conn);
  components.done();
  MapReader links = chiplet.map("links");
  io.pcie_ep_to_noc_bw = links.bandwidth("pcie_ep_to_noc_bw_gbs", 256.0);
  io.io_cpu_to_noc_bw = links.bandwidth("io_cpu_to_noc_bw_gbs", 0.0, optional_bandwidth());
  io.per_connection_bw = links.bandwidth("per_connection_bw_gbs", 512.0);
  links.done();
  io.n_connections = static_cast<int>(chiplet.whole("n_connections", spec.ucie_n_connections, at_least(1, 64)));
  std::vector<MapReader> ports =
      chiplet.list_of_maps("cube_ports", kMaxPorts, "ports of one IO chiplet, but the cubes of a SIP have");
  for (MapReader& port : ports) io.cube_ports.push_back(read_cube_port(port));
  if (ports.empty() && !chiplet.context().is_bad(chiplet.path("cube_ports"))) {
    if (chiplet.has("cube_ports")) {
      chiplet.report("cube_ports", "the IO chiplet is joined to no cube", "list at least one port, or remove the key");
    } else if (count > 1) {
      chiplet.report("cube_ports", "this mandatory key is missing",
                     "with several IO chiplets each one names the cubes it feeds");
    } else {
      io.cube_ports = default_ports(spec, chiplet);
    }
  }
  const std::size_t fed_side = io.cube_ports.empty() ? 0 : static_cast<std::size_t>(io.cube_ports[0].cube_side);
  io.shoreline = static_cast<Side>(chiplet.choice("shoreline", fed_side, side_names()));
  chiplet.done();
  return io;
}

void read_sip(MapReader& sip, MachineSpec& spec) {
  std::vector<MapReader> chiplets =
      sip.list_of_maps("io_chiplets", kMaxChiplets, "IO chiplets per SIP, but addresses reach");
  if (chiplets.empty()) {
    if (sip.has("io_chiplets") && !sip.context().is_bad("sip.io_chiplets")) {
      sip.report("io_chiplets", "a SIP without IO chiplet cannot be reached", "list one, or remove the key");
    }
    MapReader absent = MapReader::absent(sip.context(), "sip.io_chiplets[0]");
    spec.io_chiplets.push_back(read_io_chiplet(absent, 0, 1, spec));
  }
  for (std::size_t i = 0; i < chiplets.size(); ++i) {
    spec.io_chiplets.push_back(read_io_chiplet(chiplets[i], i, chiplets.size(), spec));
  }
}

// F-8, F-19
void read_routing(MapReader& routing, MachineSpec& spec) {
  spec.routing_metric = static_cast<RoutingMetric>(routing.choice("metric", 0, routing_metric_names()));
  MapReader weights = routing.map("routing_weight_mm");
  std::vector<std::string> kinds;
  for (int k = 0; k <= static_cast<int>(EdgeKind::command); ++k) {
    const std::string kind(edge_kind_name(static_cast<EdgeKind>(k)));
    weights.context().note_known(weights.path(kind));
    if (weights.has(kind)) spec.routing_weight_mm[kind] = weights.real(kind, std::nullopt, length_mm());
    kinds.push_back(kind);
  }
  for (const std::string& key : weights.keys()) {
    if (std::find(kinds.begin(), kinds.end(), key) != kinds.end()) continue;
    const std::string near = nearest_name(key, kinds);
    std::string known = near.empty() ? "known: " : fmt::format("did you mean '{}'? known: ", near);
    for (const std::string& kind : kinds) known += (&kind == &kinds.front() ? "" : ", ") + kind;
    weights.report(key, fmt::format("'{}' is no kind of edge", key), known);
    weights.allow(key);
  }
  weights.done();
  routing.done();
}

}  // namespace

const std::vector<std::string>& side_names() {
  static const std::vector<std::string> names{"N", "E", "S", "W"};
  return names;
}
const std::vector<std::string>& corner_names() {
  static const std::vector<std::string> names{"NW", "NE", "SW", "SE"};
  return names;
}

const std::vector<std::string>& view_names() {
  static const std::vector<std::string> names{"system", "sip", "cube", "pe"};
  return names;
}

const std::vector<std::string>& routing_metric_names() {
  static const std::vector<std::string> names{"latency", "distance"};
  return names;
}

MachineSpec read_machine(MapReader& top) {
  MachineSpec spec;
  MapReader system = top.map("system");
  read_system(system, spec);
  MapReader sip = top.map("sip");
  MapReader mesh = sip.map("cube_mesh");
  spec.cube_mesh_w = static_cast<int>(mesh.whole("w", std::nullopt, at_least(1, kMaxCubes)));
  spec.cube_mesh_h = static_cast<int>(mesh.whole("h", std::nullopt, at_least(1, kMaxCubes)));
  mesh.done();
  MapReader cube = top.map("cube");
  read_cube(cube, spec);
  read_sip(sip, spec);  // after the cube, because the IO side's connection count defaults to the cube's
  sip.done();
  MapReader routing = top.map("routing");
  read_routing(routing, spec);
  MapReader visualization = top.map("visualization");
  const std::vector<std::string>& views = view_names();
  const std::vector<std::size_t> no_views;
  for (std::size_t view : visualization.choices("emit_views", &no_views, views)) spec.emit_views.push_back(views[view]);
  visualization.done();
  read_energy(top, spec);
  return spec;
}

}  // namespace kb::topology
