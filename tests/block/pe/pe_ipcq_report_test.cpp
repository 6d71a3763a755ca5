// What PE_IPCQ says of itself: mistakes, blocked exchanges, messages that nobody received.
#include <gmock/gmock.h>

#include "modules/pe/pe_ipcq.h"
#include "platform/base/error.h"
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
  EXPECT_THROW(machine.install(), Error);  // messages are under way
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
  for (std::uint32_t i = 0; i < kPes; ++i) machine.ipcq(i).collect_leftovers(leftovers);
  EXPECT_THAT(leftovers,
              testing::ElementsAre("2 messages from sip0.cube0.pe0 in direction 'W' of sip0.cube0.pe1 were never "
                                   "received; the next kernel that receives there would get them first",
                                   "1 message from sip0.cube0.pe0 in direction 'E' of sip0.cube0.pe3 was never "
                                   "received; the next kernel that receives there would get it first"));
}

}  // namespace
}  // namespace kb::test
