// Virtual addresses on the host's side: which PE sees what, and the life of a tensor (A-50, A-51, A-61, A-66 .. A-69).
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/tl/shard_map.h"
#include "platform/address/address_space.h"
#include "platform/address/allocator.h"
#include "platform/address/page_table.h"
#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"
#include "sw/runtime/mapping_plan.h"
#include "sw/runtime/runtime.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using contract::MapRequest;
using testing::any_kernel;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

constexpr std::uint64_t kTag = address::encode(address::AddressSpace::va, 0);

contract::MachineInfo virtual_machine() {
  contract::MachineInfo machine = FakeHost::small_machine();
  machine.address_model = AddressModel::va;
  return machine;
}

DPPolicy spread(Split cube, Split pe, std::optional<int> cubes = std::nullopt, std::optional<int> pes = std::nullopt) {
  DPPolicy policy;
  policy.cube = cube;
  policy.pe = pe;
  policy.num_cubes = cubes;
  policy.num_pes = pes;
  return policy;
}

class MappingTest : public ::testing::Test {
 protected:
  FakeHost host{virtual_machine()};
  Runtime rt{host, &any_kernel};

  std::vector<std::string> log() const {
    std::vector<std::string> names;
    for (const FakeHost::Submitted& s : host.log) names.push_back(s.what);
    return names;
  }
};

TEST_F(MappingTest, AShardedTensorIsOneMessageToAllPes) {
  const Tensor t = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise));
  ASSERT_EQ(host.maps.size(), 1u);
  const MapRequest& map = host.maps[0];
  EXPECT_TRUE(map.cubes.empty());
  EXPECT_TRUE(map.pes.empty());
  EXPECT_EQ(map.page_size, 4096u);
  EXPECT_EQ(*t.layout().va_base, kTag + 0x1'0000'0000);
  ASSERT_EQ(map.entries.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    const contract::Shard& shard = t.layout().shards[i];
    EXPECT_EQ(map.entries[i].va, 0x1'0000'0000 + shard.offset_bytes);
    EXPECT_EQ(map.entries[i].pa, shard.pa);
    EXPECT_EQ(map.entries[i].nbytes, 64u);
  }
}

TEST_F(MappingTest, ReplicasAreMappedWhereTheyLie) {
  const Tensor per_cube = rt.empty({8, 64}, Dtype::i8, spread(Split::replicate, Split::row_wise));
  EXPECT_EQ(host.maps.size(), 4u);
  host.maps.clear();
  const Tensor per_pe = rt.empty({8, 64}, Dtype::i8);
  EXPECT_EQ(host.maps.size(), 8u);
  host.maps.clear();
  const Tensor one_copy = rt.empty({8, 64}, Dtype::i8, spread(Split::replicate, Split::replicate, 1, 1));
  ASSERT_EQ(host.maps.size(), 1u);
  EXPECT_THAT(host.maps[0].cubes, ElementsAre(CubeId(0)));  // and all PEs of that cube
  EXPECT_EQ(host.maps[0].pes.size(), 2u);
}

struct View {
  std::map<PeCoord, address::PageTable> tables;

  void apply(const MapRequest& request, const contract::MachineInfo& machine) {
    std::vector<address::Region> regions;
    for (const MapRequest::Entry& entry : request.entries) regions.push_back({entry.va, entry.pa, entry.nbytes});
    const auto list = address::RegionList::make(std::move(regions));
    for (std::uint32_t cube = 0; cube < static_cast<std::uint32_t>(machine.cubes_per_sip); ++cube) {
      if (!request.cubes.empty() && std::count(request.cubes.begin(), request.cubes.end(), CubeId(cube)) == 0) continue;
      for (std::uint32_t pe = 0; pe < static_cast<std::uint32_t>(machine.pes_per_cube); ++pe) {
        if (!request.pes.empty() && std::count(request.pes.begin(), request.pes.end(), PeId(pe)) == 0) continue;
        address::PageTable& table =
            tables.emplace(PeCoord{request.sip, CubeId(cube), PeId(pe)}, address::PageTable(4096)).first->second;
        if (request.unmap) {
          table.unmap(address::VirtAddr(list->begin()), list->end() - list->begin());
        } else {
          table.map(list);
        }
      }
    }
  }
};

