// Tensors in SRAM and TCM on the host's side: allocation, copies that are one, writes, mappings (decision 0032).
#include <gmock/gmock.h>

#include "kernels/tl/shard_map.h"
#include "platform/address/phys_addr.h"
#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"
#include "sw/runtime/mapping_plan.h"
#include "sw/runtime/runtime.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using address::PhysAddr;
using testing::any_kernel;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

contract::MachineInfo machine(AddressModel model = AddressModel::pa) {  // 4 cubes of 2 PEs
  contract::MachineInfo info = FakeHost::small_machine();
  info.sram_bytes = 64 * kKiB;
  info.tcm_bytes = 1024 * kKiB;
  info.scratch_bytes = 512 * kKiB;
  info.tcm_reserved_bytes = 256 * kKiB;
  info.address_model = model;
  return info;
}

DPPolicy spread(Split cube, Split pe) {
  DPPolicy policy;
  policy.cube = cube;
  policy.pe = pe;
  return policy;
}

class MemoryKinds : public ::testing::Test {
 protected:
  FakeHost host{machine()};
  Runtime rt{host, &any_kernel};
  const PeCoord first{SipId(0), CubeId(0), PeId(0)};
};

TEST_F(MemoryKinds, ATcmTensorLiesInTheTcmOfEachPe) {
  const Tensor t = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "t", MemoryKind::tcm);
  EXPECT_EQ(t.layout().memory, MemoryKind::tcm);
  EXPECT_EQ(t.policy().memory, MemoryKind::tcm);
  for (const contract::Shard& shard : t.layout().shards) {
    const PhysAddr at = PhysAddr::decode(shard.pa);
    ASSERT_TRUE(at.is_tcm());
    EXPECT_EQ((PeCoord{at.sip(), at.cube(), at.pe()}), shard.owner);
  }
  EXPECT_EQ(rt.free_bytes(first, MemoryKind::tcm), 256 * kKiB - 64);
  EXPECT_EQ(rt.free_bytes(first), 64 * kKiB);
}

TEST_F(MemoryKinds, CopiesInTheSramOfACubeAreOne) {
  const Tensor t = rt.empty({1, 1024}, Dtype::i8, DPPolicy().in(MemoryKind::sram));  // a copy for every PE
  const std::vector<contract::Shard>& shards = t.layout().shards;
  ASSERT_EQ(shards.size(), 8u);
  for (std::size_t i = 0; i < 8; i += 2) {
    EXPECT_TRUE(PhysAddr::decode(shards[i].pa).is_sram());
    EXPECT_EQ(shards[i].pa, shards[i + 1].pa);
    EXPECT_EQ(rt.free_bytes(shards[i].owner, MemoryKind::sram), 63 * kKiB);
  }
  t.fill(3);
  EXPECT_EQ(host.writes.size(), 4u);  // one per cube
  host.writes.clear();
  t.set(Slice::one(0), Slice{0, 10}, 5);
  EXPECT_EQ(host.writes.size(), 4u);
  host.writes.clear();
  rt.close();
  EXPECT_TRUE(rt.memory_pristine());
}

TEST_F(MemoryKinds, PartsOfACubeLieBesideEachOtherInItsSram) {
  const Tensor t = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::row_wise), "t", MemoryKind::sram);
  EXPECT_EQ(t.layout().shards[1].pa, t.layout().shards[0].pa + 64);
  EXPECT_EQ(rt.free_bytes(first, MemoryKind::sram), 64 * kKiB - 128);
}

TEST_F(MemoryKinds, EachTensorMayLieElsewhere) {
  for (const MemoryKind kind : {MemoryKind::tcm, MemoryKind::sram, MemoryKind::hbm}) {
    const Tensor t = rt.full({8, 64}, 2.0, Dtype::f16, spread(Split::row_wise, Split::replicate), "", kind);
    EXPECT_EQ(t.to_host().at(7, 63), 2.0) << name_of(kind);
  }
}

