// PE_GEMM, PE_MATH and the slot they share, driven by a scripted requester in place of PE_SCHEDULER.
#include <gmock/gmock.h>

#include "platform/contract/command.h"
#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using testing::ElementsAre;
using topology::NodeKind;

// 64 elements per ns make the times of PE_MATH easy to read.
const std::vector<std::pair<std::string, std::string>> kSlowMath{
    {"cube.pe_template.components.pe_math.attrs.elements_per_ns", "64"}};

MachineOptions engines(std::vector<std::pair<std::string, std::string>> set = {}) {
  MachineOptions options;
  options.requesters = {NodeKind::pe_scheduler};
  options.set = std::move(set);
  return options;
}

Request on_gemm(TimeFs at, contract::Command command) {
  return {at, NodeKind::pe_gemm, std::move(command), {}, {}};
}
Request on_math(TimeFs at, contract::Command command) {
  return {at, NodeKind::pe_math, std::move(command), {}, {}};
}

TimeFs duration(PeMachine& machine, Request request) {
  const Outcome outcome = machine.run({std::move(request)}).at(0);
  EXPECT_EQ(outcome.answered, outcome.end);
  return outcome.end - outcome.start;
}

TEST(PeGemm, TakesMacsOverMacPerNs) {  // P-40: a 32x64x32 tile takes 16 ns
  PeMachine machine(engines());
  EXPECT_EQ(duration(machine, on_gemm(0_fs, gemm(32, 64, 32))), 16 * kNs);
}

TEST(PeGemm, TimeIsExactToTheFemtosecond) {  // P-40: 1000 / 4096 ns = 0.244140625 ns
  PeMachine machine(engines({{"cube.pe_template.components.pe_gemm.attrs.gemm_granularity", "none"}}));
  EXPECT_EQ(duration(machine, on_gemm(0_fs, gemm(10, 10, 10))), 244141_fs);
}

TEST(PeGemm, OverheadIsALowerBound) {  // P-40: max(overhead, work), not the sum
  PeMachine machine(engines({{"cube.pe_template.components.pe_gemm.attrs.overhead_ns", "20"}}));
  const std::vector<Outcome> o = machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_gemm(100 * kNs, gemm(64, 64, 64))});
  EXPECT_EQ(o[0].end - o[0].start, 20 * kNs);
  EXPECT_EQ(o[1].end - o[1].start, 64 * kNs);
}

TEST(PeGemm, RateIsAnAttribute) {
  PeMachine machine(engines({{"cube.pe_template.components.pe_gemm.attrs.mac_per_ns", "8192"}}));
  EXPECT_EQ(duration(machine, on_gemm(0_fs, gemm(32, 64, 32))), 8 * kNs);
}

TEST(PeGemm, SizesAreRoundedUpToTheGranularity) {  // P-28: one below, at and above a multiple of each size
  PeMachine machine(engines());
  const std::vector<Outcome> o = machine.run({on_gemm(0_fs, gemm(1, 1, 1)), on_gemm(kNs, gemm(31, 63, 31)),
                                              on_gemm(2 * kNs, gemm(33, 64, 32)), on_gemm(3 * kNs, gemm(32, 65, 32)),
                                              on_gemm(4 * kNs, gemm(32, 64, 33)), on_gemm(5 * kNs, gemm(33, 65, 33))});
  const std::vector<int> expected{16, 16, 32, 32, 32, 128};
  for (std::size_t i = 0; i < o.size(); ++i) EXPECT_EQ(o[i].end - o[i].start, expected[i] * kNs) << i;
}

TEST(PeGemm, CountsPadding) {  // P-28
  PeMachine machine(engines());
  machine.run({on_gemm(0_fs, gemm(1, 64, 32)), on_gemm(0_fs, gemm(32, 64, 32))});
  EXPECT_THAT(machine.statistics("sip0.cube0.pe0.pe_gemm"),
              testing::IsSupersetOf({std::pair("macs", 2 * 65536), std::pair("useful_macs", 65536 + 2048)}));
}

