// PE_IPCQ and PE_DMA's vc_comm: kernels on the PEs of one cube exchange messages.
#include "modules/pe/pe_ipcq.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "platform/address/address_space.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/queues.h"
#include "tests/block/pe/queue_machine.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using contract::Command;
using contract::CommandKind;
using contract::IPe;

constexpr TimeFs ns(double value) {
  return TimeFs(static_cast<std::int64_t>(value * 1e6));
}
// with the default links: 128 GB/s to the SRAM, 256 GB/s to the HBM.
TimeFs slot(QueueMemory memory, std::uint64_t nbytes) {
  const double n = static_cast<double>(nbytes);
  switch (memory) {
    case QueueMemory::tcm:
      return ns(n / 512);
    case QueueMemory::sram:
      return ns(2 + n / 512 + n / 128);
    case QueueMemory::hbm:
      return ns(6 + n / 256 + n / 256);
  }
  return 0_fs;
}

class PeIpcqMemory : public testing::TestWithParam<QueueMemory> {};

// the sender does not see the transfer; the receiver sees arrival, slot write, slot read and credit.
TEST_P(PeIpcqMemory, AMessageTakesTransferSlotWriteSlotReadAndCredit_Q68) {
  QueueMachine machine({GetParam(), 4, 4096});
  TimeFs sent = -1_fs, received = -1_fs;
  machine.on(0, [&](IPe& self) {
    self.execute(send(self, "E", 256));
    sent = machine.now();
  });
  machine.on(1, [&](IPe& self) {
    self.execute(recv(self, "W", 256));
    received = machine.now();
  });
  machine.run();
  EXPECT_EQ(sent, kReady);
  EXPECT_EQ(received, kReady + machine.transfer(0, 1, 256) + 2 * slot(GetParam(), 256) + machine.transfer(1, 0, 16));
}

// contents and arrival in one step, by PE_DMA; the value is captured before the credit.
TEST_P(PeIpcqMemory, ThreeCopiesSayWhenAndWhere_Q58) {
  QueueMachine machine({GetParam(), 4, 4096});
  machine.on(0, [&](IPe& self) {
    for (int i = 0; i < 2; ++i) self.execute(send(self, "E", 256));
  });
  machine.on(1, [&](IPe& self) {
    for (int i = 0; i < 2; ++i) self.execute(recv(self, "W", 256));
  });
  machine.run();
  const std::uint64_t base = ring(machine, 1, 1, machine.rings).base_pa;
  std::vector<OperationLog::MessageEntry> second;
  for (const OperationLog::MessageEntry& entry : machine.log.messages) {
    if (entry.sequence == 1) second.push_back(entry);
  }
  ASSERT_EQ(second.size(), 3u);
  EXPECT_EQ(second[0].destination, address::message_in_flight(base + 4096));
  EXPECT_EQ(second[1].source, address::message_in_flight(base + 4096));
  EXPECT_EQ(second[1].destination, base + 4096);
  EXPECT_EQ(second[1].node, machine.node("sip0.cube0.pe1.pe_dma"));
  EXPECT_EQ(second[1].end - second[1].start, slot(GetParam(), 256));
  EXPECT_EQ(second[2].source, base + 4096);
  EXPECT_EQ(second[2].direction, "W");
}

INSTANTIATE_TEST_SUITE_P(All, PeIpcqMemory, testing::Values(QueueMemory::tcm, QueueMemory::sram, QueueMemory::hbm),
                         [](const auto& parameter) { return name_of(parameter.param); });

