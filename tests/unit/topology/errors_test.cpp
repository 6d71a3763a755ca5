// What a user reads when a topology file is wrong: exact texts, so that place, key and remedy stay good.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

class TopologyFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / (std::string("kb_topology_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  std::filesystem::path folder_;
};

TEST_F(TopologyFile, MissingFileT13) {
  const std::string path = (folder_ / "none.yaml").string();
  EXPECT_EQ(error_of([&] { load(path); }),
            "there is no file '" + path + "' (check the path; the shipped machines are in configs/)");
}

TEST_F(TopologyFile, DirectoryT13) {
  EXPECT_EQ(error_of([&] { load(folder_.string()); }),
            "'" + folder_.string() + "' is a directory (name a YAML file in it)");
}

TEST_F(TopologyFile, NotARegularFileT13) {
  EXPECT_EQ(error_of([&] { load("/dev/null"); }), "'/dev/null' is not a regular file (write its content into a file)");
}

TEST_F(TopologyFile, LoadsAndHashesTheBytes) {
  const LoadedTopology loaded = load(write("m.yaml", kMinimal));
  EXPECT_EQ(loaded.sha256, minimal().sha256);
  EXPECT_EQ(loaded.file, (folder_ / "m.yaml").string());
}

TEST_F(TopologyFile, MeshFileIsReadBesideTheTopologyT57) {
  write("grid.yaml", render_mesh(minimal()));
  const std::string text = std::string(kMinimal) + "  mesh_file: grid.yaml\n";
  const LoadedTopology pinned = load(write("m.yaml", text));
  EXPECT_EQ(render_mesh(pinned), render_mesh(minimal()));
  EXPECT_EQ(pinned.graph.nodes.size(), minimal().graph.nodes.size());
  const std::string other = write("n.yaml", text + "  geometry: { cube_mm: { w: 20 } }\n");
  EXPECT_EQ(error_of([&] { load(other); }).substr(0, folder_.string().size() + 29),
            folder_.string() + "/grid.yaml:5:14: source_hash:");
}

TEST_F(TopologyFile, MissingMeshFile) {
  const std::string path = write("m.yaml", std::string(kMinimal) + "  mesh_file: none.yaml\n");
  EXPECT_EQ(error_of([&] { load(path); }),
            path + ":7:14: cube.mesh_file: there is no file '" + (folder_ / "none.yaml").string() +
                "' (its path is relative to the topology file; topology --emit-mesh writes one)");
}

struct Case {
  const char* name;
  std::string yaml;
  std::string error;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}
std::string case_name(const testing::TestParamInfo<Case>& tested) {
  return tested.param.name;
}

class WholeText : public testing::TestWithParam<Case> {};

TEST_P(WholeText, IsRefused) {
  EXPECT_EQ(error_of_text(GetParam().yaml), GetParam().error);
}

const std::string kTop = kMinimal;

INSTANTIATE_TEST_SUITE_P(
    Errors, WholeText,
    testing::Values(
        Case{"Syntax", "system:\n  a: [1\nb: 2\n",
             "t.yaml:2:6: YAML syntax: this '[' is not closed before line 3, column 2 (add the missing ']', or a comma "
             "between two entries)"},
        Case{"UnclosedAtTheEnd", "system:\n  sips: [1, 2",
             "t.yaml:2:9: YAML syntax: this '[' is not closed (add the missing ']', or a comma between two entries)"},
        Case{"UnclosedMap", "# {\nsystem: { a: \"{\\\"}\", b: [1], c: it's,\n  d: { x: y }\nb: 2\nc: 3\n",
             "t.yaml:2:9: YAML syntax: this '{' is not closed before line 4, column 1 (add the missing '}', or a comma "
             "between two entries)"},
        Case{
            "WrongBracket", "system: [1, 2}\n",
            "t.yaml:1:9: YAML syntax: this '[' is not closed before line 1, column 14 (add the missing ']', or a comma "
            "between two entries)"},
        Case{"BracketInAWord", "a: b[c\n d: e\n",
             "t.yaml:2:3: YAML syntax: illegal map value (check indentation, brackets and colons here and just above)"},
        Case{"Tab", "system:\n\tsips: 2\n",
             "t.yaml:2:1: YAML syntax: line 2 is indented with a tab (indent with spaces)"},
        Case{"TabBelow", "system:\n  sips:\n  \tw: 1\n\th: 1\nsip: 3\n",
             "t.yaml:3:3: YAML syntax: line 3 is indented with a tab (indent with spaces)"},
        Case{"TabElsewhere", "a:\n  b: { c: 1,\n\td: 1 }\ne: 1\nf: 2\ng: h: 3\n",
             "t.yaml:6:5: YAML syntax: illegal map value (check indentation, brackets and colons here and just above)"},
        Case{"TopIsAList", "- 1\n",
             "t.yaml:1:1: a topology is a mapping of keys at its top level, this is a list (start with 'system:')"},
        Case{"TopIsAWord", "hello\n",
             "t.yaml:1:1: a topology is a mapping of keys at its top level, this is a single value (start with "
             "'system:')"},
        Case{"Empty", "# nothing\n",
             "t.yaml:1:1: a topology is a mapping of keys at its top level, this is an empty document (start with "
             "'system:')"},
        Case{"SecondDocument", kTop + "---\na: 1\n",
             "t.yaml:7:1: a second YAML document starts here; only one is read (remove the '---' line)"},
        Case{"DuplicateKey", kTop + "sip:\n  cube_mesh: { w: 1, h: 1 }\n",
             "t.yaml:7:1: sip: the key 'sip' appears twice in one mapping (first on line 3) (remove one of them)"},
        Case{"DuplicateNestedKey", kTop + "  links: { router_overhead_ns: 1, router_overhead_ns: 2 }\n",
             "t.yaml:7:35: cube.links.router_overhead_ns: the key 'router_overhead_ns' appears twice in one mapping "
             "(first on line 7) (remove one of them)"},
        Case{
            "DuplicateKeyInAList", kTop + "visualization: { emit_views: [sip] }\nother: [{ a: 1 }, { a: 1, a: 2 }]\n",
            "t.yaml:8:1: other: unknown key 'other' (known: system, sip, cube, routing, visualization, energy, "
            "replace)\n"
            "t.yaml:8:27: other[1].a: the key 'a' appears twice in one mapping (first on line 8) (remove one of them)"},
        Case{"RecursiveAlias", kTop + "visualization: &v [*v]\n",
             "t.yaml:7:16: visualization: expected a mapping, found a list (write 'key: value' lines below it)\n"
             "t.yaml:7:20: an alias refers to a value that contains it (write the value out)"},
        Case{"UnknownKey", kTop + "  linkz: { router_link_bw_gbs: 1 }\n",
             "t.yaml:7:3: cube.linkz: unknown key 'linkz' (did you mean 'links'?)"},
        Case{"KeyAtTheWrongLevel", kTop + "  router_link_bw_gbs: 128\n",
             "t.yaml:7:3: cube.router_link_bw_gbs: unknown key 'router_link_bw_gbs' (did you mean "
             "'cube.links.router_link_bw_gbs'?)"},
        Case{"KeysThatMayBeLeftOutAreNear", kTop + "  mesh_fle: a.yaml\n",
             "t.yaml:7:3: cube.mesh_fle: unknown key 'mesh_fle' (did you mean 'mesh_file'?)"},
        Case{"MergeKey", "x: &x { w: 1 }\n" + kTop + "  geometry: { cube_mm: { <<: *x, h: 14 } }\n",
             "t.yaml:1:1: x: unknown key 'x' (known: system, sip, cube, routing, visualization, energy, replace)\n"
             "t.yaml:8:26: cube.geometry.cube_mm.<<: mappings are not merged (write the keys out; an alias can stand "
             "for a whole mapping)"},
        Case{"KeyOutsideOfAttrs", kTop + "  components: { m_cpu: { overhead_ns: 1 } }\n",
             "t.yaml:7:26: cube.components.m_cpu.overhead_ns: unknown key 'overhead_ns' (did you mean "
             "'cube.components.m_cpu.attrs.overhead_ns'?)"},
        Case{"KeyOfAnotherBlock", kTop + "  components: { hbm_ctrl: { attrs: { rd_outstanding: 4 } } }\n",
             "t.yaml:7:38: cube.components.hbm_ctrl.attrs.rd_outstanding: unknown key 'rd_outstanding' (did you mean "
             "'cube.pe_template.components.pe_dma.attrs.rd_outstanding'?)"},
        Case{"UnknownAttribute", kTop + "  ucie: { attrs: { overhaed_ns: 1 } }\n",
             "t.yaml:7:20: cube.ucie.attrs.overhaed_ns: unknown key 'overhaed_ns' (did you mean 'overhead_ns'?)"},
        Case{
            "MissingMandatoryKeys", "system:\n  ns_per_mm: 0.02\nsip:\n  cube_mesh:\n    w: 2\n",
            "t.yaml:1:1: system.sips.count: this mandatory key is missing (add a mapping 'system.sips' with this key)\n"
            "t.yaml:1:1: cube.pe_layout.corners: this mandatory key is missing (add a mapping 'cube.pe_layout' with "
            "this "
            "key)\n"
            "t.yaml:1:1: cube.pe_layout.pe_per_corner: this mandatory key is missing (add a mapping 'cube.pe_layout' "
            "with "
            "this key)\n"
            "t.yaml:4:3: sip.cube_mesh.h: this mandatory key is missing (add it to the mapping that starts here)"},
        Case{"TextForNumber", kTop + "  links: { router_link_bw_gbs: abc }\n",
             "t.yaml:7:32: cube.links.router_link_bw_gbs: expected a number in GB/s, found 'abc' (write the number "
             "alone; the unit belongs to the key)"},
        Case{
            "NumberWithUnit", kTop + "  links: { router_overhead_ns: 2ns }\n",
            "t.yaml:7:32: cube.links.router_overhead_ns: expected a number in ns, found '2ns' (write the number alone; "
            "the unit belongs to the key)"},
        Case{"QuotedNumber", kTop + "  links: { router_overhead_ns: \"2\" }\n",
             "t.yaml:7:32: cube.links.router_overhead_ns: expected a number in ns, found '2' (remove the quotes)"},
        Case{"ListForMap", kTop + "  links: [1]\n",
             "t.yaml:7:10: cube.links: expected a mapping, found a list (write 'key: value' lines below it)"},
        Case{
            "MapForNumber", kTop + "  links: { router_overhead_ns: { a: 1 } }\n",
            "t.yaml:7:12: cube.links.router_overhead_ns: expected a number, found a mapping (write the value after the "
            "colon, or remove the key)"},
        Case{"NoValue", kTop + "  links:\n    router_overhead_ns:\n",
             "t.yaml:8:5: cube.links.router_overhead_ns: expected a number, but the key has no value (write the value "
             "after the colon, or remove the key)"},
        Case{"ListInAPair", kTop + "  placement: { m_cpu: { pos_mm: [[1], 2] } }\n",
             "t.yaml:7:33: cube.placement.m_cpu.pos_mm: expected a list of two numbers, found one that holds a list "
             "(write for example [1.5, 5.5])"},
        Case{
            "BeyondWholeNumbers", kTop + "  ucie: { n_connections: 99999999999999999999 }\n",
            "t.yaml:7:26: cube.ucie.n_connections: 99999999999999999999 is out of range (it must be between 1 and 64)"},
        Case{"MapForList", kTop + "visualization: { emit_views: sip }\n",
             "t.yaml:7:30: visualization.emit_views: expected a list, found 'sip' (write for example [system])"},
        Case{"Metric", kTop + "routing: { metric: time }\n",
             "t.yaml:7:20: routing.metric: 'time' is not one of latency, distance (choose one of them)"},
        Case{"Decode", kTop + "  components: { noc_router: { attrs: { decode: parallel } } }\n",
             "t.yaml:7:48: cube.components.noc_router.attrs.decode: 'parallel' is not one of pipelined, serial (choose "
             "one of them)"},
        Case{"ReadOrder", kTop + "  components: { hbm_ctrl: { attrs: { read_order: fifo } } }\n",
             "t.yaml:7:50: cube.components.hbm_ctrl.attrs.read_order: 'fifo' is not one of fair, arrival (choose one "
             "of them)"},
        Case{"ChannelHash", kTop + "  components: { hbm_ctrl: { attrs: { channel_hash: crc } } }\n",
             "t.yaml:7:52: cube.components.hbm_ctrl.attrs.channel_hash: 'crc' is not one of none, xor (choose one of "
             "them)"},
        Case{"AccessAboveTheBurst", kTop + "  components: { hbm_ctrl: { attrs: { access_bytes: 512 } } }\n",
             "t.yaml:7:52: cube.components.hbm_ctrl.attrs.access_bytes: access_bytes is 512, but a burst has 256 bytes "
             "(write 256 or a smaller power of two)"},
        Case{"AccessNotDividingTheBurst", kTop + "  components: { hbm_ctrl: { attrs: { access_bytes: 96 } } }\n",
             "t.yaml:7:52: cube.components.hbm_ctrl.attrs.access_bytes: 96 is not a power of two (write for example 8 "
             "or 256)"},
        Case{"KindOfEdge", kTop + "routing:\n  routing_weight_mm: { router_mush: 2.0, seam: 1.0 }\n",
             "t.yaml:8:37: routing.routing_weight_mm.router_mush: 'router_mush' is no kind of edge (did you mean "
             "'router_mesh'? known: pe_internal, pe_to_router, router_to_pe, router_mesh, router_to_hbm, "
             "hbm_to_router, pe_to_channel, channel_to_pe, channel_to_hbm, hbm_to_channel, router_to_sram, "
             "sram_to_router, ucie_internal, ucie_conn_to_router, router_to_ucie_conn, ucie_conn_to_noc, "
             "noc_to_ucie_conn, ucie_mesh, io_internal, io_to_cube, cube_to_io, pcie, command)\n"
             "t.yaml:8:48: routing.routing_weight_mm.seam: 'seam' is no kind of edge (known: pe_internal, "
             "pe_to_router, router_to_pe, router_mesh, router_to_hbm, hbm_to_router, pe_to_channel, channel_to_pe, "
             "channel_to_hbm, hbm_to_channel, router_to_sram, sram_to_router, ucie_internal, ucie_conn_to_router, "
             "router_to_ucie_conn, ucie_conn_to_noc, noc_to_ucie_conn, ucie_mesh, io_internal, io_to_cube, "
             "cube_to_io, pcie, command)"},
        Case{"SeveralAtOnce", kTop + "  links: { router_overhead_ns: x, ucie_seam_mm: -1 }\n  geometry: 5\nsipp: 1\n",
             "t.yaml:7:32: cube.links.router_overhead_ns: expected a number in ns, found 'x' (write the number alone; "
             "the unit belongs to the key)\n"
             "t.yaml:7:49: cube.links.ucie_seam_mm: -1 is out of range (it must be between 0 and 10000 mm)\n"
             "t.yaml:8:13: cube.geometry: expected a mapping, found '5' (write 'key: value' lines below it)\n"
             "t.yaml:9:1: sipp: unknown key 'sipp' (did you mean 'sip'?)"}),
    case_name);

TEST(TopologyErrors, CarryTheirPlaceAsFields) {
  try {
    load_text(std::string(kMinimal) + "  linkz: {}\n", "dir/m.yaml");
    FAIL() << "no error";
  } catch (const Error& error) {
    ASSERT_EQ(error.diagnostics().size(), 1u);
    const Diagnostic& diagnostic = error.diagnostics()[0];
    EXPECT_EQ(diagnostic.file, "dir/m.yaml");
    EXPECT_EQ(diagnostic.line, 7);
    EXPECT_EQ(diagnostic.column, 3);
    EXPECT_EQ(diagnostic.key, "cube.linkz");
  }
}

TEST(TopologyErrors, DeepNestingIsASyntaxErrorAndNotACrash) {
  EXPECT_NE(error_of_text(std::string(100000, '[')), "");
  EXPECT_NE(error_of_text(std::string(100000, '{')), "");
}

// Damaged files: every one loads or is refused as the user's fault; none ends in another error or a crash.
TEST(TopologyErrors, DamagedFilesAreRefusedOrLoad) {
  std::ifstream stream(std::string(KB_CONFIG_DIR) + "/reference.yaml");
  const std::string whole((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  ASSERT_GT(whole.size(), 1000u);
  const std::string alphabet = "0123456789.-:,{}[]#&*!|>'\"%@ \n\tabxyzNEWS~\\\x80\xff";
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return random() % n; };
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = whole;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = alphabet[below(alphabet.size())];
          break;
        case 1:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(40));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(60)));
          break;
      }
    }
    refused += error_of_text(text).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 400);
}

}  // namespace
}  // namespace kb::topology
