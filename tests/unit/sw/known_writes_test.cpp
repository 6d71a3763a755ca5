// What of the host's writes is known in data mode off, and what reading makes of it (decision 0047).
#include <gmock/gmock.h>

#include <sstream>

#include "platform/contract/data_mode.h"
#include "sw/distributed/spawn.h"
#include "sw/runtime/runtime.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using testing::any_kernel;
using testing::FakeHost;

class KnownWritesTest : public ::testing::Test {
 protected:
  // Whether the last write was known.
  bool writes(const Tensor& tensor, const HostArray& array) {
    tensor.copy_(array);
    return host.writes.back().known;
  }
  Tensor tensor(Dtype dtype, const Shape& shape = {4, 4}) { return rt.empty(shape, dtype, policy(), "t"); }
  static DPPolicy policy() {
    DPPolicy one;
    one.num_cubes = one.num_pes = 1;
    return one;
  }
  static contract::MachineInfo large_machine() {
    contract::MachineInfo machine = FakeHost::small_machine();
    machine.hbm_slice_bytes = 64 * kMiB;
    return machine;
  }
  FakeHost host{large_machine(), contract::DataMode::off};
  Runtime rt{host, &any_kernel};
  const HostArray ids{Shape{4, 4}, Dtype::i32};
};

TEST_F(KnownWritesTest, IntegersAreKnownAndFloatsAreNot) {
  for (const std::string& name : dtype_names()) {
    const Dtype dtype = *parse_dtype(name);
    EXPECT_EQ(writes(tensor(dtype), HostArray({4, 4}, dtype)), !is_float(dtype)) << name;
    tensor(dtype).fill(1);
    EXPECT_EQ(host.writes.back().known, !is_float(dtype)) << name;
    tensor(dtype).set(1, 2, 3);
    EXPECT_EQ(host.writes.back().known, !is_float(dtype)) << name;
    tensor(dtype).set(Slice{0, 2}, Slice{0, 2}, HostArray({2, 2}, dtype));
    EXPECT_EQ(host.writes.back().known, !is_float(dtype)) << name;
  }
  EXPECT_FALSE(writes(tensor(Dtype::i32), HostArray::unknown({4, 4}, Dtype::i32))) << "the workload says so";
}

TEST_F(KnownWritesTest, NarrowIntegersUpToOneMib) {
  for (const Dtype dtype : {Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64}) {
    const auto item = static_cast<std::int64_t>(item_size(dtype));
    EXPECT_TRUE(writes(tensor(dtype, {1024, 1024 / item}), HostArray({1024, 1024 / item}, dtype)));
    EXPECT_EQ(writes(tensor(dtype, {1025, 1024 / item}), HostArray({1025, 1024 / item}, dtype)), item >= 4);
  }
}

TEST_F(KnownWritesTest, WhatWasReadIsKnownWhenAllOfItIs) {
  const HostArray numbers = HostArray::from_doubles({1, 4}, Dtype::i32, {1, 2, 3, 4});
  const Tensor t = tensor(Dtype::i32, {1, 4});
  t.copy_(numbers);
  EXPECT_EQ(t.to_host().bytes(), numbers.bytes());
  EXPECT_FALSE(t.to_host().placeholder());
  EXPECT_EQ(t.get(0, 2), 3);
  host.known.erase(host.writes.back().pa);  // one byte
  EXPECT_TRUE(t.to_host().placeholder());
  EXPECT_EQ(t.to_host().bytes(), std::vector<std::byte>(16)) << "no element of it is given";
  EXPECT_FALSE(t.get(Slice::one(0), Slice{1, 2}).placeholder());
}

// A program that has seen unknown contents may write what it made of them.
TEST_F(KnownWritesTest, ReadingUnknownContentsTaintsWhatIsWrittenAfterwards) {
  const Tensor x = tensor(Dtype::f16);
  x.copy_(HostArray({4, 4}, Dtype::f16));
  const Tensor t = tensor(Dtype::i32);
  EXPECT_TRUE(writes(t, ids));
  t.to_host();
  EXPECT_TRUE(writes(t, ids)) << "known contents were read";
  std::ostringstream text;
  text << x;
  tensor(Dtype::f16).copy_(x);
  EXPECT_TRUE(writes(t, ids)) << "a placeholder was printed, and copied";
  x.get(0, 0);
  EXPECT_FALSE(writes(t, ids));
  t.fill(1);
  EXPECT_FALSE(host.writes.back().known);
  rt.assume_independent_writes();
  EXPECT_TRUE(writes(t, ids));
  x.to_host();
  EXPECT_FALSE(writes(t, ids));
}

// Ranks share one address space: what one has read another may write.
TEST_F(KnownWritesTest, AnotherRanksReadsTaintToo) {
  std::vector<bool> known;
  spawn(rt, 2, [&](int rank) {
    rt.set_device(rank);
    const Tensor x = tensor(Dtype::f16), t = tensor(Dtype::i32);
    if (rank == 0) x.to_host();
    if (rank == 1) t.to_host();  // waits, so that rank 0 has read; unknown, too: nobody wrote it
    known.push_back(writes(t, ids));
    rt.assume_independent_writes();
    known.push_back(writes(t, ids));
  });
  EXPECT_EQ(known, (std::vector<bool>{false, true, false, true}));
  EXPECT_FALSE(writes(tensor(Dtype::i32), ids)) << "what a rank said is its own";
  rt.assume_independent_writes();
  EXPECT_TRUE(writes(tensor(Dtype::i32), ids));
}

TEST_F(KnownWritesTest, TheHostCopiesKnownTensors) {
  const Tensor t = tensor(Dtype::i32), copy = tensor(Dtype::i32), lost = tensor(Dtype::i32);
  t.copy_(ids);
  copy.copy_(t);
  EXPECT_TRUE(host.writes.back().known);
  t.copy_(lost);
  EXPECT_FALSE(host.writes.back().known);
  EXPECT_TRUE(t.to_host().placeholder());
}

}  // namespace
}  // namespace kb::sw