// for large messages tcm < hbm < sram, and the gaps grow with the size.
TEST(PeIpcq, LargeMessagesOrderTheMemories_Q66) {
  const auto exchange = [](QueueMemory memory, std::uint64_t nbytes) {
    return in_own_process([=] {
      QueueMachine machine({memory, 2, 16384});
      TimeFs received = -1_fs;
      machine.on(0, [&](IPe& self) { self.execute(send(self, "E", nbytes)); });
      machine.on(1, [&](IPe& self) {
        self.execute(recv(self, "W", nbytes));
        received = machine.now();
      });
      machine.run();
      return received - kReady;
    });
  };
  TimeFs gap = 0_fs;
  for (const std::uint64_t nbytes : {4096, 8192, 16384}) {
    const TimeFs tcm = exchange(QueueMemory::tcm, nbytes), hbm = exchange(QueueMemory::hbm, nbytes),
                 sram = exchange(QueueMemory::sram, nbytes);
    EXPECT_LT(tcm, hbm);
    EXPECT_LT(hbm, sram);
    EXPECT_EQ(sram - tcm, 2 * (slot(QueueMemory::sram, nbytes) - slot(QueueMemory::tcm, nbytes)));
    EXPECT_EQ(hbm - tcm, 2 * (slot(QueueMemory::hbm, nbytes) - slot(QueueMemory::tcm, nbytes)));
    EXPECT_GT(sram - hbm, gap);
    gap = sram - hbm;
  }
}

// the last of n_slots + 1 messages waits for the first credit.
TEST(PeIpcq, ASenderWaitsForAFreeSlot_Q122) {
  for (const std::uint32_t n_slots : {1u, 2u, 4u}) {
    const bool ok = in_own_process([=] {
      QueueMachine machine({QueueMemory::tcm, n_slots, 4096});
      std::vector<TimeFs> sent;
      TimeFs received = -1_fs;
      machine.on(0, [&](IPe& self) {
        for (std::uint32_t i = 0; i <= n_slots; ++i) {
          self.execute(send(self, "E", 64));
          sent.push_back(machine.now());
        }
      });
      machine.on(1, [&](IPe& self) {
        Command pause;
        pause.cycles = 5000;
        self.execute(pause);
        self.execute(recv(self, "W", 64));
        received = machine.now();
        for (std::uint32_t i = 0; i < n_slots; ++i) self.execute(recv(self, "W", 64));
      });
      machine.run();
      for (std::uint32_t i = 0; i < n_slots; ++i) {
        if (sent[i] != kReady) return false;
      }
      return sent[n_slots] == received && received > kReady + 5000 * kNs;
    });
    EXPECT_TRUE(ok) << n_slots;
  }
}

// polling may be late by one interval at most, and only for a blocked sender.
TEST(PeIpcq, PollingResumesAtTheNextPoll_Q70) {
  const auto resumed = [](Backpressure mode, TimeFs interval) {
    return in_own_process([=] {
      contract::QueuePlan rules;
      rules.backpressure = mode;
      rules.poll_interval = interval;
      QueueMachine machine({QueueMemory::tcm, 1, 4096}, rules);
      TimeFs sent = -1_fs;
      machine.on(0, [&](IPe& self) {
        self.execute(send(self, "E", 64));
        self.execute(send(self, "E", 64));
        sent = machine.now();
      });
      machine.on(1, [&](IPe& self) {
        self.execute(recv(self, "W", 64));
        self.execute(recv(self, "W", 64));
      });
      machine.run();
      return sent - kReady;
    });
  };
  const TimeFs sleeping = resumed(Backpressure::sleep, kNs);
  for (const TimeFs interval : {kNs, 7 * kNs, 100 * kNs}) {
    EXPECT_EQ(resumed(Backpressure::poll, interval), (sleeping + interval - 1_fs) / interval * interval);
  }
}

