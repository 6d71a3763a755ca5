// Barriers of kernels: PE_CPU -> M_CPU, and for a barrier of the SIP on to the IO_CPU; P-55a.
#include <gmock/gmock.h>

#include <algorithm>

#include "platform/base/names.h"
#include "platform/contract/failure_policy.h"
#include "tests/block/io/command_machine.h"

namespace kb::test {
namespace {

using contract::BarrierScope;
using testing::Contains;
using testing::HasSubstr;

const MachineShape kTwoByTwo{1, 2, 2, 2, {"NW", "SE"}};  // 4 cubes of 4 PEs

std::string cube(std::uint32_t number) {
  return "sip0.cube" + std::to_string(number);
}

std::string cpu(const PeCoord& pe) {
  return pe_name(pe) + ".pe_cpu";
}

// One way, between the ends of handling at both.
TimeFs hop(CommandMachine& m, const std::string& from, const std::string& to) {
  return m.formula(from, to) - m.overhead(from);
}

// PE 2 of the last cube comes a microsecond after all others, which find nobody on their way.
Reaction late(const PeCoord& pe, BarrierScope scope, CubeId last_cube) {
  Reaction reaction;
  reaction.barrier = scope;
  if (pe.cube == last_cube && pe.pe == PeId{2}) reaction.after = 1000_ns;
  return reaction;
}

const Pass& first(const CommandMachine& m) {
  return *std::min_element(m.script.passes.begin(), m.script.passes.end(),
                           [](const Pass& a, const Pass& b) { return a.time < b.time; });
}

TEST(Barrier, OfACubeOpensWhenItsLastPeIsThere) {
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) { return late(pe, BarrierScope::cube, CubeId{0}); };
  m.send(0, "sip0.io0.io_cpu", m.launch({0}, {0, 1, 2, 3}));
  m.run();
  ASSERT_EQ(m.script.passes.size(), 4u);
  const TimeFs comes = m.script.arrivals.front().start + 1000_ns;
  const TimeFs opens = comes + m.formula("sip0.cube0.pe2.pe_cpu", "sip0.cube0.m_cpu");
  EXPECT_EQ(first(m).time, opens + hop(m, "sip0.cube0.m_cpu", cpu(first(m).pe)));
  for (const Pass& pass : m.script.passes) EXPECT_TRUE(pass.status.ok) << pass.status.message;
  EXPECT_TRUE(m.answers.at(0).status.ok);
}

TEST(Barrier, OfACubeLeavesOtherCubesAlone) {
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) { return late(pe, BarrierScope::cube, CubeId{3}); };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 2, 3}, {0, 1, 2, 3}));
  m.run();
  ASSERT_EQ(m.script.passes.size(), 16u);
  const TimeFs late_one = m.script.arrivals.front().start + 1000_ns;
  for (const Pass& pass : m.script.passes)
    EXPECT_EQ(pass.time > late_one, pass.pe.cube == CubeId{3}) << pe_name(pass.pe);
}

TEST(Barrier, OfASipOpensWhenItsLastCubeIsThere) {
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) { return late(pe, BarrierScope::sip, CubeId{3}); };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 3}, {0, 1, 2, 3}));
  m.run();
  ASSERT_EQ(m.script.passes.size(), 12u);
  const std::string io = "sip0.io0.io_cpu";
  const TimeFs comes = m.script.arrivals.front().start + 1000_ns;
  const TimeFs cube_there = comes + m.formula("sip0.cube3.pe2.pe_cpu", "sip0.cube3.m_cpu");
  const TimeFs opens = cube_there + hop(m, "sip0.cube3.m_cpu", io);
  const std::string first_cube = cube(first(m).pe.cube.value);
  EXPECT_EQ(first(m).time, opens + hop(m, io, first_cube + ".m_cpu") + hop(m, first_cube + ".m_cpu", cpu(first(m).pe)));
  for (const Pass& pass : m.script.passes) EXPECT_TRUE(pass.status.ok) << pass.status.message;
  EXPECT_TRUE(m.answers.at(0).status.ok);
}

TEST(Barrier, OfASipIsThatOfTheCubeWhenTheLaunchHasNoOther) {
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) { return late(pe, BarrierScope::sip, CubeId{1}); };
  m.send(0, "sip0.io0.io_cpu", m.launch({1}, {0, 1, 2, 3}));
  m.run();
  const TimeFs comes = m.script.arrivals.front().start + 1000_ns;
  const TimeFs opens = comes + m.formula("sip0.cube1.pe2.pe_cpu", "sip0.cube1.m_cpu");
  EXPECT_EQ(first(m).time, opens + hop(m, "sip0.cube1.m_cpu", cpu(first(m).pe)));
}

TEST(Barrier, AKernelThatEndsFirstFailsIt) {
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction reaction;
    if (!(pe == PeCoord{SipId{0}, CubeId{1}, PeId{3}})) reaction.barrier = BarrierScope::sip;
    return reaction;
  };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 3}, {0, 1, 2, 3}, contract::FailurePolicy::collect_all));
  m.run();
  ASSERT_EQ(m.script.passes.size(), 11u);
  for (const Pass& pass : m.script.passes) {
    EXPECT_EQ(pass.status.code, "BARRIER_ERROR");
    const char* who = pass.pe.cube == CubeId{1} ? "the kernel on sip0.cube1.pe3 has ended" : "on sip0.cube1 has ended";
    EXPECT_THAT(pass.status.message, HasSubstr(who));
    EXPECT_THAT(pass.status.message, HasSubstr("all PEs of a launch in a SIP have to come to it"));
  }
  EXPECT_EQ(m.answers.at(0).status.code, "BARRIER_ERROR");
}

TEST(Barrier, PesThatComeToDifferentOnesAreTold) {
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction reaction;
    reaction.barrier = pe.pe == PeId{2} ? BarrierScope::sip : BarrierScope::cube;
    if (pe.pe == PeId{2}) reaction.after = 500_ns;
    return reaction;
  };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1}, {0, 1, 2, 3}));
  m.run();
  ASSERT_EQ(m.script.passes.size(), 8u);
  for (const Pass& pass : m.script.passes) {
    EXPECT_EQ(pass.status.code, "BARRIER_ERROR");
    EXPECT_THAT(pass.status.message, HasSubstr("waits at a barrier of its cube, pe2 comes to one of its SIP"));
  }
}

TEST(Barrier, WhoIsMissingIsNamed) {
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction reaction;
    if (pe == PeCoord{SipId{0}, CubeId{1}, PeId{3}}) {
      reaction.answer = false;
    } else {
      reaction.barrier = BarrierScope::sip;
    }
    return reaction;
  };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1}, {0, 1, 2, 3}));
  m.run();
  EXPECT_THAT(m.script.passes, testing::IsEmpty());
  const std::vector<std::string> lines = m.wait_lines();
  EXPECT_THAT(lines, Contains("sip0.io0.io_cpu: barrier of launch #1: 1 of 2 cubes; there are cube0"));
  EXPECT_THAT(lines, Contains("sip0.cube0.m_cpu: barrier of launch #1: the other cubes of the SIP"));
  EXPECT_THAT(lines,
              Contains(testing::MatchesRegex("sip0.cube1.m_cpu: barrier of launch #1: 1 of 4 PEs; there are pe.*")));
}

}  // namespace
}  // namespace kb::test
