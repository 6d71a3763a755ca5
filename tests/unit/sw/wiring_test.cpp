#include "sw/distributed/wiring.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "platform/base/names.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeHost;
using ::testing::IsEmpty;
using topology::CclConfig;
using topology::IntraCube;
using topology::RankTopology;
using topology::WiringPreset;

contract::MachineInfo machine_of(int sips, int w, int h, int pes) {
  contract::MachineInfo machine = FakeHost::small_machine();
  machine.sips = sips;
  machine.cube_mesh_w = w;
  machine.cube_mesh_h = h;
  machine.cubes_per_sip = w * h;
  machine.pes_per_cube = pes;
  return machine;
}

CclConfig config_of(WiringPreset wiring, RankTopology topology = RankTopology::none) {
  CclConfig config;
  config.wiring = wiring;
  config.topology = topology;
  return config;
}

// "E>sip0.cube1.pe0.W": sends on E into the ring that the other reads as W; "E<" has its own ring only.
std::vector<std::string> links_of(const Wiring& wiring, const std::string& pe) {
  std::vector<std::string> out;
  for (const WiredRank& rank : wiring.ranks) {
    if (pe_name(rank.pe) != pe) continue;
    for (const WiredLink& link : rank.links) {
      std::string text = wiring.label(link);
      if (link.receives) text += "<";
      if (link.send_to) {
        const WiredRank& peer = wiring.ranks[link.send_to->rank];
        text += ">" + pe_name(peer.pe) + "." + wiring.label(peer.links[link.send_to->link]);
      }
      out.push_back(text);
    }
  }
  return out;
}

// The distances that rank 0 of so many has links to, the shorter way around.
std::set<std::string> hops_of(int count, Hops hops) {
  const Wiring wiring = make_hop_wiring(default_rank_map(machine_of(1, 4, 4, 8), count), hops);
  std::set<std::string> labels;
  for (const WiredRank& rank : wiring.ranks) {
    std::set<std::string> own;
    for (const WiredLink& link : rank.links) own.insert(wiring.label(link));
    if (labels.empty()) labels = own;
    EXPECT_EQ(own, labels);  // a ring looks the same from everywhere
  }
  return labels;
}

std::vector<PeCoord> some_pes(int count) {
  return default_rank_map(machine_of(1, 4, 4, 8), count);
}

TEST(ReverseDirection, PrefersTheOppositeThenTheFirstThatLeadsBack) {
  const NeighbourTable both_ways{{"E", 0}, {"W", 0}};
  EXPECT_EQ(reverse_direction(both_ways, 0, "E"), "W");
  EXPECT_EQ(reverse_direction(both_ways, 0, "W"), "E");
  EXPECT_EQ(reverse_direction(both_ways, 1, "E"), std::nullopt);
  EXPECT_EQ(reverse_direction({{"W", 3}, {"E", 0}}, 0, "E"), "E");  // its opposite leads elsewhere
  EXPECT_EQ(reverse_direction({{"child_l", 4}, {"child_r", 2}}, 2, "parent"), "child_r");
  for (const char* prefix : {"", "global_", "intra_"}) {
    for (const char* side : {"N", "S", "E", "W"}) {
      const std::string label = std::string(prefix) + side;
      NeighbourTable table;
      for (const char* other : {"N", "S", "E", "W"}) table.push_back({std::string(prefix) + other, 7});
      EXPECT_EQ(reverse_direction(table, 7, label), opposite_direction(label));
    }
  }
}

TEST(Wire, TwoRanksOfARingPairEWithW) {
  const Wiring wiring = wire(some_pes(2), [](int r) { return neighbours(RankTopology::ring_1d, r, 2); });
  EXPECT_THAT(links_of(wiring, "sip0.cube0.pe0"), ElementsAre("E<>sip0.cube0.pe1.W", "W<>sip0.cube0.pe1.E"));
  EXPECT_THAT(links_of(wiring, "sip0.cube0.pe1"), ElementsAre("E<>sip0.cube0.pe0.W", "W<>sip0.cube0.pe0.E"));
  EXPECT_THAT(wiring.left_out, IsEmpty());
}

