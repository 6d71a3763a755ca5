// Kernel scratch: addresses, scopes, overflow, handles that outlive them (P-58).
#include <gtest/gtest.h>

#include "kernels/tl/context.h"
#include "kernels/tl/recording_pe.h"
#include "kernels/tl/scratch.h"
#include "platform/contract/i_pe.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using tl::Context;
using tl::RecordingPe;
using tl::Scratch;
using tl::TensorHandle;
constexpr std::uint64_t kBase = RecordingPe::kScratchPa;

contract::PeInfo info_with(std::uint64_t scratch_bytes, std::uint64_t pa = kBase) {
  contract::PeInfo info = RecordingPe::default_info();
  info.scratch_bytes = scratch_bytes;
  info.scratch_pa = pa;
  return info;
}

TEST(TlScratch, AddressesAreAlignedTo16Bytes) {
  RecordingPe pe;
  Context tl(pe, "demo");
  EXPECT_EQ(tl.zeros({1}, Dtype::i8).address(), kBase);
  EXPECT_EQ(tl.zeros({17}, Dtype::i8).address(), kBase + 16);
  EXPECT_EQ(tl.zeros({16}, Dtype::i8).address(), kBase + 48);
  RecordingPe odd(info_with(64, 0x1008));
  Context odd_tl(odd, "demo");
  EXPECT_EQ(odd_tl.zeros({1}, Dtype::i8).address(), 0x1010u);
}

TEST(TlScratch, CursorRestartsWithEveryKernel) {
  RecordingPe pe;
  for (int run = 0; run < 2; ++run) {
    Context tl(pe, "demo");
    EXPECT_EQ(tl.zeros({8}).address(), kBase);
  }
}

TEST(TlScratch, ScopesReturnWhatWasTaken) {
  RecordingPe pe;
  Context tl(pe, "demo");
  tl.zeros({8});
  for (int i = 0; i < 3; ++i) {
    const Scratch outer(tl);
    EXPECT_EQ(tl.zeros({8}).address(), kBase + 16);
    {
      const Scratch inner(tl);
      EXPECT_EQ(tl.zeros({8}).address(), kBase + 32);
    }
    EXPECT_EQ(tl.zeros({8}).address(), kBase + 32);
  }
  EXPECT_EQ(tl.zeros({8}).address(), kBase + 16);
}

TEST(TlScratch, OverflowNamesSizesAndRemedy) {
  RecordingPe pe(info_with(64));
  Context tl(pe, "demo");
  tl.zeros({10}, Dtype::i8);
  expect_program_error(
      [&] {
        tl.zeros({5, 5});
      },
      "OUT_OF_SCRATCH",
      {"kernel demo, tl.zeros #2 at tl_scratch_test.cpp:", ", sip0.cube0.pe0: ", "f16 (5, 5)", "50 bytes", "48 of 64",
       "tl::Scratch"});
  EXPECT_EQ(tl.zeros({6, 4}).address(), kBase + 16);  // exactly the rest
  expect_program_error([&] { tl.zeros({1}, Dtype::i8); }, "OUT_OF_SCRATCH", {"0 of 64"});
  EXPECT_TRUE(pe.commands().empty());
}

TEST(TlScratch, HandlesEndWithTheirScope) {
  RecordingPe pe;
  Context tl(pe, "demo");
  TensorHandle kept = tl.zeros({4});
  TensorHandle lost;
  {
    const Scratch scope(tl);
    lost = kept + 1;
    kept += lost;
  }
  expect_program_error([&] { kept + lost; }, "KERNEL_ERROR",
                       {"operand 2 (the f16 (4) of tl.add #2)", "scope that has ended", "tl.assign"});
  {
    const Scratch scope(tl);  // the same depth and addresses, another generation
    const TensorHandle other = tl.zeros({4});
    EXPECT_EQ(other.address(), lost.address());
    expect_program_error([&] { tl.exp(lost); }, "KERNEL_ERROR", {"scope that has ended"});
    expect_program_error([&] { lost.to_doubles(); }, "KERNEL_ERROR", {"scope that has ended"});
    expect_program_error([&] { tl.trans(lost); }, "KERNEL_ERROR", {"scope that has ended"});
    EXPECT_NO_THROW(kept + other);
  }
}

TEST(TlScratch, HandlesOfAnotherContextAreRefused) {
  RecordingPe pe;
  Context mine(pe, "mine");
  Context other(pe, "other");
  const TensorHandle a = mine.zeros({4});
  const TensorHandle b = other.zeros({4});
  expect_program_error([&] { a + b; }, "KERNEL_ERROR", {"kernel mine", "operand 2", "another kernel instance"});
  expect_program_error([&] { b + a; }, "KERNEL_ERROR", {"kernel other"});
}

TEST(TlScratch, EmptyHandlesAreRefused) {
  RecordingPe pe;
  Context tl(pe, "demo");
  TensorHandle empty;
  expect_program_error([&] { tl.exp(empty); }, "KERNEL_ERROR", {"operand 1 is an empty tensor handle"});
  expect_program_error([&] { empty + 1; }, "KERNEL_ERROR", {"empty tensor handle"});
  expect_program_error([&] { empty += 1; }, "KERNEL_ERROR", {"empty tensor handle"});
  expect_program_error([&] { empty.to_doubles(); }, "KERNEL_ERROR", {"empty tensor handle"});
}

}  // namespace
}  // namespace kb::tests