// each blocked sender of a queue goes on at a poll of its own.
TEST(PeIpcq, EachSenderPollsSinceItBeganToWait_Q70) {
  constexpr TimeFs kInterval = 1000 * kNs, kLater = 137 * kNs;
  const auto ends = in_own_process([=] {
    contract::QueuePlan rules;
    rules.backpressure = Backpressure::poll;
    rules.poll_interval = kInterval;
    QueueMachine machine({QueueMemory::tcm, 2, 4096}, rules);
    std::array<TimeFs, 2> ended{};
    machine.on(0, [&](IPe& self) {
      for (int i = 0; i < 2; ++i) self.execute(send(self, "E", 64));
      const IPe::Ticket first = self.submit(send(self, "E", 64));
      machine.platform->scheduler().wait_until(machine.now() + kLater);
      const IPe::Ticket second = self.submit(send(self, "E", 64));
      self.wait(first, {});
      ended[0] = machine.now();
      self.wait(second, {});
      ended[1] = machine.now();
    });
    machine.on(1, [&](IPe& self) {
      for (int i = 0; i < 4; ++i) self.execute(recv(self, "W", 64));
    });
    machine.run();
    return ended;
  });
  EXPECT_EQ(ends[1] - ends[0], kLater);
}

// credits on the fabric take the same time on an idle machine.
TEST(PeIpcq, CreditsOnTheFabricTakeTheSameTime_Q50) {
  const auto run = [](QueueTransport transport) {
    return in_own_process([=] {
      contract::QueuePlan rules;
      rules.credit = transport;
      QueueMachine machine({QueueMemory::tcm, 1, 4096}, rules);
      std::array<TimeFs, 2> ends{};
      machine.on(0, [&](IPe& self) {
        for (int i = 0; i < 3; ++i) self.execute(send(self, "W", 300));
        ends[0] = machine.now();
      });
      machine.on(3, [&](IPe& self) {
        for (int i = 0; i < 3; ++i) self.execute(recv(self, "E", 300));
        ends[1] = machine.now();
      });
      machine.run();
      return ends;
    });
  };
  const auto annotated = run(QueueTransport::annotated), fabric = run(QueueTransport::fabric);
  EXPECT_GT(annotated[0], kReady);
  EXPECT_EQ(fabric[0], annotated[0]);
  EXPECT_EQ(fabric[1], annotated[1]);
}

//
TEST(PeIpcq, NotConsumingSavesTheSlotRead_Q124) {
  for (const QueueMemory memory : {QueueMemory::tcm, QueueMemory::sram, QueueMemory::hbm}) {
    const auto run = [=](bool charge) {
      return in_own_process([=] {
        QueueMachine machine({memory, 4, 4096});
        TimeFs received = -1_fs;
        machine.on(0, [&](IPe& self) { self.execute(send(self, "E", 2048)); });
        machine.on(1, [&](IPe& self) {
          Command command = recv(self, "W", 2048);
          command.charge_slot = charge;
          self.execute(command);
          received = machine.now();
        });
        machine.run();
        return received;
      });
    };
    EXPECT_EQ(run(true) - run(false), slot(memory, 2048)) << name_of(memory);
  }
}

// from the direction after the one served last, in the fixed order.
TEST(PeIpcq, ReceivingFromAnybodyGoesRoundTheDirections_Q41) {
  QueueMachine machine;
  std::vector<std::string> served;
  machine.on(0, [&](IPe& self) {
    for (int i = 0; i < 3; ++i) self.execute(send(self, "E", 64));
  });
  machine.on(2, [&](IPe& self) {
    for (int i = 0; i < 3; ++i) self.execute(send(self, "W", 64));
  });
  machine.on(1, [&](IPe& self) {
    Command pause;
    pause.cycles = 1000;
    self.execute(pause);
    for (int i = 0; i < 6; ++i) {
      Command command = recv(self, "", 64);
      served.push_back(self.receive(command));
    }
  });
  machine.run();
  EXPECT_THAT(served, testing::ElementsAre("E", "W", "E", "W", "E", "W"));
}