TEST(Wire, OneWayRingsHaveSendOnlyAndReceiveOnlyEnds) {
  const Wiring wiring = wire(some_pes(3), [](int r) { return neighbours(RankTopology::ring_1d_unidir, r, 3); });
  EXPECT_THAT(links_of(wiring, "sip0.cube0.pe0"), ElementsAre("E>sip0.cube0.pe1.W", "W<"));
  EXPECT_THAT(links_of(wiring, "sip0.cube0.pe2"), ElementsAre("E>sip0.cube0.pe0.W", "W<"));
  const Wiring two = wire(some_pes(2), [](int r) { return neighbours(RankTopology::ring_1d_unidir, r, 2); });
  EXPECT_THAT(links_of(two, "sip0.cube0.pe1"), ElementsAre("E>sip0.cube0.pe0.W", "W<"));
}

TEST(Wire, TreesPairParentsWithChildren) {
  const Wiring wiring = wire(some_pes(4), [](int r) { return neighbours(RankTopology::tree_binary, r, 4); });
  EXPECT_THAT(wiring.directions, ElementsAre("parent", "child_l", "child_r"));
  EXPECT_THAT(links_of(wiring, "sip0.cube0.pe1"),
              ElementsAre("parent<>sip0.cube0.pe0.child_l", "child_l<>sip0.cube0.pe3.parent"));
}

TEST(Wire, LinksWithoutAWayBackAreLeftOutAndListed) {  // Q-75 (3)
  const Wiring wiring = wire(some_pes(3), [](int r) -> NeighbourTable {
    if (r == 0) return {{"up", 1}, {"away", 2}};
    if (r == 1) return {{"down", 0}};
    return {};
  });
  EXPECT_THAT(wiring.directions, ElementsAre("up", "away", "down"));
  EXPECT_THAT(links_of(wiring, "sip0.cube0.pe0"), ElementsAre("up<>sip0.cube0.pe1.down"));
  EXPECT_THAT(links_of(wiring, "sip0.cube0.pe2"), IsEmpty());
  EXPECT_THAT(wiring.left_out, ElementsAre("rank 0 'away' -> 2"));
}

TEST(Wire, RefusesTablesThatCannotBePaired) {
  const auto refused = [](const NeighbourTable& of_zero, const NeighbourTable& of_one) {
    return error_of([&] { wire(some_pes(2), [&](int r) { return r == 0 ? of_zero : of_one; }); }, "WIRING_ERROR");
  };
  EXPECT_EQ(refused({{"a", 1}, {"b", 1}}, {{"c", 0}}),
            "rank 0: 'b' and 'a' would both share the end 'c' of rank 1; give rank 1 one label for each, under names "
            "that are opposites of each other");
  EXPECT_EQ(refused({{"a", 1}, {"a", 1}}, {}), "rank 0: two neighbours under the label 'a'");
  EXPECT_EQ(refused({{"a", 2}}, {}), "rank 0: 'a' leads to rank 2, but there are 2 ranks (0 to 1)");
  EXPECT_EQ(refused({{"a", 0}}, {}), "rank 0: 'a' leads to the rank itself");
  EXPECT_EQ(refused({{"", 1}}, {}), "rank 0: a direction has no label");
  const PeCoord same{SipId(0), CubeId(1), PeId(2)};
  EXPECT_EQ(error_of(
                [&] {
                  wire({same, same}, [](int) { return NeighbourTable{}; });
                },
                "WIRING_ERROR"),
            "rank 1: sip0.cube1.pe2 is another rank already");
}

