// The nodes of a recorded run, and the parts of the machine that they belong to. Names are looked up here and never
// parsed.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/node_coord.h"

namespace kb::analysis {

// Selection by name: a part of the machine with all its nodes, or one node.
class Scope {
 public:
  Scope() : part_(NodeCoord{}) {}  // the whole machine
  explicit Scope(NodeCoord part) : part_(std::move(part)) {}
  explicit Scope(std::string node) : node_(std::move(node)) {}

  bool has(std::string_view node, const NodeCoord& coord) const {
    return part_ ? is_within(coord, *part_) : node == node_;
  }
  // No value for a single node.
  const std::optional<NodeCoord>& part() const { return part_; }

 private:
  std::optional<NodeCoord> part_;
  std::string node_;
};

// True when a wire between the two nodes leaves a chip.
inline bool joins_chips(const NodeCoord& a, const NodeCoord& b) {
  return !a.sip.valid() || !b.sip.valid() || chip_name(a) != chip_name(b);
}

class Nodes {
 public:
  struct Part {
    NodeCoord coord;
    std::string id, label;
    std::optional<std::size_t> above;
  };

  // Nodes must be added in the order of the machine if it is known. A node with an existing id is ignored.
  void add(const NodeEntry& node);

  // Null when there is no such node.
  const NodeEntry* find(std::string_view id) const;
  // All parts, each after the part that contains it.
  const std::vector<Part>& parts() const { return parts_; }
  // Returns an empty scope for an unknown name.
  Scope scope(const std::string& name) const;

  // JSON for the page: `parts` as [id, label, level, index, above, list], where -1 means none; `lists` of [label,
  // kind], each shared by several parts, whose nodes have ids made of part and label; `others` as [id, label, kind,
  // part].
  std::string directory() const;

 private:
  struct Member {
    NodeEntry node;
    std::optional<std::size_t> part;
  };
  std::size_t add_part(const NodeCoord& coord);

  std::vector<Part> parts_;
  std::vector<Member> nodes_;
  std::map<std::string, std::size_t, std::less<>> part_of_, node_of_;  // by id
};

}  // namespace kb::analysis
