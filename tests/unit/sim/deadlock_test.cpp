#include "sim/run/driver/deadlock.h"

#include <gmock/gmock.h>

namespace kb::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

PeCoord pe(std::uint32_t index) {
  return {SipId(0), CubeId(index), PeId(0)};
}
std::string name(std::uint32_t index) {
  return "sip0.cube" + std::to_string(index) + ".pe0";
}
elab::WaitInfo kernel(std::uint32_t index, const std::string& what = "the end of its ipcq_recv") {
  return {name(index) + ".pe_cpu: kernel ring, tl.recv #" + std::to_string(index), what, 0_fs, pe(index)};
}
elab::WaitInfo queue(std::uint32_t index, std::vector<std::uint32_t> on) {
  elab::WaitInfo wait{name(index) + ".pe_ipcq: tl.recv", "a message of " + name(on.front()), 0_fs, pe(index)};
  for (const std::uint32_t other : on) wait.on.push_back(pe(other));
  if (index == 2) wait.detail = "'E': sent 1";
  return wait;
}

TEST(Deadlock, NamesTheCircle_Q104) {
  EXPECT_EQ(
      diagnose_deadlock({queue(3, {1}), kernel(0), queue(0, {1}), kernel(1), queue(1, {2}), kernel(2), queue(2, {1})}),
      "Deadlock: 2 PEs wait for each other in a cycle.\n"
      "  sip0.cube1.pe0.pe_cpu: kernel ring, tl.recv #1 waits for a message of sip0.cube2.pe0\n"
      "  sip0.cube2.pe0.pe_cpu: kernel ring, tl.recv #2 waits for a message of sip0.cube1.pe0\n"
      "    'E': sent 1\n"
      "  Somebody has to send before it receives, or to receive in the direction in which its neighbour's messages "
      "arrive. Where a PE waits for a free slot, its receiver has to take messages before it sends, or the queues need "
      "more slots (n_slots).\n");
}

TEST(Deadlock, NamesWhoCouldHaveGoneOn_Q126) {
  EXPECT_EQ(diagnose_deadlock({kernel(0), queue(0, {1}), kernel(1), queue(1, {5})}),
            "Nobody is left who could go on: sip0.cube5.pe0 runs no kernel.\n"
            "  sip0.cube0.pe0.pe_cpu: kernel ring, tl.recv #0 waits for a message of sip0.cube1.pe0\n"
            "  sip0.cube1.pe0.pe_cpu: kernel ring, tl.recv #1 waits for a message of sip0.cube5.pe0\n");
  EXPECT_THAT(diagnose_deadlock({kernel(0), queue(0, {1}), kernel(1, "its start at 7 ns")}),
              HasSubstr("go on: sip0.cube1.pe0.pe_cpu: kernel ring, tl.recv #1 waits for its start at 7 ns.\n"));
}

TEST(Deadlock, NamesTheLineThatWaits) {
  elab::WaitInfo waits = kernel(0);
  waits.detail = "ring.cpp:7";
  EXPECT_THAT(diagnose_deadlock({waits, queue(0, {0})}),
              HasSubstr("kernel ring, tl.recv #0 at ring.cpp:7 waits for a"));
}

TEST(Deadlock, APeThatWaitsForItselfIsACircle) {
  EXPECT_THAT(diagnose_deadlock({queue(0, {0})}), HasSubstr("Deadlock: messages of one PE wait for each other"));
}

TEST(Deadlock, ManyAreCounted) {
  std::vector<elab::WaitInfo> waits;
  for (std::uint32_t i = 0; i < 10; i += 2) {
    waits.push_back(queue(i, {i + 1}));
    waits.push_back(queue(i + 1, {i}));
  }
  for (std::uint32_t i = 20; i < 120; ++i) waits.push_back(queue(i, {(i - 19) % 100 + 20}));
  EXPECT_THAT(diagnose_deadlock(waits), AllOf(HasSubstr("... and 3 more cycles"), Not(HasSubstr("cube6"))));
  waits.erase(waits.begin(), waits.begin() + 10);
  EXPECT_THAT(diagnose_deadlock(waits), AllOf(HasSubstr("100 PEs wait for each other"), HasSubstr("... and 88 more")));
}

TEST(Deadlock, OtherWaitsAreNone) {
  EXPECT_EQ(diagnose_deadlock({}), "");
  EXPECT_EQ(diagnose_deadlock({kernel(0), {"sip0.cube0.m_cpu", "pe3", 5_fs}}), "");
}

}  // namespace
}  // namespace kb::sim