TEST(Presets, IntercubeMultisipJoinsPe0OfEveryCube) {  // K-58, K-59
  const Wiring wiring = make_wiring(config_of(WiringPreset::intercube_multisip), machine_of(3, 2, 2, 4));
  EXPECT_THAT(wiring.directions, ElementsAre("N", "S", "E", "W", "global_E", "global_W"));
  ASSERT_EQ(wiring.ranks.size(), 12u);
  for (std::size_t r = 0; r < 12; ++r) {
    EXPECT_EQ(wiring.ranks[r].pe, (PeCoord{SipId(r / 4), CubeId(r % 4), PeId(0)}));
  }
  EXPECT_THAT(links_of(wiring, "sip1.cube0.pe0"),
              ElementsAre("S<>sip1.cube2.pe0.N", "E<>sip1.cube1.pe0.W", "global_E<>sip2.cube0.pe0.global_W",
                          "global_W<>sip0.cube0.pe0.global_E"));
  EXPECT_THAT(links_of(wiring, "sip2.cube3.pe0"),
              ElementsAre("N<>sip2.cube1.pe0.S", "W<>sip2.cube2.pe0.E", "global_E<>sip0.cube3.pe0.global_W",
                          "global_W<>sip1.cube3.pe0.global_E"));
}

TEST(Presets, GlobalLinksFollowTheSipTopology) {  // K-58, K-94, K-95
  contract::MachineInfo machine = machine_of(6, 1, 1, 2);
  machine.sip_topology = SipTopology::mesh_2d_no_wrap;
  machine.sip_w = 3;
  machine.sip_h = 2;
  const CclConfig config = config_of(WiringPreset::intercube_multisip);
  EXPECT_THAT(links_of(make_wiring(config, machine), "sip0.cube0.pe0"),
              ElementsAre("global_S<>sip3.cube0.pe0.global_N", "global_E<>sip1.cube0.pe0.global_W"));
  machine.sip_topology = SipTopology::torus_2d;
  EXPECT_THAT(links_of(make_wiring(config, machine), "sip0.cube0.pe0"),
              ElementsAre("global_N<>sip3.cube0.pe0.global_S", "global_S<>sip3.cube0.pe0.global_N",
                          "global_E<>sip1.cube0.pe0.global_W", "global_W<>sip2.cube0.pe0.global_E"));
  machine.sip_w = machine.sip_h = 0;
  EXPECT_EQ(error_of([&] { make_wiring(config, machine); }, "CONFIGURATION_ERROR"),
            "6 SIPs form no square, so a torus_2d needs its grid (explicit w/h required)");
  EXPECT_THAT(links_of(make_wiring(config, machine_of(1, 1, 1, 2)), "sip0.cube0.pe0"), IsEmpty());
}

TEST(Presets, IntracubeRingGoesAroundTheIndexes) {  // K-90
  const Wiring wiring = make_wiring(config_of(WiringPreset::intracube_ring), machine_of(2, 2, 1, 4));
  EXPECT_EQ(wiring.ranks.size(), 16u);
  EXPECT_THAT(wiring.directions, ElementsAre("E", "W"));
  EXPECT_THAT(links_of(wiring, "sip1.cube1.pe0"), ElementsAre("E<>sip1.cube1.pe1.W", "W<>sip1.cube1.pe3.E"));
}

topology::CclLink link_of(const std::string& from, const std::string& to, const std::string& send,
                          const std::string& receive, bool both = false) {
  return {*topology::parse_pe_pattern(from), *topology::parse_pe_pattern(to), send, receive, both,
          {"ccl.yaml", 3, 5, "", "", ""}};
}

