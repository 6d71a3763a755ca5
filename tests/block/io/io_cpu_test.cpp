#include "modules/io/io_cpu.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "modules/command/launch_barrier.h"
#include "platform/contract/completion.h"
#include "platform/contract/failure_policy.h"
#include "platform/contract/kernel_launch.h"
#include "tests/block/io/command_machine.h"

namespace kb::test {
namespace {

using contract::FailurePolicy;
using testing::HasSubstr;

const MachineShape kTwoByTwo{1, 2, 2, 2, {"NW", "SE"}};  // 4 cubes of 4 PEs

TimeFs io_cpu_handles(CommandMachine& m) {  // host -> io_cpu, both ends' overheads included
  return m.formula("sip0.io0.pcie_ep", "sip0.io0.io_cpu");
}

// The stamp by C-IO-7, computed from the route table alone.
TimeFs expected_stamp(CommandMachine& m, const std::vector<int>& cubes, const std::vector<int>& pes) {
  TimeFs latest = 0_fs;
  for (int c : cubes) {
    const std::string cube = "sip0.cube" + std::to_string(c);
    for (int p : pes) {
      const std::string pe = cube + ".pe" + std::to_string(p) + ".pe_cpu";
      latest = std::max(latest, m.formula("sip0.io0.io_cpu", cube + ".m_cpu") + m.formula(cube + ".m_cpu", pe) -
                                    m.overhead("sip0.io0.io_cpu") - m.overhead(cube + ".m_cpu"));
    }
  }
  return io_cpu_handles(m) + latest;
}

TEST(IoCpu, StartsEveryPeAtTheStampAndNoneLater) {  // C-IO-7, C-IO-8, H-42 .. H-45, H-51 a and b
  CommandMachine m(kTwoByTwo);
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 2, 3}, {0, 1, 2, 3}));
  const TimeFs stamp = expected_stamp(m, {0, 1, 2, 3}, {0, 1, 2, 3});
  m.run();
  ASSERT_EQ(m.script.arrivals.size(), 16u);
  TimeFs last_ready = 0_fs;
  for (const Arrival& arrival : m.script.arrivals) {
    EXPECT_EQ(arrival.stamp, stamp) << arrival.node;
    EXPECT_EQ(arrival.start, stamp) << arrival.node;
    EXPECT_EQ(arrival.bytes, 0u);  // C-IO-5
    last_ready = std::max(last_ready, arrival.ready);
  }
  EXPECT_EQ(last_ready, stamp);  // the barrier is tight: the farthest PE needs no wait
  EXPECT_TRUE(m.answers.at(0).status.ok);
}

TEST(IoCpu, NoOpKernelMeasuresTheSameEverywhere) {  // H-51 c, acceptance check 4
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord&) { return Reaction{}; };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 2, 3}, {0, 1, 2, 3}));
  m.run();
  const auto& pes = m.answers.at(0).pes;
  ASSERT_EQ(pes.size(), 16u);
  for (const contract::PeResult& pe : pes) EXPECT_EQ(pe.start, pes.front().start);
}

TEST(IoCpu, LaunchTimingDoesNotDependOnItsArguments) {  // acceptance check 5, H-46
  CommandMachine m(kTwoByTwo);
  auto plain = m.launch({0, 3}, {0, 1});
  payload::KernelLaunchMsg loaded = plain;
  auto launch = std::make_shared<contract::KernelLaunch>(*plain.launch);
  for (int i = 0; i < 500; ++i) launch->args.emplace_back(std::int64_t{i});
  loaded.launch = launch;
  m.send(0, "sip0.io0.io_cpu", plain, 1);
  m.run();
  const TimeFs restart = m.platform->scheduler().now();
  const TimeFs first_stamp = m.script.arrivals.front().stamp;
  m.send(0, "sip0.io0.io_cpu", loaded, 2);
  m.run();
  EXPECT_EQ(m.script.arrivals.back().stamp - restart, first_stamp);
  EXPECT_EQ(m.answers.at(2).completed - m.answers.at(2).issued, m.answers.at(1).completed - m.answers.at(1).issued);
}

TEST(IoCpu, PassesAnExistingStampThrough) {  // H-47, H-49
  CommandMachine m(kTwoByTwo);
  auto message = m.launch({0, 1}, {0});
  message.target_start = 700_ns;
  m.send(0, "sip0.io0.io_cpu", message);
  m.run();
  ASSERT_EQ(m.script.arrivals.size(), 2u);
  for (const Arrival& arrival : m.script.arrivals) EXPECT_EQ(arrival.start, 700_ns);
}

