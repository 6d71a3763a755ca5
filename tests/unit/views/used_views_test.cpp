// Pictures with what a run used: colours in place of roles, and the roofline.
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "platform/views/roofline_view.h"
#include "platform/views/svg.h"

namespace kb::views {
namespace {

using topology::LoadedTopology;

void parse(pugi::xml_document& document, const std::string& svg) {
  const pugi::xml_parse_result result = document.load_string(svg.c_str(), pugi::parse_full);
  EXPECT_TRUE(result) << result.description() << " at " << result.offset;
}

TEST(UsedViews, AnotherSipAndCubeAreDrawnUnderTheirOwnNames) {
  const LoadedTopology machine = topology::load(std::string(KB_CONFIG_DIR) + "/reference.yaml");
  const View sip = sip_view(machine, "sip1"), cube = cube_view(machine, "sip1.cube0");
  for (const View* view : {&sip, &cube}) {
    for (const Box& box : view->boxes) EXPECT_EQ(box.id.find("sip0"), std::string::npos) << box.id;
  }
  EXPECT_EQ(cube.boxes.size(), cube_view(machine).boxes.size());
}

// What was in use has its colour; both directions of a wire are told, and the busier one counts.
TEST(UsedViews, HeatTakesThePlaceOfRoles) {
  View view;
  view.width = view.height = 400;
  view.boxes = {{"a", {"A"}, "a", Role::pe, {20, 20, 50, 20}, {}}, {"b", {"B"}, "b", Role::hbm, {220, 20, 50, 20}, {}}};
  view.wires = {{"a--b", {{70, 30}, {220, 30}}, "a to b", {}, false, Wire::Look::edge, {}}};
  add_heat(view, {{"a", 1}, {"a--b", 0.25}, {"b--a", 0.5}});
  EXPECT_EQ(view.boxes[0].heat, 1);
  EXPECT_EQ(view.boxes[1].heat, 0) << "it was idle";
  EXPECT_EQ(view.wires[0].heat, 0.5);
  EXPECT_EQ(view.wires[0].title, "a to b\n25.0 % of the time in use, back 50.0 %");
  const std::string svg = to_svg(view);
  pugi::xml_document document;
  parse(document, svg);
  EXPECT_STREQ(document.select_node("//g[@id='a']/rect").node().attribute("fill").value(), "#7c1d0a");
  EXPECT_STREQ(document.select_node("//g[@id='b']/rect").node().attribute("fill").value(), "#eef1f4");
  EXPECT_STREQ(document.select_node("//polyline").node().attribute("stroke").value(), "#f9a65a");
  EXPECT_NE(svg.find("idle to in use all the time"), std::string::npos);
  EXPECT_EQ(svg.find(">PE<"), std::string::npos) << "the legend has no roles";
}

TEST(UsedViews, HeatFallsInLightnessAllTheWay) {
  const auto lightness = [](double share) {
    const std::string colour = heat_colour(share);
    const auto part = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
    return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5);
  };
  for (int step = 0; step < 20; ++step) EXPECT_GT(lightness(step / 20.0), lightness((step + 1) / 20.0)) << step;
  EXPECT_EQ(heat_colour(-1), heat_colour(0));
  EXPECT_EQ(heat_colour(7), heat_colour(1));
}

TEST(Markup, NothingOfATextIsMarkup) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&amp;"), "&lt;b a=&quot;1&quot; c='2'&gt;&amp;amp;");
  EXPECT_EQ(escaped("µ\u202f→"), "µ\u202f→");
  EXPECT_EQ(escaped("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(escaped(std::string("a\0b\x1b\x7f", 5)), "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(escaped("\xff\xc3("), "\uFFFD\uFFFD(");
}

// At 10 operations per byte 1000 GB/s give 10 Tops/s; the engine reaches half of that, and 5 % of its own peak.
TEST(Roofline, ARooflineSaysHowFarItsPointsAre) {
  Roofline roofline{"What <x> computed", "HBM", 1000, {{"GEMM", 10, 5000, 100'000}, {"MATH", 0, 0, 10}}};
  const std::string svg = to_svg(roofline);
  pugi::xml_document document;
  parse(document, svg);
  for (const char* text :
       {"What &lt;x&gt; computed", "HBM 1000 GB/s", "GEMM 100 Tops/s", "GEMM: 5 Tops/s, 50.0 % of its roof"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(svg.find("MATH"), std::string::npos) << "it computed nothing";
  EXPECT_EQ(to_svg(roofline), svg);
  roofline.points.pop_back();
  roofline.points[0].per_ns = 0;
  EXPECT_EQ(to_svg(roofline), "");
}

}  // namespace
}  // namespace kb::views
