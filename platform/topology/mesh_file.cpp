#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "platform/topology/mesh_layout.h"
#include "platform/topology/schema.h"
#include "platform/topology/sha256.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {
namespace {

constexpr std::size_t kMaxPes = 16;  // per cube
constexpr std::size_t kMaxRouters = 1'000'000;

// All inputs of the layout, with sorted keys and numbers in shortest form.
std::string canonical_inputs(const MachineSpec& spec) {
  std::vector<std::string> corners;
  for (Corner corner : spec.corners) corners.push_back(corner_names()[static_cast<std::size_t>(corner)]);
  return fmt::format(
      "geometry.cube_mm={},{};geometry.hbm_mm={},{};layout_version={};memory_map.hbm_mapping_mode={};"
      "pe_layout.corners={};pe_layout.pe_per_corner={};placement.m_cpu={},{};placement.sram={},{};ucie.n_connections={"
      "}",
      spec.cube_mm_w, spec.cube_mm_h, spec.hbm_mm_w, spec.hbm_mm_h, kLayoutVersion,
      spec.hbm_mapping_mode == HbmMapping::n_to_one ? "n_to_one" : "one_to_one", join_words(corners),
      spec.pe_per_corner, spec.m_cpu_x, spec.m_cpu_y, spec.sram_x, spec.sram_y, spec.ucie_n_connections);
}

std::string number_list(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (double value : values) texts.push_back(number_text(value));
  return join_words(texts);
}

std::string router_list(const std::vector<GridPoint>& points) {
  std::vector<std::string> names;
  for (GridPoint point : points) names.push_back(router_name(point));
  return fmt::format("[{}]", join_words(names));
}

std::optional<GridPoint> parse_router(const std::string& text) {
  const std::size_t c = text.find('c');
  if (text.empty() || text[0] != 'r' || c == std::string::npos) return std::nullopt;
  const auto number = [&](std::size_t from, std::size_t to) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
    if (error != std::errc() || end != text.data() + to || value < 0) return std::nullopt;
    return value;
  };
  const std::optional<int> row = number(1, c);
  const std::optional<int> col = number(c + 1, text.size());
  if (!row || !col) return std::nullopt;
  return GridPoint{*row, *col};
}

// Reads the pinned layout; checks every router against the grid.
class MeshFileReader {
 public:
  MeshFileReader(MapReader& top, ReadContext& context) : top_(top), context_(context) {}

  MeshLayout read(const MachineSpec& spec) {
    mesh_.column_x = axis("columns_mm", spec.cube_mm_w);
    mesh_.row_y = axis("rows_mm", spec.cube_mm_h);
    const std::size_t grid = mesh_.column_x.size() * mesh_.row_y.size();
    if (grid > kMaxRouters) {
      top_.report("columns_mm",
                  fmt::format("{} columns and {} rows make {} routers, but a cube has at most {}",
                              mesh_.column_x.size(), mesh_.row_y.size(), grid, kMaxRouters),
                  "regenerate the file with --emit-mesh");
    }
    if (!context_.diagnostics().empty()) return mesh_;
    mesh_.holes = routers(top_, "holes");
    std::vector<MapReader> pes = top_.list_of_maps("pes", kMaxPes, "PEs, but addresses reach");
    for (MapReader& pe : pes) {
      const GridPoint router = one_router(pe, "router");
      const auto [x, y] = pe.pair("center_mm", std::nullopt, at_least(0.0, 100.0));
      mesh_.pes.push_back({router, {x, y}});
      pe.done();
    }
    count("pes", mesh_.pes.size(), static_cast<std::size_t>(spec.pes_per_cube()));
    MapReader ucie = top_.map("ucie");
    for (std::size_t side = 0; side < 4; ++side) {
      mesh_.ucie[side] = routers(ucie, side_names()[side]);
      count("ucie." + side_names()[side], mesh_.ucie[side].size(), static_cast<std::size_t>(spec.ucie_n_connections));
    }
    ucie.done();
    mesh_.m_cpu = one_router(top_, "m_cpu");
    mesh_.sram = one_router(top_, "sram");
    if (context_.diagnostics().empty()) check_connected();
    return mesh_;
  }