contract::Command as(Dtype dtype, contract::Command command) {
  for (OperandRef& input : command.inputs) input.dtype = dtype;
  command.out.dtype = dtype;
  return command;
}

TEST(PeGemm, OtherDtypesFollowTheRateOfF16) {  // P-40
  PeMachine machine(engines());
  const std::vector<std::pair<Dtype, TimeFs>> times{
      {Dtype::f16, 16 * kNs}, {Dtype::bf16, 16 * kNs}, {Dtype::f32, 32 * kNs}, {Dtype::i8, 8 * kNs},
      {Dtype::i16, 32 * kNs}, {Dtype::i32, 128 * kNs}, {Dtype::i64, 512 * kNs}};
  TimeFs at = 0_fs;
  for (const auto& [dtype, time] : times) {
    EXPECT_EQ(duration(machine, on_gemm(at, as(dtype, gemm(32, 64, 32)))), time) << dtype_name(dtype);
    at += 1000 * kNs;
  }
}

TEST(PeGemm, Int4TakesTheTimeOfWhatItMeets) {  // P-40
  PeMachine machine(engines());
  TimeFs at = 0_fs;
  for (const auto& [dtype, time] : {std::pair(Dtype::f16, 16 * kNs), {Dtype::f32, 32 * kNs}, {Dtype::i8, 8 * kNs}}) {
    for (const std::size_t input : {0u, 1u}) {
      contract::Command command = as(dtype, gemm(32, 64, 32));
      command.inputs.at(input).dtype = Dtype::i4;
      EXPECT_EQ(duration(machine, on_gemm(at, command)), time) << dtype_name(dtype);
      at += 1000 * kNs;
    }
  }
}

TEST(PeGemm, ADtypeCanHaveItsOwnRate) {  // P-40
  const std::string key = "cube.pe_template.components.pe_gemm.attrs.mac_per_ns";
  PeMachine machine(engines({{key + ".f16", "8192"}, {key + ".i8", "65536"}}));
  EXPECT_EQ(duration(machine, on_gemm(0_fs, as(Dtype::i8, gemm(32, 64, 32)))), kNs);
  EXPECT_EQ(duration(machine, on_gemm(kNs * 100, as(Dtype::f32, gemm(32, 64, 32)))), 16 * kNs);
}

TEST(PeMath, TakesElementsOverTheRate) {  // P-41
  PeMachine machine(engines({{"cube.pe_template.components.pe_math.attrs.elements_per_ns", "128"}}));
  EXPECT_EQ(duration(machine, on_math(0_fs, math(MathOp::exp, {{64, 64}}, {64, 64}))), 32 * kNs);
}

TEST(PeMath, OtherDtypesFollowTheRateOfF16) {  // P-41: as many as fit a register of fixed width
  PeMachine machine(engines());
  TimeFs at = 0_fs;
  for (std::size_t i = 0; i < kDtypes; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    const TimeFs time = duration(machine, on_math(at, as(dtype, math(MathOp::add, {{512}, {512}}, {512}))));
    EXPECT_EQ(time, item_size(dtype) * kNs) << dtype_name(dtype);
    at += 100 * kNs;
  }
}

TEST(PeMath, AConversionTakesTheTimeOfTheSlowerDtype) {  // P-41
  PeMachine machine(engines());
  contract::Command to_f16 = math(MathOp::cast, {{512}}, {512}), to_f32 = to_f16;
  to_f16.inputs[0].dtype = Dtype::f32;
  to_f32.out.dtype = Dtype::f32;
  const std::vector<Outcome> o = machine.run({on_math(0_fs, to_f16), on_math(100 * kNs, to_f32)});
  EXPECT_EQ(o[0].end - o[0].start, 4 * kNs);
  EXPECT_EQ(o[1].end - o[1].start, 4 * kNs);
}