// Every PE sees what tl would choose from the shards under physical addresses, in the cubes where the tensor is
// visible, and nothing elsewhere; afterwards nothing is left.
RC_GTEST_PROP(MappingProperty, EveryPeSeesWhatItWouldUnderPhysicalAddresses, ()) {
  const contract::MachineInfo machine = virtual_machine();
  const auto split = [] { return *rc::gen::element(Split::replicate, Split::row_wise, Split::column_wise); };
  const DPPolicy policy = spread(split(), split(), *rc::gen::element(1, 2, 4), *rc::gen::element(1, 2));
  FakeHost host(machine);
  Runtime rt(host, &any_kernel);
  Tensor tensor = rt.empty({16, 64}, Dtype::i8, policy);
  const contract::TensorLayout& layout = tensor.layout();
  View view;
  for (const MapRequest& request : host.maps) view.apply(request, machine);

  for (std::uint32_t cube = 0; cube < 4; ++cube) {
    const bool visible = policy.cube != Split::replicate || static_cast<int>(cube) < *policy.num_cubes;
    for (std::uint32_t pe = 0; pe < 2; ++pe) {
      const PeCoord at{SipId(0), CubeId(cube), PeId(pe)};
      std::vector<Extent> expected, found;
      RC_ASSERT(tl::ShardMap(layout, at).append(100, 700, expected));
      const auto table = view.tables.find(at);
      if (!visible) {
        RC_ASSERT(table == view.tables.end());
        continue;
      }
      const address::VirtAddr va(address::value_of(*layout.va_base) + 100);
      RC_ASSERT(table != view.tables.end() && !table->second.translate(va, 700, found));
      RC_ASSERT(found == expected);
    }
  }
  host.maps.clear();
  tensor = Tensor();
  rt.close();
  RC_ASSERT(host.maps.size() == 1u && host.maps[0].unmap);
  view.apply(host.maps[0], machine);
  for (const auto& [at, table] : view.tables) RC_ASSERT(table.empty());
}

TEST_F(MappingTest, ALaunchWaitsForTheMapsOfItsArguments) {
  host.times.map = 70_ns;
  const Tensor t = rt.zeros({8, 64}, Dtype::i8);
  EXPECT_EQ(host.now(), 0_fs);  // K-32
  rt.launch("k", {{"a", t}});
  EXPECT_EQ(host.now(), host.times.map);
}

TEST_F(MappingTest, AFailedMapIsTheLaunchsError) {
  host.fail = [](const std::string& what) { return what == "map" ? "BROKEN" : ""; };
  const Tensor t = rt.empty({8, 64}, Dtype::f16, {}, "weights");
  EXPECT_THAT(error_of(
                  [&] {
                    rt.launch("k", {{"a", t}});
                  },
                  "BROKEN"),
              HasSubstr("mapping of tensor 'weights' f16 (8, 64)"));
}

TEST_F(MappingTest, TheLastHandleUnmapsAndTheRangeIsUsedAgain) {  // whole pages
  Tensor a = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "a");
  Tensor b = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "b");
  EXPECT_EQ(*b.layout().va_base - *a.layout().va_base, 4096u);
  const std::uint64_t va = *a.layout().va_base;
  const std::uint64_t pa = a.layout().shards[0].pa;
  a = Tensor();
  const Tensor c = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "c");
  EXPECT_THAT(log(), ElementsAre("map", "map", "unmap", "map"));  // the unmap goes before the next map
  EXPECT_EQ(host.maps[2].tensor->name, "a");
  EXPECT_EQ(*c.layout().va_base, va);
  EXPECT_EQ(c.layout().shards[0].pa, pa);
}

TEST_F(MappingTest, AMappingInUseStaysUntilTheKernelHasEnded) {
  Tensor a = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "a");
  const std::uint64_t va = *a.layout().va_base;
  rt.launch("k", {{"a", a}});
  a = Tensor();
  const Tensor b = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "b");
  EXPECT_NE(*b.layout().va_base, va);
  EXPECT_EQ(std::count_if(host.maps.begin(), host.maps.end(), [](const MapRequest& m) { return m.unmap; }), 0);
  rt.wait_all();
  EXPECT_TRUE(host.maps.back().unmap);
}

TEST_F(MappingTest, CloseUnmapsInCreationOrder) {
  const Tensor a = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "a");
  const Tensor b = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "b");
  EXPECT_FALSE(rt.memory_pristine());
  rt.close();
  EXPECT_TRUE(rt.memory_pristine());
  EXPECT_THAT(log(), ElementsAre("map", "map", "unmap", "unmap"));
  EXPECT_EQ(host.maps[2].tensor->name, "a");
}

