// Drawings of all shipped and of random machines: nothing overlaps, every node that has a place is there, and the text
// is well-formed (T-58..T-65).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <pugixml.hpp>
#include <random>
#include <set>

#include "platform/base/error.h"
#include "platform/topology/schema.h"
#include "platform/views/svg.h"
#include "platform/views/view_files.h"
#include "tests/support/shortened.h"

namespace kb::views {
namespace {

using topology::LoadedTopology;

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

std::string text_of(const Rect& at) {
  return fmt::format("({:.1f}, {:.1f}) {:.1f} x {:.1f}", at.x, at.y, at.w, at.h);
}

// Boxes, and the text that stands beside them.
std::vector<std::pair<std::string, Rect>> things_of(const View& view) {
  std::vector<std::pair<std::string, Rect>> things;
  for (const Box& box : view.boxes) things.emplace_back(box.id, box.at);
  for (const Label& label : view.labels) {
    const double letters = 5.5 * static_cast<double>(label.text.size());  // of a usual font of this size
    things.emplace_back("'" + label.text + "'", Rect{label.at.x, label.at.y - 9, letters, 11});
  }
  return things;
}

void expect_no_overlap(const View& view) {
  const auto things = things_of(view);
  for (std::size_t i = 0; i < things.size(); ++i) {
    const auto& [id, at] = things[i];
    EXPECT_GE(at.x, 0) << id;
    EXPECT_GE(at.y, 0) << id;
    EXPECT_LE(at.right(), view.width) << id;
    EXPECT_LE(at.bottom(), view.height) << id;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(at, things[j].second)) << view.name << ": " << id << " " << text_of(at) << " and "
                                                  << things[j].first << " " << text_of(things[j].second);
    }
  }
}

pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_string(svg.c_str(), pugi::parse_full);
  EXPECT_TRUE(result) << result.description() << " at " << result.offset;
  return document;
}

// All ids of the picture; an id twice is a fault.
std::set<std::string> ids_of(const pugi::xml_document& document) {
  std::set<std::string> ids;
  for (const pugi::xpath_node& found : document.select_nodes("//*[@id]")) {
    const std::string id = found.node().attribute("id").value();
    EXPECT_TRUE(ids.insert(id).second) << id;
  }
  return ids;
}

// In the middle of that edge of the box: 'N', 'E', 'S' or 'W'.
Point middle_of(const Rect& box, char side) {
  switch (side) {
    case 'N':
      return {box.center().x, box.y};
    case 'S':
      return {box.center().x, box.bottom()};
    case 'W':
      return {box.x, box.center().y};
    default:
      return {box.right(), box.center().y};
  }
}

char opposite(char side) {
  const std::string from = "NSWE", to = "SNEW";
  return to[from.find(side)];
}

// A line of a UCIe link leaves its boxes where they face each other: between cubes, and between a cube and the port of
// an IO chiplet; the line from the chiplet ends at the port's other edge. Gives their number.
int expect_ucie_lines_at_edges(const View& view) {
  const auto box = [&](const std::string& id) {
    const auto found = std::find_if(view.boxes.begin(), view.boxes.end(), [&](const Box& one) { return one.id == id; });
    EXPECT_NE(found, view.boxes.end()) << id;
    return found == view.boxes.end() ? Rect{} : found->at;
  };
  const auto expect_at = [](const Point& end, const Point& wanted, const std::string& what) {
    EXPECT_NEAR(end.x, wanted.x, 1e-6) << what;
    EXPECT_NEAR(end.y, wanted.y, 1e-6) << what;
  };
  std::map<std::string, char> sides;  // of the cube that a port belongs to
  int lines = 0;
  for (const Wire& wire : view.wires) {
    const std::string a = wire.id.substr(0, wire.id.find("--")), b = wire.id.substr(a.size() + 2);
    if (b.find(".ucie-") == std::string::npos) continue;
    const char side = b.back();
    const Rect cube = box(b.substr(0, b.find(".ucie-")));
    expect_at(wire.path.back(), middle_of(cube, side), wire.id);
    const bool port = a.find(".io_ucie-") != std::string::npos;
    if (port) sides[a] = side;
    expect_at(wire.path.front(), middle_of(box(port ? a : a.substr(0, a.find(".ucie-"))), opposite(side)), wire.id);
    ++lines;
  }
  for (const Wire& wire : view.wires) {
    const std::string b = wire.id.substr(wire.id.find("--") + 2), port = b.substr(0, b.rfind(".conn0"));
    if (sides.count(port) > 0) expect_at(wire.path.back(), middle_of(box(port), sides[port]), wire.id);
  }
  return lines;
}

