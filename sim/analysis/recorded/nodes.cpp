#include "sim/analysis/recorded/nodes.h"

#include <cstdint>
#include <utility>

#include "platform/observe/json_writer.h"

namespace kb::analysis {
namespace {

using observe::JsonWriter;

constexpr std::int64_t kNone = -1;

std::int64_t number_of(const std::optional<std::size_t>& position) {
  return position ? static_cast<std::int64_t>(*position) : kNone;
}

// Index of a SIP, a cube or a PE among those of its parent.
std::int64_t index_of(const NodeCoord& part) {
  if (part.pe.valid()) return part.pe.value;
  if (part.cube.valid()) return part.cube.value;
  return part.io.empty() ? std::int64_t{part.sip.value} : kNone;
}

}  // namespace

std::size_t Nodes::add_part(const NodeCoord& coord) {
  const std::string id = part_name(coord);
  if (const auto found = part_of_.find(id); found != part_of_.end()) return found->second;
  const NodeCoord above = parent_part(coord);
  const std::optional<std::size_t> parent = above.sip.valid() ? std::optional(add_part(above)) : std::nullopt;
  parts_.push_back({coord, id, part_label(coord), parent});
  part_of_.emplace(id, parts_.size() - 1);
  return parts_.size() - 1;
}

void Nodes::add(const NodeEntry& node) {
  if (!node_of_.emplace(node.id, nodes_.size()).second) return;
  nodes_.push_back({node, node.coord.sip.valid() ? std::optional(add_part(node.coord)) : std::nullopt});
}

const NodeEntry* Nodes::find(std::string_view id) const {
  const auto found = node_of_.find(id);
  return found == node_of_.end() ? nullptr : &nodes_[found->second].node;
}

Scope Nodes::scope(const std::string& name) const {
  if (name.empty()) return Scope();
  const auto part = part_of_.find(name);
  return part == part_of_.end() ? Scope(name) : Scope(parts_[part->second].coord);
}

std::string Nodes::directory() const {
  using List = std::vector<std::pair<std::string, std::string>>;
  std::vector<List> own(parts_.size());  // nodes whose name is that of their part and their label
  std::vector<const Member*> others;
  for (const Member& member : nodes_) {
    const bool plain = member.part && member.node.id == parts_[*member.part].id + "." + member.node.label;
    if (plain) own[*member.part].emplace_back(member.node.label, member.node.kind);
    if (!plain) others.push_back(&member);
  }
  std::map<List, std::size_t> lists;
  std::vector<const List*> in_order;
  std::vector<std::size_t> list_of;
  for (const List& list : own) {
    const auto [found, is_new] = lists.emplace(list, lists.size());
    if (is_new) in_order.push_back(&found->first);
    list_of.push_back(found->second);
  }
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object().key("parts").begin_array();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    json.begin_array().text(part.id).text(part.label).text(part_level(part.coord)).integer(index_of(part.coord));
    json.integer(number_of(part.above)).unsigned_integer(list_of[i]).end_array();
  }
  json.end_array().key("lists").begin_array();
  for (const List* list : in_order) {
    json.begin_array();
    for (const auto& [label, kind] : *list) json.begin_array().text(label).text(kind).end_array();
    json.end_array();
  }
  json.end_array().key("others").begin_array();
  for (const Member* member : others) {
    json.begin_array().text(member->node.id).text(member->node.label).text(member->node.kind);
    json.integer(number_of(member->part)).end_array();
  }
  json.end_array().end_object();
  return json.str();
}

}  // namespace kb::analysis