TEST_F(MappingTest, ALaunchOnAnotherSipMapsShardedArgumentsThere) {
  const Tensor sharded = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "sharded");
  const Tensor copies = rt.empty({8, 64}, Dtype::i8, spread(Split::replicate, Split::row_wise), "copies");
  LaunchOptions options;
  options.sips = {1};
  options.cubes = {0};
  host.maps.clear();
  for (int i = 0; i < 2; ++i) rt.launch("k", {{"a", sharded}, {"b", copies}}, options);
  ASSERT_EQ(host.maps.size(), 1u);  // once, and replicas stay where they are
  EXPECT_EQ(host.maps[0].tensor->name, "sharded");
  EXPECT_EQ(host.maps[0].sip, SipId(1));
  rt.wait_all();
  host.maps.clear();
  rt.close();
  std::multiset<std::uint32_t> sips;
  for (const MapRequest& unmap : host.maps) sips.insert(unmap.sip.value);
  EXPECT_THAT(sips, ElementsAre(0, 0, 1));
}

TEST_F(MappingTest, ATooLargeTensorLeavesNothingBehind) {
  error_of(
      [&] {
        rt.empty({8, 1 << 20}, Dtype::f32, spread(Split::row_wise, Split::row_wise), "big");
      },
      "ALLOCATION_ERROR");
  EXPECT_TRUE(rt.memory_pristine());
  EXPECT_TRUE(host.maps.empty());
}

TEST_F(MappingTest, WithoutVirtualRangeThePhysicalMemoryIsReturned) {
  contract::MachineInfo machine = virtual_machine();
  machine.page_size = std::uint64_t{1} << 36;  // one page
  FakeHost narrow(machine);
  Runtime runtime(narrow, &any_kernel);
  const Tensor first = runtime.empty({8, 64}, Dtype::f16, {}, "first");
  const std::string text = error_of([&] { runtime.empty({8, 64}, Dtype::f16, {}, "second"); }, "VA_ALLOCATION_ERROR");
  EXPECT_THAT(text, HasSubstr("tensor 'second' f16 (8, 64)"));
  EXPECT_THAT(text, HasSubstr("virtual address space"));
  runtime.close();
  EXPECT_TRUE(runtime.memory_pristine());
}

contract::MachineInfo logical_machine() {
  contract::MachineInfo machine = FakeHost::small_machine();
  machine.address_model = AddressModel::la;
  return machine;
}

// A-73, section 11 row 12: one segment per shard at identical offsets for every PE, in the range of logical addresses.
TEST(LogicalMappingTest, ATensorIsOneSegmentPerShard) {
  FakeHost host(logical_machine());
  Runtime rt(host, &any_kernel);
  Tensor a = rt.empty({8, 65}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "a");
  const Tensor b = rt.empty({8, 64}, Dtype::i8, spread(Split::replicate, Split::row_wise), "b");
  EXPECT_EQ(*a.layout().va_base, address::encode(address::AddressSpace::la, 0x1'0000'0000));
  EXPECT_EQ(*b.layout().va_base, *a.layout().va_base + 3 * 256);  // in units of the HBM alignment
  ASSERT_EQ(host.maps.size(), 5u);
  EXPECT_TRUE(host.maps[0].cubes.empty());
  ASSERT_EQ(host.maps[0].entries.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(host.maps[0].entries[i].va, 0x1'0000'0000 + a.layout().shards[i].offset_bytes);
    EXPECT_EQ(host.maps[0].entries[i].pa, a.layout().shards[i].pa);
  }
  const std::uint64_t la = *a.layout().va_base;
  a = Tensor();
  EXPECT_EQ(*rt.empty({8, 65}, Dtype::i8, {}, "c").layout().va_base, la);  // returned with the last handle
  rt.close();
  EXPECT_TRUE(rt.memory_pristine());
}

TEST(LogicalMappingTest, WithoutLogicalRangeThePhysicalMemoryIsReturned) {
  contract::MachineInfo machine = logical_machine();
  machine.pes_per_cube = 1;
  machine.hbm_alignment = address::kLeastAddressRange;  // one unit
  machine.hbm_slice_bytes = 2 * address::kLeastAddressRange;
  FakeHost narrow(machine);
  Runtime rt(narrow, &any_kernel);
  const Tensor first = rt.empty({8, 64}, Dtype::f16, {}, "first");
  const std::string text = error_of([&] { rt.empty({8, 64}, Dtype::f16, {}, "second"); }, "LA_ALLOCATION_ERROR");
  EXPECT_THAT(text, HasSubstr("tensor 'second' f16 (8, 64)"));
  EXPECT_THAT(text, HasSubstr("logical address space"));
  rt.close();
  EXPECT_TRUE(rt.memory_pristine());
}

TEST(PhysicalMappingTest, PhysicalTensorsSendNothing) {
  FakeHost host;
  Runtime rt(host, &any_kernel);
  const Tensor t = rt.empty({8, 64}, Dtype::i8);
  EXPECT_FALSE(t.layout().va_base.has_value());
  rt.close();
  EXPECT_TRUE(host.log.empty());
}

}  // namespace
}  // namespace kb::sw
