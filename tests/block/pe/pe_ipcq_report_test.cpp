// What PE_IPCQ says of itself: mistakes, blocked exchanges, messages that nobody received.
#include <gmock/gmock.h>

#include "modules/pe/pe_ipcq.h"
#include "platform/base/error.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/queues.h"
#include "tests/block/pe/queue_machine.h"

namespace kb::test {
namespace {

using contract::Command;
using contract::IPe;
using testing::HasSubstr;

TEST(PeIpcq, MistakesAreExplained) {
  QueueMachine machine({QueueMemory::tcm, 4, 1024});
  std::vector<std::string> errors;
  const auto attempt = [&](IPe& self, const Command& command) {
    try {
      self.execute(command);
      errors.push_back("none");
    } catch (const Error& error) {
      errors.push_back(error.code() + ": " + error.what());
    }
  };
  machine.on(0, [&](IPe& self) {
    attempt(self, send(self, "EE", 64));
    attempt(self, send(self, "E", 1025));
    attempt(self, send(self, "E", 64));
  });
  machine.on(1, [&](IPe& self) { attempt(self, recv(self, "W", 65)); });
  machine.run();
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_THAT(errors[0], HasSubstr("QUEUE_ERROR: sip0.cube0.pe0 has no queue in direction 'EE'; did you mean 'E'?"));
  EXPECT_THAT(errors[1], HasSubstr("a message of 1025 bytes does not fit a slot of 1024 bytes in direction 'E'"));
  EXPECT_THAT(errors[2], HasSubstr("none"));
  EXPECT_THAT(errors[3], HasSubstr("the message from 'W' (number 0, sent by sip0.cube0.pe0 to its 'E') has 64 bytes, "
                                   "but 65 are expected"));
}

// who waits, for whom, with the pointers of the queue.
TEST(PeIpcq, ABlockedExchangeIsDescribed_Q104) {
  QueueMachine machine({QueueMemory::tcm, 2, 4096});
  machine.on(0, [&](IPe& self) {
    for (int i = 0; i < 3; ++i) self.execute(send(self, "E", 64));
  });
  machine.on(2, [&](IPe& self) { self.execute(recv(self, "E", 64)); });
  machine.run();
  EXPECT_THAT(machine.wait_lines("sip0.cube0.pe0.pe_ipcq"),
              testing::ElementsAre(HasSubstr("tl.send #0: a free slot of sip0.cube0.pe1 in direction 'E'")));
  EXPECT_THAT(machine.wait_lines("sip0.cube0.pe2.pe_ipcq"),
              testing::ElementsAre(HasSubstr("tl.recv #0: a message of sip0.cube0.pe3 in direction 'E'")));
  std::vector<elab::WaitInfo> waits;
  machine.ipcq(0).collect_waits(waits);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].detail,
            "'E': sent 2, 0 of them consumed, into 2 slots at sip0.cube0.pe1 PE_TCM +0x2000; arrived 0, 0 of them "
            "received, in 2 slots at sip0.cube0.pe0 PE_TCM +0x0");
  EXPECT_EQ(waits[0].pe, pe(0));
  EXPECT_THAT(waits[0].on, testing::ElementsAre(pe(1)));
  for (contract::QueuePair& pair : machine.plan.pes[0].pairs) pair.own->slot_size = pair.peer->slot_size = 2048;
  EXPECT_THROW(machine.install(), Error);  // messages are under way
}

// rings that another plan has as well go on with what is under way; others begin anew.
TEST(PeIpcq, QueuesOfBothPlansGoOn_Q83) {
  QueueMachine machine;
  std::uint64_t received = 0;
  machine.on(0, [&](IPe& self) {
    for (int i = 0; i < 3; ++i) self.execute(send(self, "E", 64));
    self.execute(send(self, "W", 64));
  });
  machine.on(3, [&](IPe& self) { self.execute(recv(self, "E", 64)); });
  machine.run();
  // The links from PE 3 to PE 0 and back get other labels and smaller rings; three messages wait in the ring of PE 1.
  contract::QueuePair &west = machine.plan.pes[0].pairs[1], &east = machine.plan.pes[3].pairs[0];
  west.direction = "back";
  east.direction = "on";
  for (contract::QueuePair* pair : {&west, &east}) pair->own->n_slots = pair->peer->n_slots = 1;
  machine.install();
  machine.on(1, [&](IPe& self) {
    for (int i = 0; i < 3; ++i) self.execute(recv(self, "W", 64));
    received = 3;
  });
  machine.on(0, [&](IPe& self) {
    self.execute(send(self, "E", 64));
    self.execute(send(self, "back", 64));
  });
  machine.run();
  EXPECT_EQ(received, 3u);
  std::vector<elab::Statistic> statistics;
  machine.ipcq(0).collect_statistics(statistics);
  const auto sent = [&](const std::string& name) {
    for (const elab::Statistic& one : statistics) {
      if (one.name == name) return one.value;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(sent("E.sent"), 4);
  EXPECT_EQ(sent("W.sent"), 1);  // counts of a label outlive its rings
  EXPECT_EQ(sent("back.sent"), 1);
  std::vector<std::string> leftovers;
  for (std::uint32_t i = 0; i < kPes; ++i) machine.ipcq(i).collect_unconsumed(leftovers);
  EXPECT_EQ(leftovers.size(), 2u);  // the fourth to the east, the one under 'on'
}

// A ring keeps what nobody received, for the next kernel.
TEST(PeIpcq, WhatWasNeverReceivedIsReported) {
  QueueMachine machine;
  machine.on(0, [&](IPe& self) {
    for (int i = 0; i < 3; ++i) self.execute(send(self, "E", 64));
    self.execute(send(self, "W", 64));
  });
  machine.on(1, [&](IPe& self) { self.execute(recv(self, "W", 64)); });
  machine.run();
  std::vector<std::string> leftovers;
  for (std::uint32_t i = 0; i < kPes; ++i) machine.ipcq(i).collect_unconsumed(leftovers);
  EXPECT_THAT(leftovers,
              testing::ElementsAre("2 messages from sip0.cube0.pe0 in direction 'W' of sip0.cube0.pe1 were never "
                                   "received; the next kernel that receives there would get them first",
                                   "1 message from sip0.cube0.pe0 in direction 'E' of sip0.cube0.pe3 was never "
                                   "received; the next kernel that receives there would get it first"));
}

}  // namespace
}  // namespace kb::test
