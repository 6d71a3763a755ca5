#include "sim/web/report/pictures.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "platform/topology/topology.h"
#include "platform/views/roofline_view.h"
#include "platform/views/svg.h"
#include "platform/views/view.h"
#include "sim/analysis/recorded/resource_use.h"
#include "sim/web/report/launches.h"

namespace kb::web {
namespace {

using Json = nlohmann::ordered_json;

// Shares of time in use: of the busiest resource of each node and of what is above it, and of each wire, "src--dst".
std::map<std::string, double> shares_of(const analysis::RunFolder& run, const Window& window) {
  const analysis::Activity& activity = run.activity();
  std::map<std::string, double> shares;
  const auto add = [&](const std::string& id, double share) { shares[id] = std::max(shares[id], share); };
  const std::vector<analysis::Use> uses = activity.uses(window.begin_fs, window.end_fs);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const analysis::Series& series = activity.series()[i];
    if (uses[i].is_empty() || series.kind == "state") continue;
    const double share = analysis::share_of(uses[i], series, static_cast<double>(window.span()));
    if (!series.peer.empty()) {
      add(series.component + "--" + series.peer, share);
      if (analysis::joins_chips(series.coord, series.peer_coord)) continue;
    }
    add(series.component, share);
    const NodeEntry* node = run.nodes().find(series.component);
    const bool is_slice = node != nullptr && node->kind == "hbm_ctrl";  // drawn beside its PE
    for (NodeCoord part = is_slice ? chip_name(series.coord) : series.coord; part.sip.valid();
         part = parent_part(part)) {
      add(part_name(part), share);
    }
  }
  return shares;
}

// The busiest cube of a SIP; empty when none was used.
std::string busiest_cube(const std::map<std::string, double>& shares, const analysis::Nodes& nodes,
                         const std::string& sip) {
  std::string busiest;
  double most = 0;
  for (const analysis::Nodes::Part& part : nodes.parts()) {
    const bool is_cube = part.coord.cube.valid() && !part.coord.pe.valid() && part_name(parent_part(part.coord)) == sip;
    const auto share = is_cube ? shares.find(part.id) : shares.end();
    if (share == shares.end() || share->second <= most) continue;
    busiest = part.id;
    most = share->second;
  }
  return busiest;
}

std::string machine_part(const analysis::RunFolder& run, const LaunchTimes& launch) {
  const std::map<std::string, double> shares = shares_of(run, launch.kernel);
  const topology::LoadedTopology machine = topology::load_text(run.machine()->spec(), "topology.json");
  const std::string when = " while " + launch.name + " ran on " + launch.sip;
  views::View sip = views::sip_view(machine, launch.sip);
  sip.heading = launch.sip + when + ": the busiest resource of each cube, and the wires";
  views::add_heat(sip, shares);
  std::string pictures = views::to_svg(sip);
  const std::string busiest = busiest_cube(shares, run.nodes(), launch.sip);
  if (!busiest.empty()) {
    views::View cube = views::cube_view(machine, busiest);
    cube.heading = busiest + when;
    views::add_heat(cube, shares);
    pictures += views::to_svg(cube);
  }
  return "<section>\n<h2>Machine</h2>\n" + pictures + "</section>\n";
}

std::string roofline_part(const analysis::RunFolder& run, const LaunchTimes& launch, Answers& answers) {
  const auto found = answers.ask("/api/work", {{"t0", std::to_string(launch.whole.begin_fs)},
                                               {"t1", std::to_string(launch.whole.end_fs)},
                                               {"under", launch.sip}});
  if (!found) return "";
  const Json work = Json::parse(*found);
  views::Roofline roofline{"What " + launch.name + " computed on " + launch.sip, "HBM", {}, {}};
  double bytes = 0;
  for (const Json& level : work.at("levels")) {
    if (level.at(0) != roofline.memory_name) continue;
    bytes = level.at(1).get<double>();
    roofline.memory_gbs = level.at(2).get<double>();
  }
  const double ns = static_cast<double>(launch.kernel.span()) / 1e6;
  std::map<std::string, std::string> labels;
  for (const analysis::Machine::Engine& engine : run.machine()->engines()) labels[engine.name] = engine.label;
  for (const Json& engine : work.at("engines")) {
    const double done = engine.at(1).get<double>();
    roofline.points.push_back(
        {labels[engine.at(0).get<std::string>()], done / bytes, done / ns, engine.at(3).get<double>()});
  }
  const std::string picture = views::to_svg(roofline);
  return picture.empty() ? "" : "<section>\n<h2>Roofline</h2>\n" + picture + "</section>\n";
}

}  // namespace

std::string pictures_of(const analysis::RunFolder& run, Answers& answers) {
  const std::vector<LaunchTimes> launches = launches_of(run.result());
  const LaunchTimes* longest = longest_of(launches);
  const bool known = run.machine() != nullptr && !run.machine()->spec().empty() && run.own_topology();
  if (longest == nullptr || longest->kernel.empty() || !known || !run.has_operations() || run.activity().empty())
    return "";
  return machine_part(run, *longest) + roofline_part(run, *longest, answers);
}

}  // namespace kb::web
