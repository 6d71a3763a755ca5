#include <gmock/gmock.h>

#include <optional>
#include <utility>

#include "platform/contract/tensor_layout.h"
#include "sw/runtime/device.h"
#include "sw/runtime/runtime.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using testing::any_kernel;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

const PeCoord kFirst{SipId(0), CubeId(0), PeId(0)};

DPPolicy one_pe() {
  DPPolicy p;
  p.num_cubes = p.num_pes = 1;
  return p;
}

class MemoryLifeTest : public ::testing::Test {
 protected:
  FakeHost host;
  Runtime rt{host, &any_kernel};
};

TEST_F(MemoryLifeTest, LastHandleReturnsTheMemory) {
  const std::uint64_t all = rt.free_bytes(kFirst);
  EXPECT_EQ(all, 64 * kKiB);
  Tensor t = rt.empty({1, 1024}, Dtype::f16, one_pe());
  Tensor copy = t;
  t = Tensor();
  rt.empty({1, 1}, Dtype::i8, one_pe());
  EXPECT_LE(rt.free_bytes(kFirst), all - 2048);  // `copy` still holds it
  copy = Tensor();
  const Tensor next = rt.empty({1, 1024}, Dtype::f16, one_pe());
  EXPECT_EQ(rt.free_bytes(kFirst), all - 2048);
}

TEST_F(MemoryLifeTest, ReleasedAddressesRepeat) {  // deploy, clean-up, deploy
  std::vector<std::uint64_t> first;
  for (int round = 0; round < 2; ++round) {
    const Tensor a = rt.empty({8, 64}, Dtype::f16);
    const Tensor b = rt.empty({8, 64}, Dtype::f32);
    std::vector<std::uint64_t> addresses;
    for (const Tensor& t : {a, b}) {
      for (const contract::Shard& s : t.layout().shards) addresses.push_back(s.pa);
    }
    if (round == 0) first = addresses;
    EXPECT_EQ(addresses, first);
  }
}

TEST_F(MemoryLifeTest, CloseRestoresAllFreeListsAndEndsTheHandles) {
  std::optional<Tensor> early = rt.zeros({8, 64}, Dtype::f16, {}, "early");
  const Tensor late = rt.zeros({8, 64}, Dtype::f16, {}, "late");
  EXPECT_FALSE(rt.memory_pristine());
  rt.close();
  EXPECT_TRUE(rt.memory_pristine());
  rt.close();
  early.reset();  // no-op after the context
  EXPECT_EQ(late.shape(), (Shape{8, 64}));
  EXPECT_EQ(error_of([&] { late.to_host(); }, "TENSOR_ERROR"), "tensor 'late' outlived its runtime context");
  error_of([&] { rt.empty({1, 1}, Dtype::i8); }, "TENSOR_ERROR");
}

TEST_F(MemoryLifeTest, TooLargeTensorNamesItAndTheSizesAndLeaksNothing) {
  const Tensor fill = rt.empty({1, 16 * 1024}, Dtype::i8, one_pe(), "fill");
  EXPECT_EQ(
      error_of(
          [&] {
            rt.empty({8, 16 * 1024}, Dtype::f16, {}, "big");
          },
          "ALLOCATION_ERROR"),
      "tensor 'big': its shard at sip0.cube0.pe0 needs 256 KiB, but that HBM slice has 48 KiB free, 48 KiB of it in "
      "one piece; make the tensor smaller, split it over more PEs or drop tensors first");
  DPPolicy two;
  two.num_cubes = 1;
  // Fits into PE 1's slice only: PE 0 fails first. Reversed order below.
  error_of([&] { rt.empty({1, 50 * 1024}, Dtype::i8, two, "half"); }, "ALLOCATION_ERROR");
  EXPECT_EQ(rt.free_bytes({SipId(0), CubeId(0), PeId(1)}), 64 * kKiB);
}

TEST_F(MemoryLifeTest, FailureInALaterShardReturnsTheEarlierOnes) {
  DPPolicy row_wise = one_pe();
  row_wise.num_pes = 2;
  row_wise.pe = Split::row_wise;
  Tensor both = rt.empty({2, 32 * 1024}, Dtype::i8, row_wise);
  const Tensor first_only = rt.empty({1, 1024}, Dtype::i8, one_pe());
  DPPolicy second_cube;
  second_cube.num_cubes = 2;
  second_cube.num_pes = 1;
  second_cube.cube = Split::row_wise;
  error_of([&] { rt.empty({2, 48 * 1024}, Dtype::i8, second_cube, "x"); }, "ALLOCATION_ERROR");
  EXPECT_EQ(rt.free_bytes(kFirst), 31 * kKiB);
  EXPECT_EQ(rt.free_bytes({SipId(0), CubeId(1), PeId(0)}), 64 * kKiB);
}

TEST_F(MemoryLifeTest, MemoryInUseByARunningKernelIsNotHandedOut) {
  std::optional<Tensor> old = rt.empty({1, 40 * 1024}, Dtype::i8, one_pe(), "old");
  const std::uint64_t old_pa = old->layout().shards[0].pa;
  rt.launch("k", {{"a", *old}});
  old.reset();
  const Tensor small = rt.empty({1, 1024}, Dtype::i8, one_pe(), "small");
  EXPECT_NE(small.layout().shards[0].pa, old_pa);
  EXPECT_EQ(host.now(), 0_fs);
  const Tensor large = rt.empty({1, 40 * 1024}, Dtype::i8, one_pe(), "large");  // only fits once the kernel is done
  EXPECT_EQ(host.now(), host.times.launch);
  EXPECT_EQ(large.layout().shards[0].pa, old_pa);
}

TEST_F(MemoryLifeTest, TensorsLiveOnTheCurrentDevice) {  // K-23, H-25
  rt.set_device(1);
  const Tensor t = rt.empty({1, 8}, Dtype::i8);
  for (const contract::Shard& s : t.layout().shards) EXPECT_EQ(s.owner.sip, SipId(1));
  EXPECT_EQ(rt.current_device(), 1);
}

TEST(Device, ContextIsLimitedToItsDevices) {  // H-80
  FakeHost host;
  RuntimeOptions options;
  options.devices = {1};
  Runtime rt(host, &any_kernel, std::move(options));  // of a copy of one element g++ 14 warns, without a reason
  EXPECT_EQ(rt.current_device(), 1);
  EXPECT_EQ(error_of([&] { rt.set_device(0); }, "DEVICE_ERROR"), "set_device(0): the devices of this run are 1");
}

TEST(Device, ParsesTheCommandLine) {  // H-78
  const contract::MachineInfo machine = FakeHost::small_machine();
  EXPECT_EQ(parse_device("all", machine), (std::vector<int>{0, 1}));
  EXPECT_EQ(parse_device("sip:1", machine), (std::vector<int>{1}));
  for (const char* wrong : {"", "sip", "sip:", "sip:x", "sip:1x", "1", "sip:-1", "ALL"}) {
    EXPECT_THAT(error_of([&] { parse_device(wrong, machine); }, "CONFIGURATION_ERROR"),
                HasSubstr("write 'all' or 'sip:N'"));
  }
  EXPECT_EQ(error_of([&] { parse_device("sip:2", machine); }, "CONFIGURATION_ERROR"),
            "--device sip:2: the machine has 2 SIPs (sip:0 to sip:1)");
}

}  // namespace
}  // namespace kb::sw