TEST(ListedLinks, AreThoseOfTheListInEveryCube) {  // K-5a
  CclConfig config;
  config.links = {link_of("sip*.cube*.pe0", "sip*.cube*.pe3", "next", "before"),
                  link_of("sip*.cube*.pe3", "sip*.cube*.pe1", "next", "before"),
                  link_of("sip0.cube1.pe0", "sip1.cube0.pe0", "over", "back", true)};
  const Wiring wiring = make_wiring(config, machine_of(2, 2, 1, 4));
  EXPECT_THAT(wiring.directions, ElementsAre("next", "before", "over", "back"));
  EXPECT_EQ(wiring.ranks.size(), 12u);  // PE 2 has no links
  EXPECT_THAT(links_of(wiring, "sip1.cube1.pe0"), ElementsAre("next>sip1.cube1.pe3.before"));
  EXPECT_THAT(links_of(wiring, "sip1.cube1.pe3"), ElementsAre("next>sip1.cube1.pe1.before", "before<"));
  EXPECT_THAT(links_of(wiring, "sip1.cube1.pe1"), ElementsAre("before<"));
  EXPECT_THAT(links_of(wiring, "sip0.cube1.pe0"),
              ElementsAre("next>sip0.cube1.pe3.before", "over<>sip1.cube0.pe0.back"));
  EXPECT_THAT(links_of(wiring, "sip1.cube0.pe0"),
              ElementsAre("next>sip1.cube0.pe3.before", "back<>sip0.cube1.pe0.over"));
}

TEST(ListedLinks, WhatTheMachineDoesNotHaveIsRefused) {  // K-5a
  const auto error = [](const std::vector<topology::CclLink>& links) {
    return error_of([&] { wire_links(links, machine_of(2, 2, 1, 4)); }, "CONFIGURATION_ERROR");
  };
  EXPECT_THAT(error({link_of("sip2.cube0.pe0", "sip0.cube0.pe0", "a", "b")}),
              ::testing::HasSubstr("ccl.yaml:3:5: there is no SIP 2 in this machine (the last one is 1)"));
  EXPECT_THAT(error({link_of("sip*.cube0.pe0", "sip*.cube0.pe4", "a", "b")}),
              ::testing::HasSubstr("there is no PE 4 in this machine (the last one is 3)"));
  EXPECT_THAT(error({link_of("sip*.cube0.pe0", "sip*.cube0.pe0", "a", "b")}),
              ::testing::HasSubstr("sip0.cube0.pe0 is linked to itself"));
  EXPECT_THAT(error({link_of("sip0.cube0.pe0", "sip0.cube0.pe1", "a", "b"),
                     link_of("sip0.cube0.pe0", "sip0.cube0.pe2", "a", "b")}),
              ::testing::HasSubstr("sip0.cube0.pe0 has two links under the label 'a', to sip0.cube0.pe1 and to "
                                   "sip0.cube0.pe2 (give each link of a PE a label of its own)"));
}

TEST(Presets, FlatTakesAllPesOrOnePerSip) {
  const contract::MachineInfo machine = machine_of(2, 2, 1, 2);
  CclConfig config = config_of(WiringPreset::flat, RankTopology::ring_1d);
  Wiring wiring = make_wiring(config, machine);
  EXPECT_EQ(wiring.ranks.size(), 8u);
  EXPECT_THAT(links_of(wiring, "sip0.cube1.pe1"), ElementsAre("E<>sip1.cube0.pe0.W", "W<>sip0.cube1.pe0.E"));
  config.world_size = 2;
  wiring = make_wiring(config, machine);
  EXPECT_THAT(links_of(wiring, "sip1.cube0.pe0"), ElementsAre("E<>sip0.cube0.pe0.W", "W<>sip0.cube0.pe0.E"));
  config.world_size = 3;
  EXPECT_EQ(make_wiring(config, machine).ranks[2].pe, (PeCoord{SipId(0), CubeId(1), PeId(0)}));
  config.world_size = 9;
  EXPECT_EQ(error_of([&] { make_wiring(config, machine); }, "CONFIGURATION_ERROR"),
            "world_size: 9 ranks, but the machine has 8 PEs (write at most 8)");
}