void expect_sound(const LoadedTopology& machine) {
  const topology::MachineSpec& spec = machine.graph.spec;
  const int between = (spec.cube_mesh_w - 1) * spec.cube_mesh_h + spec.cube_mesh_w * (spec.cube_mesh_h - 1);
  std::size_t ports = 0;
  for (const topology::IoChipletSpec& chiplet : spec.io_chiplets) ports += chiplet.cube_ports.size();
  EXPECT_EQ(expect_ucie_lines_at_edges(sip_view(machine)), between + static_cast<int>(ports));

  for (const std::string& name : all_view_names()) {
    const View view = view_named(machine, name);
    EXPECT_FALSE(view.boxes.empty());
    expect_no_overlap(view);
    const std::string svg = to_svg(view);
    EXPECT_EQ(svg, to_svg(view_named(machine, name)));
    EXPECT_EQ(ids_of(parsed(svg)).size(), view.frames.size() + view.boxes.size() + view.wires.size());
  }
}

std::set<std::string> ids_of(const LoadedTopology& machine, const std::string& view) {
  return ids_of(parsed(to_svg(view_named(machine, view))));
}

LoadedTopology reference() {
  return topology::load(std::string(KB_CONFIG_DIR) + "/reference.yaml");
}

TEST(Views, ShippedMachinesAreDrawnWithoutOverlaps) {
  int machines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KB_CONFIG_DIR)) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "ccl.yaml") continue;
    SCOPED_TRACE(entry.path().string());
    expect_sound(topology::load(entry.path().string()));
    ++machines;
  }
  EXPECT_GT(machines, 5);
}

