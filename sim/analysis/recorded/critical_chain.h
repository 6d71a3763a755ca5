// Critical path of a launch: walks back from the last-ending PE, from operation to operation and, along messages, from
// PE to PE.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/analysis/recorded/messages.h"

namespace kb::analysis {

// An operation of a PE, as input of the walk.
struct ChainOp {
  std::int64_t start_fs = 0, end_fs = 0;
  std::uint32_t block = 0;      // identifier chosen by the caller
  std::uint16_t operation = 0;  // identifier chosen by the caller
};

// Time of the critical path in operations of one kind on one block.
struct PathShare {
  std::uint32_t block = 0;
  std::uint16_t operation = 0;
  std::int64_t time_fs = 0;
  std::int64_t count = 0;
};

// A part of the critical path on one PE.
struct PathSegment {
  std::string pe;
  std::int64_t begin_fs = 0, end_fs = 0;
  std::vector<PathShare> parts;  // longest first
  // time without an operation: the PE's own instructions, and waits that are not operations
  std::int64_t between_fs = 0;
  // the message that the PE waited for before this stay; no value: the stay begins with the window
  std::optional<Message> message;
};

struct ChainRequest {
  std::int64_t begin_fs = 0, end_fs = 0;
  std::string pe;            // the last-ending PE
  std::size_t limit = 2000;  // maximum number of stays; the latest ones are kept
};

// Returns the operations of a PE that begin in the window, in any order, without those that contain others
// (composites).
using OpsOf = std::function<std::vector<ChainOp>(const std::string& pe)>;
// Returns the PE of a component in a message.
using PeOf = std::function<std::string(std::int64_t component)>;

// Returns the stays from the first to the last. The walk goes back from the end: each step goes to the operation of the
// PE that ended latest before (the longest one of equal ends); where a PE waited for a message, it continues at the
// sender at the time of the send. Stays and message transfers cover [begin, end) without gaps, unless the limit cuts
// them.
std::vector<PathSegment> walk_chain(const ChainRequest& request, const OpsOf& ops_of,
                                    const std::vector<Message>& messages, const PeOf& pe_of);

}  // namespace kb::analysis