// posted receives complete in posting order, beside the kernel.
TEST(PeIpcq, PostedReceivesCompleteInOrder_Q40) {
  QueueMachine machine;
  std::vector<TimeFs> ends;
  TimeFs posted = -1_fs;
  machine.on(0, [&](IPe& self) {
    for (int i = 0; i < 2; ++i) self.execute(send(self, "E", 64));
  });
  machine.on(1, [&](IPe& self) {
    std::vector<IPe::Ticket> tickets;
    for (int i = 0; i < 2; ++i) tickets.push_back(self.submit(recv(self, "W", 64)));
    posted = machine.now();
    for (const IPe::Ticket ticket : tickets) {
      self.wait(ticket, {});
      ends.push_back(machine.now());
    }
  });
  machine.run();
  EXPECT_EQ(posted, kReady);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_LT(ends[0], ends[1]);
  EXPECT_EQ(ends[1] - ends[0], slot(QueueMemory::tcm, 64) + machine.transfer(1, 0, 16));
}

// a message that comes in the middle of a store takes turns with its flits. Routers take no time here, or
// the gaps that the turns leave would hide some of theirs.
TEST(PeIpcq, AStoreOnTheWireDoesNotHoldAMessage_Q52) {
  struct Ends {
    TimeFs received, stored;
  };
  const auto run = [](std::uint64_t store, std::uint64_t message) {
    return in_own_process([=] {
      QueueMachine machine({}, {}, {{"cube.links.router_overhead_ns", "0"}});
      Ends ends{};
      machine.on(0, [&](IPe& self) {
        IPe::Ticket ticket = 0;
        if (store > 0) {
          ticket = self.submit(dma(CommandKind::dma_write, {{hbm(0), store}}, {{self.info().scratch_pa, store}}));
        }
        Command pause;
        pause.cycles = 100;
        self.execute(pause);
        if (message > 0) self.execute(send(self, "E", message));
        if (store > 0) self.wait(ticket, {});
        ends.stored = machine.now();
      });
      machine.on(1, [&](IPe& self) {
        if (message > 0) self.execute(recv(self, "W", message));
        ends.received = machine.now();
      });
      machine.run();
      return ends;
    });
  };
  constexpr std::uint64_t kStore = 65536, kMessage = 4096;  // 256 and 16 flits of 1 ns
  const Ends both = run(kStore, kMessage), message = run(0, kMessage), store = run(kStore, 0);
  EXPECT_EQ(both.stored - store.stored, 16 * kNs);        // the wire is never idle and never taken twice
  EXPECT_EQ(both.received - message.received, 16 * kNs);  // a flit of the store before each of its own
}

TEST(PeIpcq, APairOfTwoPesKeepsItsDirectionsApart_Q74) {
  PeMachine machine([] {
    MachineOptions options;
    options.pes = 2;
    return options;
  }());
  contract::QueuePlan plan;
  const Rings rings;
  for (std::uint32_t i = 0; i < 2; ++i) {  // both directions lead to the same peer
    plan.pes.push_back({pe(i),
                        {{"E", ring(machine, 1 - i, 1, rings), ring(machine, i, 0, rings)},
                         {"W", ring(machine, 1 - i, 0, rings), ring(machine, i, 1, rings)}}});
  }
  for (const contract::PeQueues& queues : plan.pes) {
    machine.platform
        ->block_as<modules::PeIpcq>(machine.node("sip0.cube0.pe" + std::to_string(queues.pe.pe.value) + ".pe_ipcq"))
        .install(queues, plan, senders_of(plan));
  }
  int done = 0;
  for (std::uint32_t i = 0; i < 2; ++i) {
    machine.kernels.add("kernel" + std::to_string(i), [&](IPe& self) {
      self.execute(send(self, "E", 64));
      self.execute(send(self, "W", 128));
      self.execute(recv(self, "E", 128));
      self.execute(recv(self, "W", 64));
      ++done;
    });
    machine.launch("kernel" + std::to_string(i), kReady, kReady, static_cast<int>(i));
  }
  machine.run();
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace kb::test