TEST(PeMath, AnOperationOfSeveralPassesCostsEachOfThem) {  // P-41
  MachineOptions options = engines();
  options.math_attrs["weight_exp"] = 4.0;
  PeMachine machine(options);
  const std::vector<Outcome> o = machine.run({on_math(0_fs, math(MathOp::softmax, {{16, 16}}, {16, 16})),
                                              on_math(100 * kNs, math(MathOp::sigmoid, {{16, 16}}, {16, 16}))});
  EXPECT_EQ(o[0].end - o[0].start, 8 * kNs);  // max, sub, exp, sum, div
  EXPECT_EQ(o[1].end - o[1].start, 7 * kNs);  // neg, exp, add, div
}

TEST(PeMath, ChargesForMoreOperationsOfSeveralPasses) {  // P-41: 256 elements of f16 take a nanosecond
  PeMachine machine(engines());
  const OperandRef number = OperandRef::number(std::int64_t{3}, Dtype::f16);
  contract::Command topk = math(MathOp::topk, {{16, 16}}, {16, 3}), rand = math(MathOp::rand, {}, {16, 16});
  topk.inputs.push_back(number);
  topk.positions = topk.out;
  contract::Command with_positions = topk;
  with_positions.positions->dtype = Dtype::i32;  // the slowest dtype counts
  rand.inputs = {number, number};
  const std::vector<Outcome> o = machine.run(
      {on_math(0_fs, math(MathOp::gelu, {{16, 16}}, {16, 16})), on_math(100 * kNs, topk), on_math(200 * kNs, rand),
       on_math(300 * kNs, math(MathOp::concat, {{8, 16}, {8, 16}}, {16, 16})), on_math(400 * kNs, with_positions)});
  EXPECT_EQ(o[0].end - o[0].start, 15 * kNs);
  EXPECT_EQ(o[1].end - o[1].start, 3 * 4 * kNs);
  EXPECT_EQ(o[2].end - o[2].start, 21 * kNs);
  EXPECT_EQ(o[3].end - o[3].start, 1 * kNs);
  EXPECT_EQ(o[4].end - o[4].start, 2 * 3 * 4 * kNs);
}

TEST(PeMath, GrowsWithEveryElement) {  // P-98
  PeMachine machine(engines(kSlowMath));
  const std::vector<Outcome> o =
      machine.run({on_math(0_fs, math(MathOp::neg, {{1}}, {1})), on_math(kNs, math(MathOp::neg, {{96}}, {96})),
                   on_math(9 * kNs, math(MathOp::neg, {{97}}, {97}))});
  EXPECT_EQ(o[0].end - o[0].start, 15625_fs);
  EXPECT_EQ(o[1].end - o[1].start, 1.5_ns);
  EXPECT_EQ(o[2].end - o[2].start, 1515625_fs);
}

TEST(PeMath, ReductionCostsItsInput) {  // P-41
  PeMachine machine(engines(kSlowMath));
  EXPECT_EQ(duration(machine, on_math(0_fs, math(MathOp::sum, {{128, 64}}, {128, 1}))), 128 * kNs);
}

TEST(PeMath, BroadcastCostsItsOutput) {  // P-41
  PeMachine machine(engines(kSlowMath));
  EXPECT_EQ(duration(machine, on_math(0_fs, math(MathOp::add, {{128, 1}, {1, 64}}, {128, 64}))), 128 * kNs);
}

TEST(PeMath, WeightOfAnOperationMultipliesItsTime) {  // P-41
  MachineOptions options = engines(kSlowMath);
  options.math_attrs["weight_exp"] = 4.0;
  PeMachine machine(options);
  const std::vector<Outcome> o = machine.run(
      {on_math(0_fs, math(MathOp::exp, {{640}}, {640})), on_math(100 * kNs, math(MathOp::sqrt, {{640}}, {640}))});
  EXPECT_EQ(o[0].end - o[0].start, 40 * kNs);
  EXPECT_EQ(o[1].end - o[1].start, 10 * kNs);
}

TEST(PeMath, OverheadIsALowerBound) {  // P-41
  PeMachine machine(engines({{"cube.pe_template.components.pe_math.attrs.overhead_ns", "3"}}));
  EXPECT_EQ(duration(machine, on_math(0_fs, math(MathOp::add, {{8}, {8}}, {8}))), 3 * kNs);
}

