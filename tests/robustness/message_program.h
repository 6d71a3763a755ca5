// Random programs of sends and receives, and what mailboxes make of them: the oracle of the attack on message queues.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/robustness/random.h"

namespace kb::robustness {

struct MessageOp {
  char kind = 's';        // s send; r recv, i recv_into, a recv_async and wait; c cycles
  std::string direction;  // label of the queue
  int size = 0;           // elements (i32); of c: cycles
};

struct MessageProgram {
  std::vector<std::vector<MessageOp>> pes;
  // (PE, label) -> where a message sent there arrives.
  std::map<std::pair<std::size_t, std::string>, std::pair<std::size_t, std::string>> links;
  std::size_t n_slots = 1;
  int slot_elements = 0;
};

struct MailboxEnd {
  enum class Kind { complete, stuck, refused };
  Kind kind = Kind::complete;
  std::vector<std::size_t> pes;  // that are stuck, or whose call is refused
  std::vector<std::vector<int>>
      received;  // per PE, in order: 1 + the number of the message among all sends, in PE order
};

// PEs in a ring (labels E, W) or on a torus (N, S, E, W) that is `width` wide. Every message has its receive, and the
// calls are in an order that works with one slot.
MessageProgram matched_program(std::size_t pes, std::size_t width, std::size_t messages, Random& random);
// Drops, adds, moves or changes a call.
void spoil(MessageProgram& program, Random& random);
// What happens does not depend on the order in which PEs take turns.
MailboxEnd mailbox_oracle(const MessageProgram& program);

// "sE16 rW16 c100/..." : the programs of the PEs, for a kernel's argument.
std::string text_of(const MessageProgram& program);
// What the kernels of PEs [first, first + count) receive: "5 7/2/..." as numbers of messages.
std::string text_of(const std::vector<std::vector<int>>& received);

}  // namespace kb::robustness
