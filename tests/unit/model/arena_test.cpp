#include "platform/model/arena.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "platform/base/units.h"
#include "platform/topology/topology.h"

namespace kb::model {
namespace {

using address::ChannelHash;

struct RandomArena {
  ArenaGeometry geometry;
  std::vector<ArenaTensor> tensors;
};

// Layers of one or two kinds with up to ten tensors each, and a few tensors outside them.
RandomArena random_arena(ChannelHash hash) {
  RandomArena made;
  ArenaGeometry& geometry = made.geometry;
  geometry.hash = hash;
  geometry.channels =
      hash == ChannelHash::none ? *rc::gen::element(1u, 3u, 6u, 8u) : *rc::gen::element(2u, 4u, 8u, 16u);
  geometry.burst_bytes = *rc::gen::element(64u, 256u, 512u);
  geometry.pes_per_cube = *rc::gen::inRange(1, 9);
  geometry.pes = geometry.pes_per_cube * *rc::gen::inRange(1, 5);
  geometry.slice_bytes = *rc::gen::element<std::uint64_t>(1, 3, 6, 5) * kGiB;
  const auto part = [&] { return geometry.part_of(*rc::gen::inRange<std::uint64_t>(1, 40'000'000)); };
  const int layers = *rc::gen::inRange(1, 25), kinds = *rc::gen::inRange(1, 3);
  std::vector<std::vector<std::uint64_t>> parts(static_cast<std::size_t>(kinds));
  for (std::vector<std::uint64_t>& list : parts) {
    list.resize(static_cast<std::size_t>(*rc::gen::inRange(1, 11)));
    for (std::uint64_t& one : list) one = part();
  }
  for (int layer = 0; layer < layers; ++layer) {
    const std::vector<std::uint64_t>& list = parts[layer < 3 ? 0 : parts.size() - 1];
    for (std::size_t i = 0; i < list.size(); ++i) made.tensors.push_back({"t" + std::to_string(i), layer, list[i]});
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) made.tensors.push_back({"outer", -1, part()});
  return made;
}

// M-33
void check_places(const RandomArena& arena, const ArenaPlan& plan) {
  RC_ASSERT(plan.offsets.size() == arena.tensors.size());
  std::map<std::uint64_t, std::uint64_t> taken;  // begin -> end
  for (std::size_t i = 0; i < plan.offsets.size(); ++i) {
    RC_ASSERT(plan.offsets[i] % arena.geometry.period() == 0u);
    RC_ASSERT(plan.offsets[i] + arena.tensors[i].part <= plan.end);
    RC_ASSERT(taken.emplace(plan.offsets[i], plan.offsets[i] + arena.tensors[i].part).second);
  }
  std::uint64_t end = 0;
  for (const auto& [begin, behind] : taken) {
    RC_ASSERT(begin >= end);
    end = behind;
  }
}

// M-34, by the rule of the controllers: byte o of equal tensors of two layers lies on the same channel, in every slice.
void check_channels(const RandomArena& arena, const ArenaPlan& plan) {
  const ArenaGeometry& geometry = arena.geometry;
  const address::ChannelStripe stripe(geometry.burst_bytes, geometry.channels, geometry.hash);
  std::map<std::string, std::size_t> first;  // tensor by role and the tensors of its layer
  std::map<std::int64_t, std::string> kind;
  for (const ArenaTensor& one : arena.tensors) kind[one.layer] += one.role + std::to_string(one.part) + " ";
  for (std::size_t i = 0; i < arena.tensors.size(); ++i) {
    const ArenaTensor& one = arena.tensors[i];
    if (one.layer < 0) continue;
    const std::size_t other = first.emplace(one.role + "/" + kind[one.layer], i).first->second;
    for (int sample = 0; sample < 20; ++sample) {
      const std::uint64_t offset = *rc::gen::inRange<std::uint64_t>(0, one.part);
      const std::uint64_t slice = *rc::gen::inRange<std::uint64_t>(0, geometry.pes_per_cube) * geometry.slice_bytes;
      RC_ASSERT(stripe.channel_of(slice + plan.offsets[i] + offset) ==
                stripe.channel_of(slice + plan.offsets[other] + offset));
    }
  }
}

RC_GTEST_PROP(Arena, WithoutAHashLayersAreOneClass, ()) {
  const RandomArena arena = random_arena(ChannelHash::none);
  const ArenaPlan plan = plan_arena(arena.tensors, arena.geometry);
  check_places(arena, plan);
  RC_ASSERT(plan.classes == 1);
  check_channels(arena, plan);
}

RC_GTEST_PROP(Arena, WithAHashLayersOfOneClassMeetTheSameChannels, ()) {
  const RandomArena arena = random_arena(ChannelHash::folded);
  const ArenaPlan plan = plan_arena(arena.tensors, arena.geometry);
  check_places(arena, plan);
  if (plan.classes == 1) check_channels(arena, plan);
}

// Otherwise the property above could hold because no plan has one class.
TEST(Arena, TheHashedMachineHasOneClass_M34) {
  ArenaGeometry geometry;
  geometry.pes = 128;
  geometry.pes_per_cube = 8;
  geometry.slice_bytes = 6 * kGiB;
  geometry.hash = ChannelHash::folded;
  std::vector<ArenaTensor> tensors;
  for (std::int64_t layer = 0; layer < 80; ++layer) {
    for (const std::uint64_t bytes : {20'971'520u, 16'777'216u, 58'720'256u, 58'720'256u, 58'720'256u, 8'388'608u}) {
      tensors.push_back({"t" + std::to_string(tensors.size() % 6), layer, geometry.part_of(bytes)});
    }
  }
  const ArenaPlan plan = plan_arena(tensors, geometry);
  EXPECT_EQ(plan.classes, 1);
  EXPECT_LT(plan.end, 1 * kGiB);
  const address::ChannelStripe stripe(256, 8, ChannelHash::folded);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (std::uint64_t slice = 0; slice < 8; ++slice) {
      EXPECT_EQ(stripe.channel_of(slice * geometry.slice_bytes + plan.offsets[i] + 1000),
                stripe.channel_of(slice * geometry.slice_bytes + plan.offsets[i % 6] + 1000));
    }
  }
  bool differ = false;  // the same tensors one behind the other are not one class
  std::uint64_t at = 0;
  for (std::int64_t layer = 0; layer < 80; ++layer) {
    differ = differ || stripe.channel_of(at) != stripe.channel_of(0);
    for (std::size_t i = 0; i < 6; ++i) at += tensors[i].part;
  }
  EXPECT_TRUE(differ);
}

TEST(Arena, WhereTheClassCostsTooMuchTensorsArePacked_M34) {
  ArenaGeometry geometry;
  geometry.slice_bytes = 100 * kMiB;
  geometry.hash = ChannelHash::folded;
  std::vector<ArenaTensor> tensors;
  for (std::int64_t layer = 0; layer < 9; ++layer) tensors.push_back({"t", layer, 10 * kMiB});
  const ArenaPlan plan = plan_arena(tensors, geometry);
  EXPECT_EQ(plan.end, 90 * kMiB);
  EXPECT_EQ(plan.classes, 9);
}

TEST(Arena, TheGeometryIsThatOfTheMachine_M33) {
  const auto geometry = [](const char* file) {
    return arena_geometry(topology::load(std::string(KB_CONFIG_DIR) + "/" + file).graph.spec);
  };
  const ArenaGeometry reference = geometry("reference.yaml"), hashed = geometry("hbm3.yaml");
  EXPECT_EQ(reference.pes, 128);
  EXPECT_EQ(reference.pes_per_cube, 8);
  EXPECT_EQ(reference.slice_bytes, 6 * kGiB);
  EXPECT_EQ(reference.period(), 2048u);
  EXPECT_EQ(reference.hash, ChannelHash::none);
  EXPECT_EQ(hashed.hash, ChannelHash::folded);
  EXPECT_EQ(reference.part_of(1), 2048u);
  EXPECT_EQ(reference.part_of(128 * 2048), 2048u);
  EXPECT_EQ(reference.part_of(128 * 2048 + 1), 4096u);
}

}  // namespace
}  // namespace kb::model