template <typename T>
T one_of(std::mt19937& random, std::initializer_list<T> values) {
  return *(values.begin() + random() % values.size());
}
int pick(std::mt19937& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

// One to four chiplets, each with one or two ports that no other has.
std::string random_chiplets(std::mt19937& random, int w, int h) {
  std::vector<std::string> free_ports;
  const auto add = [&](int x, int y, char side) {
    free_ports.push_back(fmt::format("{{ cube: {{ xy: [{}, {}] }}, cube_side: {}, phy: ", x, y, side));
  };
  for (int x = 0; x < w; ++x) {
    add(x, 0, 'N');
    add(x, h - 1, 'S');
  }
  for (int y = 0; y < h; ++y) {
    add(0, y, 'W');
    add(w - 1, y, 'E');
  }
  std::shuffle(free_ports.begin(), free_ports.end(), random);
  std::string text = "  io_chiplets:\n";
  const int chiplets = pick(random, 1, 4);
  std::size_t used = 0;
  for (int chiplet = 0; chiplet < chiplets && used < free_ports.size(); ++chiplet) {
    const std::size_t ports =
        std::min<std::size_t>(free_ports.size() - used, static_cast<std::size_t>(pick(random, 1, 2)));
    text += fmt::format("    - {{ id: {}{}, cube_ports: [",
                        chiplet == 0 ? "io" : one_of(random, {"io", "a_chiplet_with_a_long_name_"}), chiplet);
    for (std::size_t port = 0; port < ports; ++port) {
      text += fmt::format("{}{}{}{} }}", port == 0 ? "" : ", ", free_ports[used++],
                          one_of(random, {"P", "long_phy_name_"}), port);
    }
    text += "] }\n";
  }
  return text;
}

std::string random_machine_text(std::mt19937& random) {
  const int w = pick(random, 1, 6), h = pick(random, 1, 5), corners = pick(random, 1, 4),
            per_corner = pick(random, 1, 4);
  std::vector<std::string> names{"NW", "NE", "SW", "SE"};
  std::shuffle(names.begin(), names.end(), random);
  std::string chosen = names[0];
  for (int i = 1; i < corners; ++i) chosen += ", " + names[static_cast<std::size_t>(i)];
  const int pes = corners * per_corner;
  return fmt::format("system: {{ sips: {{ count: {}, topology: ring_1d }} }}\nsip:\n  cube_mesh: {{ w: {}, h: {} }}\n",
                     pick(random, 1, std::max(2, 20 / (w * h))), w, h) +
         random_chiplets(random, w, h) +
         fmt::format(
             "cube:\n  pe_layout: {{ corners: [{}], pe_per_corner: {} }}\n  ucie: {{ n_connections: {} }}\n"
             "  geometry: {{ cube_mm: {{ w: {}, h: {} }} }}\n"
             "  memory_map: {{ hbm_slices_per_cube: {}, hbm_pseudo_channels: {}, hbm_total_gb_per_cube: {}, "
             "hbm_mapping_mode: {} }}\n",
             chosen, per_corner, pick(random, 1, 8), one_of(random, {14, 18, 24}), one_of(random, {12, 14, 20}), pes,
             8 * pes, 6 * pes, one_of(random, {"n_to_one", "one_to_one, address_model: la"}));
}

TEST(Views, RandomMachinesAreDrawnWithoutOverlaps) {
  const int kMachines = test::cases(500, 100);
  std::mt19937 random(16);
  int drawn = 0;
  std::string refusal;
  for (int tries = 0; drawn < kMachines && tries < 4 * kMachines && !HasFailure(); ++tries) {
    const std::string text = random_machine_text(random);
    SCOPED_TRACE(text);
    try {
      expect_sound(topology::load_text(text, "random.yaml"));
      ++drawn;
    } catch (const Error& error) {
      refusal = error.what();
    }
  }
  EXPECT_EQ(drawn, kMachines) << "refused: " << refusal;
}

TEST(Views, CubeShowsEveryRouterBlockAndLinkOfTheGraph) {
  const LoadedTopology machine = reference();
  const std::set<std::string> drawn = ids_of(machine, "cube");
  std::size_t wires = 0;
  const std::string cube = "sip0.cube0.";
  for (const topology::Node& node : machine.graph.nodes) {
    if (node.id.rfind(cube, 0) != 0 || is_pe_block(node.kind) || node.kind == topology::NodeKind::ucie_conn) continue;
    EXPECT_EQ(drawn.count(node.id), 1u) << node.id;
  }
  for (int pe = 0; pe < 8; ++pe) EXPECT_EQ(drawn.count(fmt::format("{}pe{}", cube, pe)), 1u);
  for (const topology::Edge& edge : machine.graph.edges) {
    const std::string &a = machine.graph.node(edge.src).id, &b = machine.graph.node(edge.dst).id;
    if (edge.kind != topology::EdgeKind::router_mesh || a.rfind(cube, 0) != 0) continue;
    EXPECT_EQ(drawn.count(a + "--" + b) + drawn.count(b + "--" + a), 1u) << a << " " << b;
    ++wires;
  }
  EXPECT_GT(wires, 50u);
}

// The host reaches io0 of each SIP, wherever it stands in the list, and passes neither the switch nor another chiplet.
TEST(Views, TheHostEntersEachSipAtIo0_H19) {
  const LoadedTopology machine = topology::load_text(
      "system: { sips: { count: 9, topology: ring_1d } }\nsip:\n  cube_mesh: { w: 4, h: 4 }\n  io_chiplets:\n"
      "    - { id: east, cube_ports: [{ cube: { xy: [3, 0] }, cube_side: N, phy: P0 }] }\n"
      "    - { id: io0, cube_ports: [{ cube: { xy: [0, 0] }, cube_side: N, phy: P0 }] }\n"
      "cube: { pe_layout: { corners: [NW, NE, SW, SE], pe_per_corner: 2 } }\n",
      "two_chiplets.yaml");
  const View view = system_view(machine);
  std::map<std::string, Rect> boxes;
  for (const Box& box : view.boxes) boxes[box.id] = box.at;
  const auto ends_at = [&](const std::string& box, const Point& point) {
    const Rect& at = boxes.at(box);
    return point.x > at.x && point.x < at.right() && (point.y == at.y || point.y == at.bottom());
  };
  int entries = 0;
  for (const Wire& wire : view.wires) {
    if (wire.id.rfind("host--", 0) != 0) continue;
    const std::string endpoint = fmt::format("sip{}.io0.pcie_ep", entries++);
    EXPECT_EQ(wire.id, "host--" + endpoint);
    EXPECT_TRUE(ends_at("host", wire.path.front()) && ends_at(endpoint, wire.path.back())) << endpoint;
  }
  EXPECT_EQ(entries, 9);
  ASSERT_EQ(view.notes.size(), 1u);
  EXPECT_NE(view.notes[0].find("the host enters each SIP at io0.pcie_ep"), std::string::npos) << view.notes[0];
}

TEST(Views, PicturesOfTheDocumentationAreThoseOfTheReferenceMachine) {
  for (const std::string name : {"cube", "pe"}) {
    std::ifstream file(std::string(KB_CONFIG_DIR) + "/../docs/images/" + name + "_view.svg");
    const std::string committed{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(committed == to_svg(view_named(reference(), name)))
        << "make it again: kernbench topology --svg docs/images --views " << name;
  }
}

TEST(Views, CubeIsToScale) {
  const LoadedTopology machine = reference();
  const View view = cube_view(machine);
  const auto middle = [&](const std::string& id) {
    for (const Box& box : view.boxes) {
      if (box.id == "sip0.cube0." + id) return box.at.center();
    }
    ADD_FAILURE() << id;
    return Point{};
  };
  const auto& mesh = machine.mesh;
  const double scale = (middle("r0c5").x - middle("r0c0").x) / (mesh.column_x[5] - mesh.column_x[0]);
  for (int row = 1; row < mesh.rows(); ++row) {
    const std::size_t r = static_cast<std::size_t>(row);
    EXPECT_NEAR(middle(fmt::format("r{}c0", row)).y - middle("r0c0").y, scale * (mesh.row_y[r] - mesh.row_y[0]), 1e-6);
  }
}

TEST(Views, PeShowsItsNineBlocksAwayFromPeCpu) {
  const LoadedTopology machine = reference();
  const std::set<std::string> drawn = ids_of(machine, "pe");
  std::map<std::string, double> x;
  for (const Box& box : pe_view(machine).boxes) x[box.id] = box.at.x;
  const std::string pe = "sip0.cube0.pe0.";
  int blocks = 0;
  for (const topology::Node& node : machine.graph.nodes) {
    if (node.id.rfind(pe, 0) != 0) continue;
    EXPECT_EQ(drawn.count(node.id), 1u) << node.id;
    ++blocks;
  }
  EXPECT_EQ(blocks, 9);
  EXPECT_LT(x.at(pe + "pe_cpu"), x.at(pe + "pe_scheduler"));
  EXPECT_LT(x.at(pe + "pe_scheduler"), x.at(pe + "pe_gemm"));
  EXPECT_LT(x.at(pe + "pe_gemm"), x.at(pe + "pe_tcm"));
  EXPECT_LT(x.at(pe + "pe_tcm"), x.at("sip0.cube0.r0c0"));
}

TEST(Views, TitlesHoldAttributesAndBandwidth) {
  const pugi::xml_document document = parsed(to_svg(cube_view(reference())));
  const auto title = [&](const std::string& id) {
    return std::string(document.select_node(("//*[@id='" + id + "']/title").c_str()).node().text().get());
  };
  EXPECT_NE(title("sip0.cube0.r0c0").find("\noverhead_ns 2"), std::string::npos);
  EXPECT_NE(title("sip0.cube0.r0c0--sip0.cube0.r0c1").find("256 GB/s, 3 mm"), std::string::npos);
}

TEST(Svg, TextWithMarkupStaysText) {
  View view;
  view.name = "cube";
  view.heading = "<b>&\"";
  view.width = view.height = 100;
  view.boxes.push_back({"a\"><script>", {"<i>&"}, "x\x01<y", Role::router, {10, 10, 60, 20}});
  const pugi::xml_document document = parsed(to_svg(view));
  EXPECT_TRUE(document.select_nodes("//script").empty());
  EXPECT_EQ(document.select_node("//*[@id='a\"><script>']//text").node().text().get(), std::string("<i>&"));
}

TEST(Svg, LongLabelsEndWithinTheirBoxes) {
  View view;
  view.width = view.height = 100;
  view.boxes.push_back({"box", {"a_name_that_is_much_longer_than_its_box"}, "", Role::router, {10, 10, 60, 20}});
  const std::string text = parsed(to_svg(view)).select_node("//g/text").node().text().get();
  EXPECT_LE(text.size() * kLetterWidth, 60.0);
  EXPECT_EQ(text.substr(text.size() - 2), "..");
}

}  // namespace
}  // namespace kb::views
