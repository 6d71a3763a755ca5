// Blocks from outside, for a slot or for single nodes (T-27, T-28).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(params.delay.ns, 3.0);
  EXPECT_EQ(loaded.config.at("cube.components.noc_router.attrs.delay_ns").value, "3");
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
  EXPECT_THAT(entry("impl: builtin.sram"), HasSubstr("replace[0].nodes"));
  EXPECT_THAT(entry("nodes: sip0.cube0.sram, atrs: { }"), HasSubstr("unknown key 'atrs'"));
}

}  // namespace
}  // namespace kb::topology
