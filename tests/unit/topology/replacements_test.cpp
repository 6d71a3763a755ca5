// Blocks from outside, for a slot or for single nodes (T-27, T-28).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "modules/kit/params.h"
#include "platform/params/pe_math_params.h"
#include "platform/topology/implementations.h"
#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using test::number;
using testing::HasSubstr;

struct FastRouterParams {
  std::int64_t lanes = 1;
  Nanoseconds delay{3.0};

  static params::FieldTable fields() {
    return params::Fields<FastRouterParams>()
        .add("lanes", &FastRouterParams::lanes, at_least(1, 8), "parallel lanes")
        .add("delay_ns", &FastRouterParams::delay, "what a flit waits for")
        .table();
  }
};

const Implementations& fast_router() {
  static const Implementations known = [] {
    Implementations out;
    out.add(NodeKind::noc_router, "custom.fast_router", FastRouterParams::fields());
    return out;
  }();
  return known;
}

LoadedTopology load_with(const std::string& more, const Overrides& overrides = {}) {
  return load_text(kMinimal + more, "t.yaml", overrides, fast_router());
}
std::string error_with(const std::string& more, const Overrides& overrides = {}) {
  return error_of([&] { load_with(more, overrides); });
}

const Node& node(const LoadedTopology& loaded, const char* id) {
  return loaded.graph.node(loaded.graph.find_node(id).value());
}

TEST(Implementations, OneOfASlotHasItsOwnParametersT27) {
  const LoadedTopology loaded = load_with(
      "", {{"cube.components.noc_router.impl", "custom.fast_router"}, {"cube.components.noc_router.attrs.lanes", "3"}});
  for (const Node& each : loaded.graph.nodes) {
    EXPECT_EQ(each.impl == "custom.fast_router", each.kind == NodeKind::noc_router) << each.id;
  }
  const auto& params = node(loaded, "sip0.cube0.r0c0").impl_params.as<FastRouterParams>();
  EXPECT_EQ(params.lanes, 3);
  EXPECT_EQ(params.delay.ns(), 3.0);
  EXPECT_EQ(loaded.config.at("cube.components.noc_router.attrs.delay_ns").value, "3");
}

