#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/data/op_log_database.h"

namespace kb::convert {

// Groups operations into flows. A message between PEs is a flow from its send through its copy to its receive; a read
// is a flow to the first GEMM with the loaded data as an operand. The number of a flow is 1 + seq of its first
// operation. An operation without a successor is not a flow.
//
// Memory use: one bit per operation, plus the open flows: messages that are not received yet, and loaded addresses.
class Flows {
 public:
  // Key of a message: the address between two of its steps, and its number in the queue; messages with equal keys are
  // matched first in, first out.
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Begin {
    std::uint64_t passes = 0;  // flow that begins or continues here; 0: none
    std::array<std::uint64_t, 2> arrives{};
    std::optional<Key> awaits;  // argument for end()
  };

  // Reads all operations once, if there are any that flows can contain.
  explicit Flows(data::OpLogDatabase& operations);

  // Kinds of operations whose parameters begin() needs.
  const std::vector<std::int64_t>& kinds() const { return kinds_; }
  // begin() must be called in the order of starts; end() of receives in the order of ends.
  Begin begin(const data::OpRow& op, std::string_view params);
  std::uint64_t end(const Key& awaited);

 private:
  enum class Role : std::uint8_t { none, send, copy, receive, load, product };
  using Open = std::multimap<Key, std::uint64_t>;

  void mark(std::uint64_t flow) { has_end_[static_cast<std::size_t>(flow - 1)] = true; }
  static std::uint64_t take(Open& open, const Key& key);

  std::vector<std::int64_t> kinds_;
  std::map<std::int64_t, Role> roles_;  // key: kind of operation
  std::vector<bool> has_end_;           // indexed by seq of the begin
  Open sent_, copied_;
  std::unordered_map<std::uint64_t, std::uint64_t> loaded_;  // address -> flow
};

}  // namespace kb::convert
