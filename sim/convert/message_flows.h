#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "platform/data/op_log_database.h"

namespace kb::convert {

// Which operations a message between PEs went through: its send, its copy into the receiver's slot, its receive. Each
// step from one to the next is a flow, whose number is 1 + seq of the operation that it begins at. A message that was
// never received has no flow from its copy on.
class MessageFlows {
 public:
  explicit MessageFlows(data::OpLogDatabase& operations);

  // Of the flow that begins or ends at this operation; 0: none does.
  std::uint64_t begin(std::int64_t seq) const;
  std::uint64_t end(std::int64_t seq) const;

 private:
  std::vector<bool> begins_;                             // by seq
  std::unordered_map<std::int64_t, std::int64_t> ends_;  // seq to that of the operation before
};

}  // namespace kb::convert
