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

// Which operations belong together: a message between PEs is one flow from its send through its copy to its receive;
// a read is one to the first GEMM that has what it loaded as an operand. The number of a flow is 1 + seq of the
// operation that it begins at. What leads nowhere is no flow.
//
// Memory is a bit per operation and what is under way: messages that are not received yet, and loaded places.
class Flows {
 public:
  // Of a message: the address between two of its steps, and its number in the queue; the first that came goes first.
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Begin {
    std::uint64_t passes = 0;  // flow that begins here, or goes through here; 0: none
    std::array<std::uint64_t, 2> arrives{};
    std::optional<Key> awaits;  // for end()
  };

  // Reads the operations once, if there are any that a flow could join.
  explicit Flows(data::OpLogDatabase& operations);

  // Kinds of operations of which begin() wants the parameters.
  const std::vector<std::int64_t>& kinds() const { return kinds_; }
  // Operations in the order of their start; receives end in the order of time.
  Begin begin(const data::OpRow& op, std::string_view params);
  std::uint64_t end(const Key& awaited);

 private:
  enum class Role : std::uint8_t { none, send, copy, receive, load, product };
  using Open = std::multimap<Key, std::uint64_t>;

  void mark(std::uint64_t flow) { has_end_[static_cast<std::size_t>(flow - 1)] = true; }
  static std::uint64_t take(Open& open, const Key& key);

  std::vector<std::int64_t> kinds_;
  std::map<std::int64_t, Role> roles_;  // by kind of operation
  std::vector<bool> has_end_;           // by seq of the begin
  Open sent_, copied_;
  std::unordered_map<std::uint64_t, std::uint64_t> loaded_;  // address to flow
};

}  // namespace kb::convert