TEST(Presets, FlatGridsAreCheckedAgainstTheRanks) {
  CclConfig config =
      topology::load_ccl_text("algorithms: { lrab_hierarchical_allreduce: { topology: mesh_2d_no_wrap, w: 3, h: 2 } }",
                              "ccl.yaml", {"", "lrab_hierarchical_allreduce", {}, {}});
  const contract::MachineInfo machine = machine_of(2, 2, 1, 2);
  EXPECT_EQ(error_of([&] { make_wiring(config, machine); }, "CONFIGURATION_ERROR"),
            "ccl.yaml:1:76: algorithms.lrab_hierarchical_allreduce.w: a grid of 3 x 2 ranks does not hold 8 ranks (w * "
            "h must equal their number)");
  config.w = 4;
  EXPECT_THAT(links_of(make_wiring(config, machine), "sip0.cube0.pe0"),
              ElementsAre("S<>sip1.cube0.pe0.N", "E<>sip0.cube0.pe1.W"));
}

TEST(Presets, FlatWithoutTopologyNeedsNeighboursOfTheCaller) {
  const contract::MachineInfo machine = machine_of(1, 2, 1, 2);
  const CclConfig config = config_of(WiringPreset::flat);
  EXPECT_THAT(error_of([&] { make_wiring(config, machine); }, "CONFIGURATION_ERROR"),
              ::testing::HasSubstr("the algorithm brings none"));
  const Wiring wiring = make_wiring(config, machine, [](int r) { return NeighbourTable{{"mate", r ^ 1}}; });
  EXPECT_THAT(links_of(wiring, "sip0.cube1.pe1"), ElementsAre("mate<>sip0.cube1.pe0.mate"));
}

TEST(Presets, IntraCubeAddsLinksBetweenAllPesOfACube) {
  CclConfig config = config_of(WiringPreset::intercube_multisip);
  config.intra_cube = IntraCube::mesh;
  const Wiring mesh = make_wiring(config, machine_of(1, 2, 1, 8));
  EXPECT_EQ(mesh.ranks.size(), 16u);
  EXPECT_THAT(links_of(mesh, "sip0.cube1.pe0"),
              ElementsAre("W<>sip0.cube0.pe0.E", "intra_S<>sip0.cube1.pe4.intra_N", "intra_E<>sip0.cube1.pe1.intra_W"));
  EXPECT_THAT(links_of(mesh, "sip0.cube0.pe5"),
              ElementsAre("intra_N<>sip0.cube0.pe1.intra_S", "intra_E<>sip0.cube0.pe6.intra_W",
                          "intra_W<>sip0.cube0.pe4.intra_E"));
  config.intra_cube = IntraCube::ring;
  EXPECT_THAT(links_of(make_wiring(config, machine_of(1, 2, 1, 2)), "sip0.cube0.pe1"),
              ElementsAre("intra_E<>sip0.cube0.pe0.intra_W", "intra_W<>sip0.cube0.pe0.intra_E"));
  config = config_of(WiringPreset::flat);
  config.intra_cube = IntraCube::ring;
  EXPECT_EQ(error_of([&] { make_wiring(config, machine_of(1, 1, 1, 2), [](int) {
                             return NeighbourTable{{"x", 5}};
                           }); },
                     "WIRING_ERROR"),
            "rank 0: 'x' leads to rank 5, but there are 2 ranks (0 to 1)");
}

// Random tables: a link of each pair of ranks under labels that may or may not be opposites.
std::vector<NeighbourTable> any_tables(int ranks) {
  std::vector<NeighbourTable> tables(static_cast<std::size_t>(ranks));
  const std::vector<std::string> labels{"N", "S", "E", "W", "parent", "a", "b"};
  for (int r = 0; r < ranks; ++r) {
    for (const std::string& label : labels) {
      const int to = *rc::gen::inRange(0, ranks);
      if (to != r && *rc::gen::arbitrary<bool>()) tables[static_cast<std::size_t>(r)].push_back({label, to});
    }
  }
  return tables;
}