TEST(Replacements, TheSampleOfTheGuideFitsTheReferenceMachine) {  // T-28, T-28b
  std::ifstream file(std::string(KB_CONFIG_DIR) + "/../docs/guides/machine.md");
  const std::string guide((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t begin = guide.find("```yaml\nreplace:\n") + 8;
  const std::string sample = guide.substr(begin, guide.find("```", begin) - begin);
  std::ifstream reference(std::string(KB_CONFIG_DIR) + "/reference.yaml");
  const std::string machine((std::istreambuf_iterator<char>(reference)), std::istreambuf_iterator<char>());
  const LoadedTopology loaded = load_text(machine + sample, "reference.yaml");
  const Graph& graph = loaded.graph;
  int slow = 0;
  for (const Edge& edge : graph.edges) slow += graph.node(edge.src).id == "sip1.io0.pcie_ep" && edge.bw.gbs() == 32;
  EXPECT_EQ(slow, 2) << "to the switch and to io_noc";
}

TEST(Implementations, OneFromRtlNeedsABuildWithVerilator) {
  EXPECT_THAT(error_with("replace:\n  - { nodes: sip0.cube0.pe0.pe_gemm, impl: rtl.gemm, attrs: { clock_ghz: 1 } }\n"),
              HasSubstr("replace[0].impl: 'rtl.gemm' is simulated from RTL, for which this kernbench is not built "
                        "(install the Debian package verilator and build with cmake -DKB_RTL=ON)"));
}

TEST(Implementations, AnUnknownOneFromRtlHasItsNearestName) {
  Implementations known;
  known.add(NodeKind::pe_gemm, "rtl.gemm", params::no_fields());
  const std::string error = error_of([&] {
    load_text(kMinimal + std::string("replace:\n  - { nodes: sip0.cube0.pe0.pe_gemm, impl: rtl.gem }\n"), "t.yaml", {},
              known);
  });
  EXPECT_THAT(error, HasSubstr("unknown implementation 'rtl.gem' (did you mean 'rtl.gemm'?)"));
}

TEST(Implementations, ANearNameHasTheSameFirstPart) {
  Implementations known;
  known.add(NodeKind::hbm_ctrl, "rtl.axi_memory", params::no_fields());
  const auto error = [&](const std::string& impl) {
    return error_of([&] {
      load_text(kMinimal + std::string("replace:\n  - { nodes: \"*.hbm_ctrl.*\", impl: ") + impl + " }\n", "t.yaml", {},
                known);
    });
  };
  EXPECT_THAT(error("custom.axi_memory"), HasSubstr("(name the library that brings it with --plugin)"));
  EXPECT_THAT(error("rtl.axi_memry"), HasSubstr("(did you mean 'rtl.axi_memory'?)"));
  EXPECT_THAT(error("builtin.axi_memory"), HasSubstr("(known: builtin.hbm_ctrl, builtin.hbm_banked, rtl.axi_memory)"));
}

TEST(Implementations, AMisspeltBuiltInOneHasTheAttributesOfItsKind) {
  const auto error = [](const std::string& impl) {
    return error_with("replace:\n  - { nodes: \"*.hbm_ctrl.*\", impl: " + impl + ", attrs: { acces_ns: 1 } }\n");
  };
  EXPECT_THAT(error("builtin.hbm_ctl"), HasSubstr("(did you mean 'builtin.hbm_ctrl'?)"));
  EXPECT_THAT(error("builtin.hbm_ctl"), HasSubstr("unknown key 'acces_ns' (did you mean 'access_ns'?)"));
  EXPECT_THAT(error("custom.mine"), testing::Not(HasSubstr("acces_ns")));
  EXPECT_THAT(error("builtin.sram"), testing::Not(HasSubstr("acces_ns"))) << "which may be right for that kind";
  EXPECT_THAT(error_with("", {{"cube.components.hbm_ctrl.impl", "builtin.hbm_ctl"},
                              {"cube.components.hbm_ctrl.attrs.acces_ns", "1"}}),
              HasSubstr("unknown key 'acces_ns'"));
}

TEST(Implementations, NobodyHasRegisteredOne) {
  const Overrides fast{{"cube.components.noc_router.impl", "custom.fast_router"},
                       {"cube.components.noc_router.attrs.lanes", "3"}};
  EXPECT_EQ(error_of([&] { minimal(fast); }),
            "--set: cube.components.noc_router.impl: nobody has registered the implementation 'custom.fast_router' of "
            "noc_router (name the library that brings it with --plugin)");
  EXPECT_THAT(error_with("", {{"cube.components.noc_router.impl", "custom.fast_ruter"}}),
              HasSubstr("(did you mean 'custom.fast_router'?, or name its library with --plugin)"));
  EXPECT_THAT(error_with("", {{"cube.components.sram.impl", "custom.fast_router"}}),
              HasSubstr("'custom.fast_router' cannot serve as sram (write builtin.sram; this one is for noc_router)"));
}

TEST(Implementations, ContradictionsAreRefused) {
  Implementations known;
  known.add(NodeKind::sram, "custom.a", params::no_fields());
  EXPECT_THAT(error_of([&] { known.add(NodeKind::sram, "custom.a", params::no_fields()); }),
              HasSubstr("is registered twice"));
  EXPECT_THAT(error_of([&] { known.add(NodeKind::sram, "mine", params::no_fields()); }),
              HasSubstr("needs a name that begins with custom., e.g. custom.my_sram"));
  const auto clash = params::Fields<FastRouterParams>().add("size_mb", &FastRouterParams::lanes, "size").table();
  EXPECT_THAT(error_of([&] { known.add(NodeKind::sram, "custom.b", clash); }),
              HasSubstr("the parameter 'size_mb' of 'custom.b' has the name of a parameter that every sram has"));
}

TEST(FieldTable, ContradictionsAreRefused) {
  using P = FastRouterParams;
  const auto table = [](auto&&... args) {
    return error_of([&] { params::Fields<P>().add(std::forward<decltype(args)>(args)...).table(); });
  };
  EXPECT_THAT(table("lanes", &P::lanes, at_least(2, 8), "lanes"),
              HasSubstr("has the default 1, but must be between 2"));
  EXPECT_THAT(table("lanes", &P::lanes, at_least(1, 8), ""), HasSubstr("has no sentence"));
  EXPECT_THAT(error_of([] { params::Fields<P>().add("a", &P::lanes, "one").add("a", &P::lanes, "another").table(); }),
              HasSubstr("a stands in it twice"));
  EXPECT_THAT(error_of([] { params::Fields<P>().add("a", &P::lanes, "one").follows("b").table(); }),
              HasSubstr("follows b, which is not a field before it"));
  EXPECT_THAT(error_of([] { params::Fields<P>().add("a", &P::lanes, "one").power_of_two().trials({"2"}).table(); }),
              HasSubstr("a has values for a trial, but is neither a text nor a whole number"));
}

TEST(Replacements, ChangeSingleNodesT28) {
  const LoadedTopology loaded = load_with(R"(
replace:
  - { nodes: "sip0.cube0.r0c*", impl: custom.fast_router, attrs: { lanes: 2 } }
  - { nodes: sip0.cube0.r0c0, attrs: { lanes: 4, decode: serial } }
  - { nodes: sip0.cube0.pe0.pe_math, attrs: { elements_per_ns: 32, overhead_ns: 1.5 } }
)");
  EXPECT_EQ(node(loaded, "sip0.cube0.r0c1").impl, "custom.fast_router");
  EXPECT_EQ(number(node(loaded, "sip0.cube0.r0c1"), "overhead_ns"), 2.0);
  EXPECT_EQ(node(loaded, "sip0.cube0.r0c1").impl_params.as<FastRouterParams>().lanes, 2);
  EXPECT_EQ(node(loaded, "sip0.cube0.r0c0").impl_params.as<FastRouterParams>().lanes, 4);
  EXPECT_EQ(test::text(node(loaded, "sip0.cube0.r0c0"), "decode"), "serial");
  EXPECT_EQ(node(loaded, "sip0.cube0.r1c0").impl, "builtin.forwarding");
  EXPECT_EQ(number(node(loaded, "sip0.cube0.pe0.pe_math"), "elements_per_ns"), 32.0);
  EXPECT_EQ(node(loaded, "sip0.cube0.pe0.pe_math").overhead, 1.5_ns);
  EXPECT_EQ(number(node(loaded, "sip0.cube0.pe1.pe_math"), "elements_per_ns"), 256.0);
  EXPECT_EQ(node(loaded, "sip0.cube0.pe1.pe_math").params.data(), node(loaded, "sip0.cube0.pe2.pe_math").params.data());
}

TEST(Replacements, MistakesAreNamed) {
  const auto entry = [](const std::string& text) { return error_with("replace:\n  - { " + text + " }\n"); };
  EXPECT_THAT(entry("nodes: sip0.cube0.pe0.pe_mth"),
              HasSubstr("replace[0].nodes: no node is called 'sip0.cube0.pe0.pe_mth' (did you mean "
                        "'sip0.cube0.pe0.pe_math'?)"));
  EXPECT_THAT(entry("nodes: \"sip0.cube0.pe0.*\""), HasSubstr("matches nodes of several kinds: pe_cpu, pe_scheduler"));
  EXPECT_THAT(entry("nodes: sip0.cube0.sram, impl: custom.fast_router"), HasSubstr("cannot serve as sram"));
  EXPECT_THAT(entry("nodes: sip0.cube0.sram, attrs: { overhed_ns: 1 }"),
              HasSubstr("replace[0].attrs.overhed_ns: unknown key 'overhed_ns' (did you mean 'overhead_ns'?)"));
  EXPECT_THAT(entry("nodes: sip0.cube0.sram, attrs: { size_mb: 1 }"),
              HasSubstr("replace[0].attrs.size_mb: 'size_mb' is not set here (it is the same for all nodes of a kind"));
  EXPECT_THAT(entry("nodes: sip0.cube0.sram, attrs: { size_mb: 1 }"),
              HasSubstr("set cube.components.sram.attrs.size_mb)"));
  EXPECT_THAT(entry("nodes: \"*.hbm_ctrl.*\", attrs: { burst_bytes: 64 }"),
              HasSubstr("set cube.components.hbm_ctrl.attrs.burst_bytes)"));
  EXPECT_THAT(entry("nodes: \"*.pe_tcm\", attrs: { size_mb: 64 }"), HasSubstr("replace[0].attrs.size_mb"));
  EXPECT_THAT(entry("nodes: \"sip0.cube0.r*\", attrs: { overhead_ns: 3 }"),
              HasSubstr("(all routers of a machine have the same one (T-20): set cube.links.router_overhead_ns)"));
  EXPECT_THAT(entry("nodes: \"sip0.cube70.r*\", impl: builtin.noc"),
              HasSubstr("no node matches the pattern 'sip0.cube70.r*' (sip0 has cube0"));
  EXPECT_THAT(entry("nodes: sip0.cube0.pe0, impl: builtin.noc"),
              HasSubstr("(write 'sip0.cube0.pe0.*' for what is in it)"));
  EXPECT_THAT(entry("impl: builtin.sram"), HasSubstr("replace[0].nodes: this entry names neither nodes nor links"));
  EXPECT_THAT(entry("nodes: sip0.cube0.sram"),
              HasSubstr("replace[0].attrs: this entry changes nothing (give the nodes another impl, or attrs)"));
  EXPECT_THAT(entry("nodes: sip0.cube0.sram, attrs: { }"), HasSubstr("replace[0].attrs: this entry changes nothing"));
  EXPECT_THAT(entry("nodes: sip0.cube0.sram, atrs: { }"), HasSubstr("unknown key 'atrs'"));
}

TEST(Replacements, MistakesOfAllEntriesAreReportedAtOnce) {
  const std::string error = error_with(R"(
replace:
  - { node: sip0.cube0.sram, impl: builtin.sram }
  - { nodes: sip0.cube0.sran, impl: builtin.sram }
  - just a word
  - { nodes: sip0.cube0.sram, links: "* -> *" }
  - { links: "fabric.switch0 -> *" }
  - { attrs: { size_mb: 1 } }
)");
  EXPECT_THAT(error, HasSubstr("replace[0].node: unknown key 'node' (did you mean 'nodes'?)"));
  EXPECT_THAT(error, testing::Not(HasSubstr("replace[0].nodes")));
  EXPECT_THAT(error,
              HasSubstr("replace[1].nodes: no node is called 'sip0.cube0.sran' (did you mean 'sip0.cube0.sram'?)"));
  EXPECT_THAT(error, HasSubstr("replace[2]: expected a mapping, found 'just a word'"));
  EXPECT_THAT(error, HasSubstr("replace[3].links: an entry replaces nodes or links, not both"));
  EXPECT_THAT(error, HasSubstr("replace[4].attrs: this entry changes nothing"));
  EXPECT_THAT(error, HasSubstr("replace[5].nodes: this entry names neither nodes nor links"));
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 5);
  EXPECT_THAT(error_with("replace: [{ node: x }]\n", {{"system.ns_per_mm", "-1"}}),
              testing::AllOf(HasSubstr("unknown key 'node'"), HasSubstr("system.ns_per_mm")));
}

const Edge& edge(const LoadedTopology& loaded, const char* from, const char* to) {
  const Graph& graph = loaded.graph;
  return graph.edge(graph.find_edge(graph.find_node(from).value(), graph.find_node(to).value()).value());
}

TEST(Replacements, ChangeSingleLinksT28b) {
  const LoadedTopology plain = minimal();
  const LoadedTopology loaded = load_with(R"(
replace:
  - { links: "sip0.io0.pcie_ep -> *switch*", attrs: { bw_gbs: 64, distance_mm: 3 } }
  - { links: "sip0.io0.pcie_ep->fabric.switch0", attrs: { bw_gbs: 32 } }
  - { links: "sip0.cube0.r0c0 -> *", attrs: { distance_mm: 0.5 } }
)");
  EXPECT_EQ(edge(loaded, "sip0.io0.pcie_ep", "fabric.switch0").bw, Bandwidth(32));
  EXPECT_EQ(edge(loaded, "sip0.io0.pcie_ep", "fabric.switch0").distance_mm, 3.0);
  EXPECT_EQ(edge(loaded, "fabric.switch0", "sip0.io0.pcie_ep").bw, Bandwidth(512)) << "the way back stays";
  std::size_t changed = 0;
  for (std::size_t e = 0; e < plain.graph.edges.size(); ++e) {
    const Edge &before = plain.graph.edges[e], &after = loaded.graph.edges[e];
    if (loaded.graph.node(before.src).id == "sip0.cube0.r0c0") {
      EXPECT_EQ(after.distance_mm, 0.5);
      EXPECT_EQ(after.bw, before.bw);
    }
    changed += before.distance_mm != after.distance_mm || before.bw != after.bw ? 1 : 0;
  }
  const auto [first, last] = loaded.graph.out_edges(loaded.graph.find_node("sip0.cube0.r0c0").value());
  EXPECT_EQ(changed, 1u + static_cast<std::size_t>(last - first));
  EXPECT_EQ(loaded.config.at("replace[1].links").value, "sip0.io0.pcie_ep->fabric.switch0");
  EXPECT_EQ(loaded.config.at("replace[1].attrs.bw_gbs").value, "32");
}

TEST(Replacements, MistakesInLinksAreNamed) {
  const auto entry = [](const std::string& text) { return error_with("replace:\n  - { " + text + " }\n"); };
  const std::string slow = ", attrs: { bw_gbs: 1 }";
  EXPECT_THAT(entry("links: \"sip0.io0.pcie_epp -> *\"" + slow),
              HasSubstr("replace[0].links: no node is called 'sip0.io0.pcie_epp' (did you mean 'sip0.io0.pcie_ep'?)"));
  EXPECT_THAT(entry("links: \"sip0.io0.pcie_ep -> sip0.cube0.sram\"" + slow),
              HasSubstr("replace[0].links: no link of the fabric leads from 'sip0.io0.pcie_ep' to 'sip0.cube0.sram' "
                        "(from sip0.io0.pcie_ep links lead to sip0.io0.io_noc, fabric.switch0)"));
  EXPECT_THAT(entry("links: \"sip0.cube0.pe0.pe_fetch_store -> sip0.cube0.pe0.pe_tcm\"" + slow),
              HasSubstr("(links inside of a PE are set for all PEs, in cube.pe_template.links)"));
  for (const char* links : {"fabric.switch0", "\" -> fabric.switch0\"", "\"fabric.switch0 ->\""}) {
    EXPECT_THAT(entry("links: " + std::string(links) + slow), HasSubstr("does not name both ends of a link"));
  }
  const std::string ok = "links: \"fabric.switch0 -> *\"";
  EXPECT_THAT(entry(ok + ", attrs: { bw_gb: 1 }"), HasSubstr("t.yaml:"));
  EXPECT_THAT(entry(ok + ", attrs: { bw_gb: 1 }"),
              HasSubstr("replace[0].attrs.bw_gb: unknown key 'bw_gb' (did you mean 'bw_gbs'?)"));
  EXPECT_THAT(entry(ok + ", attrs: { bw_gbs: 0 }"), HasSubstr("replace[0].attrs.bw_gbs: "));
  EXPECT_THAT(entry(ok), HasSubstr("replace[0].attrs: this entry changes nothing"));
  EXPECT_THAT(entry(ok + slow + ", impl: builtin.switch"), HasSubstr("replace[0].impl: a link has no implementation"));
  EXPECT_THAT(entry(ok + slow + ", nodes: \"*\""), HasSubstr("an entry replaces nodes or links, not both"));
  EXPECT_THAT(entry("attrs: { bw_gbs: 1 }"), HasSubstr("this entry names neither nodes nor links"));
}

}  // namespace
}  // namespace kb::topology