 private:
  std::vector<double> axis(const std::string& key, double size) {
    std::vector<double> values = top_.reals(key, at_least(0.0, size));
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[i] <= values[i - 1]) {
        top_.report(key, "the positions are not ascending", "regenerate the file with --emit-mesh");
        break;
      }
    }
    if (values.empty()) top_.report(key, "the grid is empty", "regenerate the file with --emit-mesh");
    return values;
  }
  GridPoint check(MapReader& map, const std::string& key, const std::string& name) {
    const std::optional<GridPoint> point = parse_router(name);
    if (!point || !mesh_.exists(*point)) {
      map.report(key,
                 fmt::format("there is no router '{}' in a grid of {} rows and {} columns{}", name, mesh_.rows(),
                             mesh_.cols(), mesh_.holes.empty() ? "" : " outside the hole"),
                 "name an existing router, e.g. r0c0");
      return {};
    }
    return *point;
  }
  GridPoint one_router(MapReader& map, const std::string& key) {
    const std::string name = map.text(key, std::nullopt);
    return map.has(key) && !name.empty() ? check(map, key, name) : GridPoint{};
  }
  std::vector<GridPoint> routers(MapReader& map, const std::string& key) {
    std::vector<GridPoint> out;
    for (const std::string& name : map.words(key)) out.push_back(check(map, key, name));
    return out;
  }
  void count(const std::string& key, std::size_t found, std::size_t wanted) {
    if (found != wanted) {
      context_.report_rule({key}, fmt::format("{} entries, but the topology has {}", found, wanted),
                           "regenerate the file with --emit-mesh");
    }
  }
  void check_connected() {
    const auto index = [&](GridPoint at) { return static_cast<std::size_t>(at.row * mesh_.cols() + at.col); };
    std::vector<bool> open(static_cast<std::size_t>(mesh_.rows()) * static_cast<std::size_t>(mesh_.cols()), true);
    for (const GridPoint hole : mesh_.holes) open[index(hole)] = false;
    std::vector<GridPoint> reached{mesh_.m_cpu};
    open[index(mesh_.m_cpu)] = false;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const GridPoint at = reached[i];
      for (GridPoint next : {GridPoint{at.row, at.col + 1}, GridPoint{at.row, at.col - 1},
                             GridPoint{at.row + 1, at.col}, GridPoint{at.row - 1, at.col}}) {
        const bool inside = next.row >= 0 && next.col >= 0 && next.row < mesh_.rows() && next.col < mesh_.cols();
        if (!inside || !open[index(next)]) continue;
        open[index(next)] = false;
        reached.push_back(next);
      }
    }
    if (static_cast<int>(reached.size()) != mesh_.router_count()) {
      context_.report_rule({"holes"}, "the holes cut the grid into separate parts", "leave a way around them");
    }
  }

  MapReader& top_;
  ReadContext& context_;
  MeshLayout mesh_;
};

}  // namespace

std::string mesh_source_hash(const MachineSpec& spec) {
  return sha256_hex(canonical_inputs(spec));
}

std::string mesh_to_yaml(const MeshLayout& mesh, const MachineSpec& spec) {
  std::string out =
      "# Router grid of a cube with its attachments. Name this file in cube.mesh_file to pin the layout.\n"
      "# The hash covers cube.geometry, cube.pe_layout, cube.placement, cube.ucie.n_connections and\n"
      "# cube.memory_map.hbm_mapping_mode: after a change of one of them, write the file again.\n";
  out += fmt::format("layout_version: {}\nsource_hash: {}\n", kLayoutVersion, mesh_source_hash(spec));
  out += fmt::format("columns_mm: [{}]\nrows_mm: [{}]\n", number_list(mesh.column_x), number_list(mesh.row_y));
  out += fmt::format("holes: {}\npes:\n", router_list(mesh.holes));
  for (const PeAttachment& pe : mesh.pes) {
    out += fmt::format("  - {{ router: {}, center_mm: [{}, {}] }}\n", router_name(pe.router), pe.center.x, pe.center.y);
  }
  out += "ucie:\n";
  for (std::size_t side = 0; side < 4; ++side) {
    out += fmt::format("  {}: {}\n", side_names()[side], router_list(mesh.ucie[side]));
  }
  out += fmt::format("m_cpu: {}\nsram: {}\n", router_name(mesh.m_cpu), router_name(mesh.sram));
  return out;
}

MeshLayout mesh_from_yaml(const std::string& text, const std::string& file, const MachineSpec& spec,
                          std::vector<Diagnostic>& diagnostics) {
  ReadContext context(file);
  MeshLayout mesh;
  const yaml::ValuePtr root = yaml::parse(text, file, context.diagnostics());
  if (root) {
    MapReader top(context, root);
    const std::int64_t version = top.whole("layout_version", std::nullopt, at_least(1, 1e6));
    const std::string hash = top.text("source_hash", std::nullopt);
    const std::string expected = mesh_source_hash(spec);
    if (context.diagnostics().empty() && version != kLayoutVersion) {
      top.report("layout_version",
                 fmt::format("the layout is of version {}, this program makes version {}", version, kLayoutVersion),
                 "regenerate the file with --emit-mesh");
    } else if (context.diagnostics().empty() && hash != expected) {
      top.report("source_hash",
                 "the layout was made for another geometry, PE layout, placement, mapping mode or "
                 "UCIe connection count than this topology has",
                 "regenerate the file with --emit-mesh, or remove cube.mesh_file");
    }
    if (context.diagnostics().empty()) mesh = MeshFileReader(top, context).read(spec);
    if (context.diagnostics().empty()) {
      top.done();
      context.finish_unknown();
    }
  }
  diagnostics.insert(diagnostics.end(), context.diagnostics().begin(), context.diagnostics().end());
  return mesh;
}

}  // namespace kb::topology
