// What the end of a launch depended on: back from the PE that ended last, from operation to operation and, over
// messages, from PE to PE.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/analysis/recorded/messages.h"

namespace kb::analysis {

// An operation of a PE, as the walk needs it.
struct ChainOp {
  std::int64_t start_fs = 0, end_fs = 0;
  std::uint32_t block = 0;      // any number of the caller
  std::uint16_t operation = 0;  // likewise
};

// Time of the chain in operations of one kind on one block.
struct ChainPart {
  std::uint32_t block = 0;
  std::uint16_t operation = 0;
  std::int64_t time_fs = 0;
  std::int64_t count = 0;
};

// A stretch of time in which the chain stays on one PE.
struct ChainStay {
  std::string pe;
  std::int64_t begin_fs = 0, end_fs = 0;
  std::vector<ChainPart> parts;    // the longest first
  std::int64_t between_fs = 0;     // nothing ends: the PE's own instructions, and waits that are no operation
  std::optional<Message> message;  // it begins when this message that was waited for has arrived; none: at the begin
};

struct ChainRequest {
  std::int64_t begin_fs = 0, end_fs = 0;
  std::string pe;            // that ended last
  std::size_t limit = 2000;  // of stays; the latest are kept
};

// Operations of a PE that begin in the window, in any order. Those that span others (composites) are left out.
using OpsOf = std::function<std::vector<ChainOp>(const std::string& pe)>;
// The PE of a message's component.
using PeOf = std::function<std::string(std::int64_t component)>;

// From the first to the last. Back from the end, each step goes to the operation of the PE that ended latest before,
// the longest of those that ended together; where a PE waited for a message, on to its sender at the time of the send.
// Stays and the ways of their messages cover [begin, end) without a gap, unless the limit cuts it.
std::vector<ChainStay> walk_chain(const ChainRequest& request, const OpsOf& ops_of,
                                  const std::vector<Message>& messages, const PeOf& pe_of);

}  // namespace kb::analysis
