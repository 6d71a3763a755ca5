// Program identity, CPU cycles and dispatch cost of the facade (P-45, P-55).
#include <gtest/gtest.h>

#include "kernels/tl/context.h"
#include "kernels/tl/recording_pe.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {
namespace {

using contract::CommandKind;
using tl::Context;
using tl::RecordingPe;
using Names = std::vector<std::string>;

TEST(TlContext, ProgramIdentity) {  // P-55
  contract::PeInfo info = RecordingPe::default_info();
  info.coord = pe_at(1, 5, 3);
  info.pes_per_cube = 8;
  info.cubes_per_sip = 16;
  info.sips = 4;
  RecordingPe pe(info);
  const Context tl(pe, "demo");
  EXPECT_EQ(tl.program_id(), 3);
  EXPECT_EQ(tl.program_id(1), 5);
  EXPECT_EQ(tl.num_programs(), 8);
  EXPECT_EQ(tl.num_programs(1), 16);
  EXPECT_EQ(tl.program_id(2), 1);
  EXPECT_EQ(tl.num_programs(2), 4);
  expect_program_error([&] { tl.program_id(3); }, "SHAPE_ERROR",
                       {"kernel demo, tl.program_id, sip1.cube5.pe3", "axis 3", "2 the SIP"});
  expect_program_error([&] { tl.num_programs(-1); }, "SHAPE_ERROR", {"tl.num_programs", "axis -1"});
  EXPECT_TRUE(pe.commands().empty());
}

TEST(TlContext, CyclesAreCpuWork) {
  RecordingPe pe;
  Context tl(pe, "demo");
  tl.cycles(12);
  ASSERT_EQ(pe.commands().size(), 1u);
  EXPECT_EQ(pe.commands()[0].kind, CommandKind::cpu_overhead);
  EXPECT_EQ(pe.commands()[0].cycles, 12);
  expect_program_error([&] { tl.cycles(-1); }, "KERNEL_ERROR", {"-1 cycles"});
}

TEST(TlContext, DispatchCostComesBeforeEveryCallThatEmits) {  // P-45
  contract::PeInfo info = RecordingPe::default_info();
  info.dispatch_cycles = 3;
  RecordingPe pe(info);
  Context tl(pe, "demo");
  const LayoutPtr layout = whole("x", Dtype::f16, {4, 4}, 0);
  const tl::Ptr x(*layout);
  const tl::TensorHandle acc = tl.zeros({4, 4});
  tl.ref(x, {4, 4});
  tl.arange(0, 4);
  tl.trans(acc);
  EXPECT_TRUE(pe.commands().empty());
  const tl::TensorHandle a = tl.load(x, {4, 4});
  tl.dot(a, a, acc);
  tl.cycles(1);
  tl.store(x, acc);
  EXPECT_EQ(pe.command_names(), (Names{"cpu_overhead", "dma_read", "cpu_overhead", "gemm", "cpu_overhead",
                                       "cpu_overhead", "cpu_overhead", "dma_write"}));
  EXPECT_EQ(pe.commands()[0].cycles, 3);
  EXPECT_STREQ(pe.commands()[0].call, "load");
}

TEST(TlContext, KnowsWhatItIsDoing) {
  RecordingPe pe;
  Context tl(pe, "demo");
  EXPECT_EQ(tl.calls(), 0u);
  tl.zeros({2}) + 1;
  EXPECT_STREQ(tl.current_call(), "add");
  EXPECT_EQ(tl.calls(), 2u);
  EXPECT_EQ(pe.commands()[0].call_index, 2u);
}

TEST(TlContext, CeilingDivision) {
  EXPECT_EQ(Context::cdiv(0, 4), 0);
  EXPECT_EQ(Context::cdiv(8, 4), 2);
  EXPECT_EQ(Context::cdiv(9, 4), 3);
  EXPECT_EQ(Context::cdiv(std::numeric_limits<std::int64_t>::max(), 2), std::int64_t{1} << 62);
  expect_program_error([] { Context::cdiv(1, 0); }, "KERNEL_ERROR", {"cdiv(1, 0)"});
  expect_program_error([] { Context::cdiv(-1, 2); }, "KERNEL_ERROR", {"cdiv(-1, 2)"});
}

TEST(TlContext, KernelsOwnChecks) {
  RecordingPe pe;
  const Context tl(pe, "demo");
  EXPECT_NO_THROW(tl.require(true, "x"));
  expect_program_error([&] { tl.require(false, "n must be even"); }, "KERNEL_ERROR",
                       {"kernel demo, sip0.cube0.pe0: n must be even"});
}

}  // namespace
}  // namespace kb::tests
