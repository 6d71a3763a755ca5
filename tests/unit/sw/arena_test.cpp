// Tensors that a program places itself (H-53a).
#include "sw/runtime/arena.h"

#include <gmock/gmock.h>

#include "platform/address/phys_addr.h"
#include "platform/contract/tensor_layout.h"
#include "sw/runtime/runtime.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using testing::any_kernel;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

DPPolicy columns() {
  DPPolicy policy;
  policy.cube = policy.pe = Split::column_wise;
  return policy;
}

class ArenaTest : public ::testing::Test {
 protected:
  FakeHost host;
  Runtime rt{host, &any_kernel};
  std::uint64_t offset_in_slice(const contract::Shard& shard) const {
    return address::PhysAddr::decode(shard.pa).hbm_offset() % rt.machine().hbm_slice_bytes;
  }
};

TEST_F(ArenaTest, EveryShardLiesAtTheOffsetInItsSlice_H53a) {
  const auto arena = rt.arena(32 << 10);
  const Tensor a = rt.empty_in(arena, 4096, {4, 1024}, Dtype::f16, columns(), "a");
  ASSERT_EQ(a.layout().shards.size(), static_cast<std::size_t>(rt.machine().cubes_per_sip * rt.machine().pes_per_cube));
  const std::uint64_t base = offset_in_slice(a.layout().shards.front()) - 4096;
  for (const contract::Shard& shard : a.layout().shards) EXPECT_EQ(offset_in_slice(shard), base + 4096);
}

TEST_F(ArenaTest, TensorsMayShareBytes_H53a) {
  const auto arena = rt.arena(32 << 10);
  const Tensor a = rt.empty_in(arena, 0, {4, 1024}, Dtype::f16, columns(), "a");
  const Tensor b = rt.empty_in(arena, 0, {4, 1024}, Dtype::f16, columns(), "b");
  EXPECT_EQ(a.layout().shards.front().pa, b.layout().shards.front().pa);
}

TEST_F(ArenaTest, TheMemoryIsFreeAgainWithItsLastTensor_H53a) {
  {
    auto arena = rt.arena(32 << 10);
    const Tensor a = rt.empty_in(arena, 0, {4, 1024}, Dtype::f16, columns(), "a");
    arena.reset();
    const Tensor own = rt.empty({4, 1024}, Dtype::f16, columns(), "own");
    EXPECT_GE(offset_in_slice(own.layout().shards.front()), std::uint64_t{32} << 10);
  }
  rt.wait_all();
  rt.empty({1, 1}, Dtype::f16);
  rt.close();
  EXPECT_TRUE(rt.memory_pristine());
}

TEST_F(ArenaTest, WhatDoesNotFitIsAnErrorWithSizes_H53a) {
  EXPECT_THAT(error_of([&] { rt.arena(rt.machine().hbm_slice_bytes + 1); }, "ALLOCATION_ERROR"),
              HasSubstr("does not fit"));
  const auto arena = rt.arena(4096);
  EXPECT_THAT(error_of(
                  [&] {
                    rt.empty_in(arena, 4096, {4, 1024}, Dtype::f16, columns(), "a");
                  },
                  "ALLOCATION_ERROR"),
              HasSubstr("tensor 'a' takes bytes 4096"));
}

TEST_F(ArenaTest, TensorsInTheWayOfEqualOffsetsAreAnError_H53a) {
  DPPolicy one;
  one.num_cubes = one.num_pes = 1;
  const Tensor own = rt.empty({4, 1024}, Dtype::f16, one, "own");
  EXPECT_THAT(error_of([&] { rt.arena(4096); }, "ALLOCATION_ERROR"), HasSubstr("make the arena first"));
}

}  // namespace
}  // namespace kb::sw
