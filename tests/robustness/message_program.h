// Random programs of sends and receives, and their results with mailboxes: the oracle of the attack on message queues.
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
  int size = 0;           // elements (i32); for c cycles
};

struct MessageProgram {
  std::vector<std::vector<MessageOp>> pes;
  // (PE, label) of a send -> (PE, label) of the receive.
  std::map<std::pair<std::size_t, std::string>, std::pair<std::size_t, std::string>> links;
  std::size_t n_slots = 1;
  int slot_elements = 0;
};

struct MailboxEnd {
  enum class Kind { complete, stuck, refused };
  Kind kind = Kind::complete;
  std::vector<std::size_t> pes;  // PEs that are stuck or whose call was refused
  std::vector<std::vector<int>>
      received;  // per PE, in order: 1 + the number of the message among all sends, in PE order
};

// A program for PEs in a ring (labels E, W) or on a torus (N, S, E, W) of width `width`. Every message is received, and
// the order of the calls completes with one slot.
MessageProgram matched_program(std::size_t pes, std::size_t width, std::size_t messages, Random& random);
// Removes, adds, moves or changes a call.
void spoil(MessageProgram& program, Random& random);
// The result does not depend on the order in which PEs execute.
MailboxEnd mailbox_oracle(const MessageProgram& program);

// "sE16 rW16 c100/...": the programs of the PEs, as a kernel argument.
std::string text_of(const MessageProgram& program);
// "5 7/2/...": the numbers of the messages that each PE receives.
std::string text_of(const std::vector<std::vector<int>>& received);

}  // namespace kb::robustness