TEST(AccelSlot, OneComputeAtATime) {  // P-39: a request just before, at and just after the end of another
  PeMachine machine(engines(kSlowMath));
  const std::vector<Outcome> o =
      machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_math(16 * kNs - 1_fs, math(MathOp::exp, {{64}}, {64})),
                   on_gemm(17 * kNs, gemm(32, 64, 32)), on_math(33 * kNs + 1_fs, math(MathOp::exp, {{64}}, {64}))});
  EXPECT_EQ(o[1].start, 16 * kNs);
  EXPECT_EQ(o[2].start, 17 * kNs);
  EXPECT_EQ(o[3].start, 33 * kNs + 1_fs);
}

TEST(AccelSlot, GrantsInRequestOrderAcrossEngines) {  // P-39
  PeMachine machine(engines(kSlowMath));
  const std::vector<Outcome> o =
      machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_math(1_fs, math(MathOp::exp, {{640}}, {640})),
                   on_gemm(2_fs, gemm(32, 64, 32)), on_math(3_fs, math(MathOp::exp, {{640}}, {640}))});
  EXPECT_EQ(o[1].start, 16 * kNs);
  EXPECT_EQ(o[2].start, 26 * kNs);
  EXPECT_EQ(o[3].start, 42 * kNs);
}

TEST(AccelSlot, WithoutASharedResourceBothComputeAtOnce) {  // P-39: each still one command at a time
  auto options = engines(kSlowMath);
  for (const char* const engine : {"pe_gemm", "pe_math"}) {
    options.set.push_back({std::string("cube.pe_template.components.") + engine + ".attrs.shared_resource", "none"});
  }
  PeMachine machine(options);
  const std::vector<Outcome> o =
      machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_math(1_fs, math(MathOp::exp, {{640}}, {640})),
                   on_gemm(2_fs, gemm(32, 64, 32)), on_math(3_fs, math(MathOp::exp, {{640}}, {640}))});
  EXPECT_EQ(o[1].start, 1_fs);
  EXPECT_EQ(o[2].start, 16 * kNs);
  EXPECT_EQ(o[3].start, 10 * kNs + 1_fs);
}

TEST(AccelEngine, ReportsOperationsWithServiceTimes) {  // P-68: not from the arrival, but from getting the slot
  PeMachine machine(engines(kSlowMath));
  machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_math(kNs, math(MathOp::exp, {{640}}, {640}))});
  ASSERT_EQ(machine.log.commands.size(), 2u);
  const OperationLog::Entry& entry = machine.log.commands[1];
  EXPECT_EQ(entry.node, machine.node("sip0.cube0.pe0.pe_math"));
  EXPECT_EQ(entry.start, 16 * kNs);
  EXPECT_EQ(entry.end, 26 * kNs);
}

TEST(AccelEngine, CountsCommandsBusyAndWaitingTime) {
  PeMachine machine(engines(kSlowMath));
  EXPECT_TRUE(machine.statistics("sip0.cube0.pe0.pe_math").empty());
  machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_math(kNs, math(MathOp::exp, {{640}}, {640}))});
  EXPECT_THAT(machine.statistics("sip0.cube0.pe0.pe_math"),
              ElementsAre(std::pair("busy", (10 * kNs).fs()), std::pair("commands", 1),
                          std::pair("slot_wait", (15 * kNs).fs())));
}

TEST(AccelEngine, ShowsWhenItIsBusy) {
  PeMachine machine(engines(kSlowMath));
  machine.run({on_gemm(kNs, gemm(32, 64, 32)), on_math(2 * kNs, math(MathOp::exp, {{640}}, {640}))});
  EXPECT_THAT(machine.waves.changes["sip0.cube0.pe0.pe_gemm.busy"],
              ElementsAre(Waves::Change(kNs, 1), Waves::Change(17 * kNs, 0)));
  EXPECT_THAT(machine.waves.changes["sip0.cube0.pe0.pe_math.busy"],
              ElementsAre(Waves::Change(17 * kNs, 1), Waves::Change(27 * kNs, 0)));
}

}  // namespace
}  // namespace kb::test
