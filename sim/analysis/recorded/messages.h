// Messages between PEs, from their send to their receive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/data/op_log_database.h"

namespace kb::analysis {

// Steps of messages that the next step of their message has to follow. The two belong together by the address between
// them, that of the slot or on the way to it, and by the message's number in the queue; the first that came goes first.
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
  std::int64_t sender = 0, receiver = 0;  // components; -1: not in the steps
  std::int64_t sent_fs = -1;
  std::int64_t arrived_fs = -1;  // it is in the receiver's slot
  std::int64_t awaited_fs = -1;  // the receiver began to wait for it, or came when it was there
  std::int64_t received_fs = -1;
  std::int64_t bytes = 0;
  std::string direction;  // at the sender
};

// In the order of their sends. A message of which only later steps are there has no sender.
std::vector<Message> match_messages(const std::vector<data::MessageStep>& steps);

}  // namespace kb::analysis