// Q-75 as a search over all pairs of ends; none when an end is wanted by two others.
std::optional<std::map<std::pair<int, std::string>, std::pair<int, std::string>>> all_pairs(
    const std::vector<NeighbourTable>& tables) {
  std::map<std::pair<int, std::string>, std::pair<int, std::string>> pairs;
  for (int r = 0; r < static_cast<int>(tables.size()); ++r) {
    for (const Neighbour& n : tables[static_cast<std::size_t>(r)]) {
      std::vector<std::string> back;
      for (const Neighbour& m : tables[static_cast<std::size_t>(n.rank)]) {
        if (m.rank != r) continue;
        const std::string both = n.direction + m.direction;
        const bool opposite = both == "NS" || both == "SN" || both == "EW" || both == "WE";
        back.insert(opposite ? back.begin() : back.end(), m.direction);
      }
      if (!back.empty()) pairs[{r, n.direction}] = {n.rank, back.front()};
    }
  }
  for (const auto& [from, to] : pairs) {
    if (pairs.at(to) != from) return std::nullopt;
  }
  return pairs;
}

RC_GTEST_PROP(WireProperty, PairsExactlyAsTheSearchDoesAndBothWays, ()) {
  const int count = *rc::gen::inRange(2, 7);
  const std::vector<NeighbourTable> tables = any_tables(count);
  const auto expected = all_pairs(tables);
  Wiring wiring;
  bool refused = false;
  try {
    wiring = wire(some_pes(count), [&](int r) { return tables[static_cast<std::size_t>(r)]; });
  } catch (const Error& error) {
    RC_ASSERT(error.code() == "WIRING_ERROR");
    refused = true;
  }
  RC_ASSERT(refused == !expected.has_value());
  if (refused) return;
  std::size_t links = 0;
  for (std::size_t r = 0; r < wiring.ranks.size(); ++r) {
    for (std::size_t l = 0; l < wiring.ranks[r].links.size(); ++l, ++links) {
      const WiredLink& link = wiring.ranks[r].links[l];
      const WiredLink& back = wiring.ranks[link.send_to->rank].links[link.send_to->link];
      RC_ASSERT(*back.send_to == (WiredEnd{r, l}));
      const auto& to = expected->at({static_cast<int>(r), wiring.label(link)});
      RC_ASSERT(to == std::make_pair(static_cast<int>(link.send_to->rank), wiring.label(back)));
    }
  }
  RC_ASSERT(links == expected->size());
}

TEST(HopWiring, LeadsToNeighboursPowersOfTwoOrEveryRank) {
  using Labels = std::set<std::string>;
  EXPECT_EQ(hops_of(8, Hops::neighbours), (Labels{"hop+1", "hop-1"}));
  EXPECT_EQ(hops_of(8, Hops::powers_of_two), (Labels{"hop+1", "hop-1", "hop+2", "hop-2", "hop+4", "hop-4"}));
  EXPECT_EQ(hops_of(5, Hops::all),  // by two links
            (Labels{"hop+1", "hop-1", "hop+2", "hop-2", "hop+6", "hop-6", "hop+7", "hop-7"}));
  // 8 of 13 is 5 the other way around.
  EXPECT_EQ(hops_of(13, Hops::powers_of_two),
            (Labels{"hop+1", "hop-1", "hop+2", "hop-2", "hop+4", "hop-4", "hop+5", "hop-5"}));
  EXPECT_EQ(hops_of(24, Hops::all).size(), 48u);
  EXPECT_EQ(hops_of(24, Hops::neighbours), (Labels{"hop+1", "hop-1"}));
  EXPECT_EQ(hops_of(2, Hops::all), (Labels{"hop+1", "hop-1", "hop+3", "hop-3"}));
  EXPECT_THAT(hops_of(1, Hops::all), IsEmpty());
}

}  // namespace
}  // namespace kb::sw