TEST_F(MemoryKinds, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(
      error_of(
          [&] {
            rt.empty({1, 300 * 1024}, Dtype::i8, {}, "w", MemoryKind::tcm);
          },
          "ALLOCATION_ERROR"),
      "tensor 'w': its shard at sip0.cube0.pe0 needs 300 KiB, but its TCM of 1 MiB, of which kernel scratch takes "
      "512 KiB and the scheduler 256 KiB, has 256 KiB free, 256 KiB of it in one piece; make the tensor smaller, "
      "split it over more PEs, put it into sram or hbm, or change cube.memory_map.tcm_size_mb or "
      "tcm_kernel_scratch_bytes");
  EXPECT_EQ(error_of(
                [&] {
                  rt.empty({2, 40 * 1024}, Dtype::i8, spread(Split::replicate, Split::row_wise), "w", MemoryKind::sram);
                },
                "ALLOCATION_ERROR"),
            "tensor 'w': its shard at sip0.cube0.pe1 needs 40 KiB, but the SRAM of sip0.cube0, 64 KiB shared by its "
            "PEs, has 24 KiB free, 24 KiB of it in one piece; make the tensor smaller, split it over more cubes, drop "
            "tensors first or put some into hbm");
  rt.close();
  EXPECT_TRUE(rt.memory_pristine());
}

TEST_F(MemoryKinds, RingsAndTensorsShareATcm) {
  const MemoryReservation rings = rt.memory().reserve(MemoryKind::tcm, {{first, 200 * kKiB}});
  EXPECT_THAT(error_of(
                  [&] {
                    rt.empty({1, 100 * 1024}, Dtype::i8, {}, "w", MemoryKind::tcm);
                  },
                  "ALLOCATION_ERROR"),
              HasSubstr("56 KiB free"));
}

// Every PE of a cube sees the one copy there, by one message for its cube.
TEST(MemoryKindsMapping, CopiesInSramAreMappedPerCube) {
  FakeHost host{machine(AddressModel::va)};
  Runtime rt{host, &any_kernel};
  const Tensor t = rt.empty({8, 64}, Dtype::i8, DPPolicy().in(MemoryKind::sram));
  ASSERT_EQ(host.maps.size(), 4u);
  for (const contract::MapRequest& map : host.maps) {
    ASSERT_EQ(map.cubes.size(), 1u);
    EXPECT_EQ(map.pes.size(), 2u);
    ASSERT_EQ(map.entries.size(), 1u);
    EXPECT_EQ(map.entries[0].pa, t.layout().shards[2 * map.cubes[0].value].pa);
  }
  host.maps.clear();
  const Tensor parts = rt.empty({8, 64}, Dtype::i8, spread(Split::row_wise, Split::replicate).in(MemoryKind::sram));
  ASSERT_EQ(host.maps.size(), 1u);  // no copies are left: one message for the SIP
  EXPECT_EQ(host.maps[0].entries.size(), 4u);
}

TEST_F(MemoryKinds, ShardsOfUnevenTensorsHaveTheirShape) {
  const Tensor t = rt.empty({3, 5, 2}, Dtype::i8, spread(Split::row_wise, Split::column_wise), "t");
  const contract::TensorLayout& layout = t.layout();
  ASSERT_EQ(layout.shards.size(), 6u);  // of cube 3 nothing
  for (const contract::Shard& shard : layout.shards) EXPECT_EQ(layout.shape_of(shard), (Shape{1, 5, 1}));
  const Tensor u = rt.empty({3, 3}, Dtype::i8, spread(Split::replicate, Split::column_wise), "u");
  EXPECT_EQ(u.layout().shape_of(u.layout().shards[0]), (Shape{3, 2}));
  EXPECT_EQ(u.layout().shape_of(u.layout().shards[1]), (Shape{3, 1}));
  EXPECT_THAT(error_of([&] { t.get(0, 0); }, "SHAPE_ERROR"), HasSubstr("tensor 't' is (3, 5, 2): use to_host"));
}

}  // namespace
}  // namespace kb::sw