TEST(IoCpu, MergesTheResultsOfAllCubesInAnyOrderOfCompletion) {  // acceptance check 6, C-MCPU-12, H-37
  // Cube 0 is nearest; let it finish last, and the slowest PE sit in the cube that finishes first.
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.after = (4 - pe.cube.value) * 100_ns;
    r.result.exec = (pe.cube.value == 3 ? 900 : 10 + pe.pe.value) * 1_ns;
    return r;
  };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 2, 3}, {0, 1}));
  m.run();
  const auto& pes = m.answers.at(0).pes;
  ASSERT_EQ(pes.size(), 8u);
  EXPECT_TRUE(std::is_sorted(pes.begin(), pes.end(), [](const auto& a, const auto& b) { return a.pe < b.pe; }));
  TimeFs longest = 0_fs;
  for (const contract::PeResult& pe : pes) longest = std::max(longest, pe.exec);
  EXPECT_EQ(longest, 900_ns);
}

TEST(IoCpu, AnswersOnceWhenAllCubesAnswered) {  // H-33, V2
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.after = pe.cube.value == 2 ? 5000_ns : 0_fs;
    return r;
  };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 2, 3}, {0}));
  m.run();
  const std::string cube = "sip0.cube2";
  // The slow PE's answer retraces the way: PE -> M_CPU -> IO_CPU -> PCIE_EP, each end's overhead once per leg.
  const TimeFs back = m.formula(cube + ".m_cpu", cube + ".pe0.pe_cpu") - m.overhead(cube + ".pe0.pe_cpu") +
                      m.formula("sip0.io0.io_cpu", cube + ".m_cpu") - m.overhead(cube + ".m_cpu") +
                      m.formula("sip0.io0.pcie_ep", "sip0.io0.io_cpu") - m.overhead("sip0.io0.io_cpu");
  EXPECT_EQ(m.answers.at(0).completed, m.script.arrivals.front().stamp + 5000_ns + back);
  EXPECT_EQ(m.platform->block_as<modules::IoCpu>(m.node("sip0.io0.io_cpu")).pending(), 0u);
  EXPECT_EQ(m.platform->pool().outstanding(), 0u);
}

TEST(IoCpu, RefusesALaunchWithoutTargets) {  // C-IO-6
  CommandMachine m(kTwoByTwo);
  m.send(0, "sip0.io0.io_cpu", m.launch({}, {0}), 1);
  m.send(0, "sip0.io0.io_cpu", m.launch({0}, {}), 2);
  m.run();
  EXPECT_EQ(m.answers.at(1).status.code, "SCHEMA_ERROR");
  EXPECT_THAT(m.answers.at(1).status.message, HasSubstr("targets no cube"));
  EXPECT_THAT(m.answers.at(2).status.message, HasSubstr("targets no PE"));
}

TEST(IoCpu, RefusesALaunchForAnotherSip) {  // C-IO-3
  CommandMachine m({2, 1, 1, 1, {"NW"}});
  m.send(1, "sip1.io0.io_cpu", m.launch({0}, {0}));
  m.run();
  EXPECT_EQ(m.answers.at(0).status.code, "SCHEMA_ERROR");
  EXPECT_TRUE(m.script.arrivals.empty());
}

TEST(IoCpu, RefusesMemoryRequests) {  // C-IO-4: they bypass it
  CommandMachine m(kTwoByTwo);
  m.send(0, "sip0.io0.io_cpu", std::nullopt);
  m.run();
  EXPECT_EQ(m.answers.at(0).status.code, "UNSUPPORTED_REQUEST");
}

TEST(IoCpu, FailFastCompletesWithTheFirstCauseAtOnce) {  // H-41, C-IO-10
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.after = 9000_ns;
    if (pe.cube.value == 3 && pe.pe.value == 1) {
      r.after = 0_fs;
      r.status = {false, "ADDRESS_ERROR", "address 0x123 lies in no memory"};
    }
    return r;
  };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 2, 3}, {0, 1}));
  m.run();
  const CommandMachine::Answer& answer = m.answers.at(0);
  EXPECT_EQ(answer.status.code, "ADDRESS_ERROR");
  EXPECT_EQ(answer.status.message, "sip0.cube3.pe1: address 0x123 lies in no memory");
  EXPECT_LT(answer.completed, m.script.arrivals.front().stamp + 9000_ns);
  // The late answers were drained: nothing is left behind (C-7).
  EXPECT_EQ(m.platform->block_as<modules::IoCpu>(m.node("sip0.io0.io_cpu")).pending(), 0u);
  EXPECT_EQ(m.platform->pool().outstanding(), 0u);
  EXPECT_TRUE(m.wait_lines().empty());
}

