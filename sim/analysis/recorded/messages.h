// Matches the steps of messages between PEs, from send to receive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/data/op_log_database.h"

namespace kb::analysis {

// Message steps whose successor has not been found. Successive steps have an address in common (the slot, or an address
// on the path to it) and the message's number in the queue; of several equal steps the earliest is taken.
class OpenSteps {
 public:
  void add(const std::string& address, std::int64_t sequence, std::int64_t step) {
    open_.emplace(Key(address, sequence), step);
  }
  std::optional<std::int64_t> take(const std::string& address, std::int64_t sequence);

 private:
  using Key = std::pair<std::string, std::int64_t>;
  std::multimap<Key, std::int64_t> open_;
};

struct Message {
  std::int64_t sender = 0, receiver = 0;  // components; -1: not among the steps
  std::int64_t sent_fs = -1;
  std::int64_t arrived_fs = -1;  // arrival in the receiver's slot
  std::int64_t awaited_fs = -1;  // when the receiver began to wait for it, or called receive after the arrival
  std::int64_t received_fs = -1;
  std::int64_t bytes = 0;
  std::string direction;  // label at the sender
};

// Messages in the order of their sends. A message without a recorded send has no sender.
std::vector<Message> match_messages(const std::vector<data::MessageStep>& steps);

}  // namespace kb::analysis
