// Random programs of sends and receives against mailboxes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "platform/contract/i_pe.h"
#include "platform/contract/queues.h"
#include "tests/block/pe/queue_machine.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using contract::IPe;

// A PE's program: letters e, w send, E, W receive.
using Programs = std::array<std::string, kPes>;

Programs random_programs(std::mt19937& random) {
  Programs programs;
  // Mostly receives that have a send, or deadlocks would be all there is.
  for (std::uint32_t i = 0; i < kPes; ++i) {
    for (std::uint32_t messages = random() % 5; messages > 0; --messages) {
      const bool east = random() % 2 == 0;
      const std::uint32_t peer = east ? (i + 1) % kPes : (i + kPes - 1) % kPes;
      const auto insert = [&](std::string& program, char op) {
        const std::size_t length = program.size();
        program.insert(length - random() % (std::min<std::size_t>(length, 2) + 1), 1, op);
      };
      insert(programs[i], east ? 'e' : 'w');
      if (random() % 20 != 0) insert(programs[peer], east ? 'W' : 'E');
    }
  }
  return programs;
}

// How far each PE gets when every one goes on as long as it can, with mailboxes of `n_slots` places (Q-103: the order
// in which they take turns does not matter).
std::array<std::size_t, kPes> mailbox_oracle(const Programs& programs, std::uint32_t n_slots) {
  std::array<std::size_t, kPes> done{};
  std::array<std::array<std::uint32_t, 2>, kPes> box{};  // messages in the rings E and W of a PE
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t i = 0; i < kPes; ++i) {
      while (done[i] < programs[i].size()) {
        const char op = programs[i][done[i]];
        const bool east = op == 'e' || op == 'E';
        if (op == 'e' || op == 'w') {
          std::uint32_t& target = east ? box[(i + 1) % kPes][1] : box[(i + kPes - 1) % kPes][0];
          if (target == n_slots) break;
          ++target;
        } else {
          std::uint32_t& own = box[i][east ? 0 : 1];
          if (own == 0) break;
          --own;
        }
        ++done[i];
        moved = true;
      }
    }
  }
  return done;
}

// Random programs deadlock exactly where mailboxes with the same number of slots do, and say so.
TEST(PeIpcq, RandomProgramsAgreeWithMailboxes_Q23) {
  std::mt19937 random(20);
  int dead_locks = 0;
  constexpr int kRounds = 120;
  for (int round = 0; round < kRounds; ++round) {
    const Programs programs = random_programs(random);
    const std::uint32_t n_slots = 1 + random() % 3;
    const auto memory = static_cast<QueueMemory>(random() % 3);
    const auto credit = static_cast<QueueTransport>(random() % 2);
    struct Result {
      std::array<std::size_t, kPes> done;
      bool waits;
    };
    const Result result = in_own_process([&] {
      contract::QueuePlan rules;
      rules.credit = credit;
      QueueMachine machine({memory, n_slots, 512}, rules);
      Result out{};
      for (std::uint32_t i = 0; i < kPes; ++i) {
        machine.on(i, [&, i](IPe& self) {
          for (const char op : programs[i]) {
            const std::string direction = op == 'e' || op == 'E' ? "E" : "W";
            self.execute(op == 'e' || op == 'w' ? send(self, direction, 300) : recv(self, direction, 300));
            ++out.done[i];
          }
        });
      }
      machine.run();
      for (std::uint32_t i = 0; i < kPes; ++i) {
        out.waits = out.waits || !machine.wait_lines("sip0.cube0.pe" + std::to_string(i) + ".pe_ipcq").empty();
      }
      return out;
    });
    const std::array<std::size_t, kPes> expected = mailbox_oracle(programs, n_slots);
    bool stuck = false;
    for (std::uint32_t i = 0; i < kPes; ++i) stuck = stuck || expected[i] < programs[i].size();
    dead_locks += stuck ? 1 : 0;
    EXPECT_EQ(result.done, expected) << testing::PrintToString(programs) << " with " << n_slots << " slots";
    EXPECT_EQ(result.waits, stuck);
  }
  EXPECT_GT(dead_locks, kRounds / 10);  // both kinds were tried
  EXPECT_LT(dead_locks, kRounds * 9 / 10);
}

}  // namespace
}  // namespace kb::test