TEST(IoCpu, CollectAllWaitsAndListsEveryFailure) {  // H-41
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.after = 100_ns * (pe.cube.value + 1);
    if (pe.pe.value == 1 && pe.cube.value != 1) r.status = {false, "KERNEL_ERROR", "shape mismatch"};
    return r;
  };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 2}, {0, 1}, FailurePolicy::collect_all));
  m.run();
  const CommandMachine::Answer& answer = m.answers.at(0);
  EXPECT_EQ(answer.status.code, "KERNEL_ERROR");
  EXPECT_EQ(answer.status.message, "2 failed: sip0.cube0.pe1, sip0.cube2.pe1; cause at sip0.cube0.pe1: shape mismatch");
  EXPECT_EQ(answer.pes.size(), 6u);
  EXPECT_GT(answer.completed, m.script.arrivals.front().stamp + 300_ns);
}

TEST(IoCpu, AMissingAnswerIsNamedAndDoesNotHang) {  // acceptance check 9, C-IO-10
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.answer = !(pe.cube.value == 2 && (pe.pe.value == 1 || pe.pe.value == 3));
    return r;
  };
  m.send(0, "sip0.io0.io_cpu", m.launch({0, 1, 2}, {0, 1, 2, 3}, FailurePolicy::fail_fast, 7));
  m.run();  // returns: nothing is left to happen
  EXPECT_TRUE(m.answers.empty());
  EXPECT_THAT(m.wait_lines(),
              testing::IsSupersetOf({"sip0.io0.io_cpu: launch #7 of kernel nop: waiting for 1 of 3 cubes: cube2",
                                     "sip0.cube2.m_cpu: launch #7 of kernel nop: waiting for 2 of 4 PEs: pe1, pe3"}));
}

TEST(IoCpu, MapReachesEveryPeMmuOfTheSip) {  // C-IO-4, acceptance check 8
  CommandMachine m({1, 2, 1, 2, {"NW"}});
  payload::MmuMapMsg message;
  message.request = 3;
  m.send(0, "sip0.io0.io_cpu", message);
  m.run();
  std::vector<std::string> nodes;
  for (const Arrival& arrival : m.script.arrivals) nodes.push_back(arrival.node);
  EXPECT_THAT(nodes, testing::UnorderedElementsAre("sip0.cube0.pe0.pe_mmu", "sip0.cube0.pe1.pe_mmu",
                                                   "sip0.cube1.pe0.pe_mmu", "sip0.cube1.pe1.pe_mmu"));
  EXPECT_TRUE(m.answers.at(0).status.ok);
  EXPECT_TRUE(m.answers.at(0).pes.empty());
  EXPECT_GT(m.answers.at(0).completed, m.answers.at(0).issued);
}

TEST(IoCpu, MapFailureTravelsBackWithItsPlace) {
  CommandMachine m({1, 2, 1, 2, {"NW"}});
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    if (pe.cube.value == 1) r.status = {false, "UNSUPPORTED_REQUEST", "virtual memory is not part of this machine"};
    return r;
  };
  payload::MmuMapMsg message;
  message.cubes = {CubeId(1)};
  message.pes = {PeId(1)};
  m.send(0, "sip0.io0.io_cpu", message);
  m.run();
  ASSERT_EQ(m.script.arrivals.size(), 1u);
  EXPECT_EQ(m.answers.at(0).status.message, "sip0.cube1.pe1: virtual memory is not part of this machine");
}

TEST(IoCpu, LaunchesUnderWayDoNotMix) {  // H-40, C-7: state is kept per request
  CommandMachine m(kTwoByTwo);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.after = (pe.cube.value == 0 ? 800 : 100) * 1_ns;
    return r;
  };
  // Both carry request id 1: the answers must still find their own launch.
  m.send(0, "sip0.io0.io_cpu", m.launch({0}, {0, 1}), 11);
  m.send(0, "sip0.io0.io_cpu", m.launch({1, 2}, {0}), 12);
  m.run();
  EXPECT_EQ(m.answers.at(11).pes.size(), 2u);
  EXPECT_EQ(m.answers.at(12).pes.size(), 2u);
  EXPECT_EQ(m.answers.at(12).pes.front().pe.cube.value, 1u);
  EXPECT_LT(m.answers.at(12).completed, m.answers.at(11).completed);
}

}  // namespace
}  // namespace kb::test
