// Messages between PEs, from their send to their receive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/data/op_log_database.h"

namespace kb::web {

struct Message {
  std::int64_t sender = 0, receiver = 0;  // components; -1: not in the steps
  std::int64_t sent_fs = -1;
  std::int64_t arrived_fs = -1;  // it is in the receiver's slot
  std::int64_t awaited_fs = -1;  // the receiver began to wait for it, or came when it was there
  std::int64_t received_fs = -1;
  std::int64_t bytes = 0;
  std::string direction;  // at the sender
};

// In the order of their sends. Steps belong together by address of the slot and number in the queue; a message of
// which only later steps are there has no sender.
std::vector<Message> match_messages(const std::vector<data::MessageStep>& steps);

}  // namespace kb::web
