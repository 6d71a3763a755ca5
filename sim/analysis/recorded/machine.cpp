#include "sim/analysis/recorded/machine.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "platform/observe/json_writer.h"
#include "sim/analysis/recorded/activity.h"

namespace kb::analysis {
namespace {

using Json = nlohmann::ordered_json;
using observe::JsonWriter;

std::string text_of(const Json& parent, const char* name) {
  const auto at = parent.find(name);
  return at != parent.end() && at->is_string() ? at->get<std::string>() : "";
}

// Null when it is not there.
const Json& at(const Json& parent, std::initializer_list<const char*> path) {
  static const Json kNothing;
  const Json* found = &parent;
  for (const char* name : path) {
    if (!found->is_object() || !found->contains(name)) return kNothing;
    found = &(*found)[name];
  }
  return *found;
}

double number_at(const Json& parent, std::initializer_list<const char*> path) {
  const Json& found = at(parent, path);
  return found.is_number() ? found.get<double>() : 0;
}

bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

void write_wire(JsonWriter& writer, const Machine::Wire& wire) {
  writer.begin_array().text(wire.from).text(wire.to).text(wire.kind).real(wire.gbs).end_array();
}

}  // namespace

std::string group_of(const std::string& node) {
  const std::vector<std::string> parts = split(node, '.');
  const bool inside = parts.size() > 2 && starts_with(parts[0], "sip");
  return inside ? parts[0] + "." + parts[1] : node;
}

std::string cell_of(const std::string& node) {
  const std::vector<std::string> parts = split(node, '.');
  const bool in_cube = parts.size() >= 4 && starts_with(parts[0], "sip") && starts_with(parts[1], "cube");
  if (in_cube && parts[2] == "hbm_ctrl") return parts[0] + "." + parts[1] + "." + parts[3];
  if (in_cube && starts_with(parts[2], "pe")) return parts[0] + "." + parts[1] + "." + parts[2];
  return group_of(node);
}

Machine::Machine(const Json& topology, const std::string& file) {
  const bool is_machine = topology.is_object() && topology.contains("nodes") && topology["nodes"].is_array();
  if (!is_machine) throw Error::configuration(file + ": is not what `kernbench topology --json` prints");
  for (const Json& entry : topology["nodes"]) {
    if (!entry.is_object()) continue;
    Node node{text_of(entry, "id"), text_of(entry, "kind")};
    ++kinds_[node.kind];
    const auto place = entry.find("pos_mm");
    if (place != entry.end() && place->is_array() && place->size() == 2 && (*place)[0].is_number() &&
        (*place)[1].is_number()) {
      node.x = (*place)[0].get<double>();
      node.y = (*place)[1].get<double>();
      node.placed = true;
    }
    if (node.kind == "hbm_ctrl" && channels_ == 0) {
      channels_ = static_cast<std::int64_t>(number_at(entry, {"attrs", "num_pcs"}));
    }
    const Json& attributes = at(entry, {"attrs"});
    if (attributes.is_object()) node.attributes = attributes.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (node.kind == "pe_tcm" && fetch_gbs_ == 0) {
      fetch_gbs_ = number_at(attributes, {"read_bw_gbs"});
      store_gbs_ = number_at(attributes, {"write_bw_gbs"});
    }
    nodes_.push_back(std::move(node));
  }
  for (const Json& entry : topology.value("edges", Json::array())) {
    if (!entry.is_object()) continue;
    Wire wire{text_of(entry, "src"), text_of(entry, "dst"), text_of(entry, "kind"), number_at(entry, {"bw_gbs"})};
    if (wire.kind == "hbm_to_router") slice_gbs_ = wire.gbs;
    const bool to_tcm = wire.kind == "pe_internal" && ends_with(wire.to, ".pe_tcm") && wire.gbs > 0;
    if (to_tcm) fetch_gbs_ = std::min(fetch_gbs_, wire.gbs);
    if (to_tcm) store_gbs_ = std::min(store_gbs_, wire.gbs);
    wire_of_[wire.from + " " + wire.to] = wires_.size();
    wires_.push_back(std::move(wire));
  }
  read_rates(topology.value("spec", Json::object()));
}

void Machine::read_rates(const Json& spec) {
  if (spec.is_object() && !spec.empty()) spec_ = spec.dump();
  cube_w_ = number_at(spec, {"cube", "geometry", "cube_mm", "w"});
  cube_h_ = number_at(spec, {"cube", "geometry", "cube_mm", "h"});
  mesh_w_ = static_cast<std::int64_t>(number_at(spec, {"sip", "cube_mesh", "w"}));
  mesh_h_ = static_cast<std::int64_t>(number_at(spec, {"sip", "cube_mesh", "h"}));
  channel_gbs_ = number_at(spec, {"cube", "memory_map", "hbm_channel_bw_gbs"});
  macs_per_ns_ = at(spec, {"cube", "pe_template", "components", "pe_gemm", "attrs", "mac_per_ns"}).dump();
  elements_per_ns_ = at(spec, {"cube", "pe_template", "components", "pe_math", "attrs", "elements_per_ns"}).dump();
}

double Machine::wire_gbs(const std::string& from, const std::string& to) const {
  const auto found = wire_of_.find(from + " " + to);
  return found == wire_of_.end() ? 0 : wires_[found->second].gbs;
}

std::string Machine::wire_kind(const std::string& from, const std::string& to) const {
  const auto found = wire_of_.find(from + " " + to);
  return found == wire_of_.end() ? "" : wires_[found->second].kind;
}

std::string Machine::overview() const {
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("mesh").begin_array().integer(mesh_w_).integer(mesh_h_).end_array();
  writer.key("cube_mm").begin_array().real(cube_w_).real(cube_h_).end_array();
  writer.key("channels_per_slice").integer(channels_).key("channel_gbs").real(channel_gbs_);
  writer.key("macs_per_ns").raw(macs_per_ns_).key("elements_per_ns").raw(elements_per_ns_);
  std::set<std::string> known;
  std::string first_cube;
  writer.key("groups").begin_array();
  for (const Node& node : nodes_) {
    const std::string group = group_of(node.id);
    if (!known.insert(group).second) continue;
    if (first_cube.empty() && group.find(".cube") != std::string::npos) first_cube = group;
    writer.text(group);
  }
  writer.end_array().key("pes").begin_array();
  for (const Node& node : nodes_) {
    if (node.kind != "pe_cpu" || !is_under(node.id, first_cube)) continue;
    const std::vector<std::string> parts = split(node.id, '.');
    writer.begin_array().text(parts.size() > 2 ? parts[2] : node.id).real(node.x).real(node.y).end_array();
  }
  writer.end_array().key("pe_count").integer(kinds_.count("pe_cpu") > 0 ? kinds_.at("pe_cpu") : 0);
  writer.key("wires").begin_array();
  for (const Wire& wire : wires_) {
    if (group_of(wire.from) != group_of(wire.to)) write_wire(writer, wire);
  }
  writer.end_array().end_object();
  return writer.str();
}

std::string Machine::block(const std::string& id) const {
  const auto node = std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& one) { return one.id == id; });
  if (node == nodes_.end()) return "";
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("id").text(node->id).key("kind").text(node->kind);
  writer.key("attributes").raw(node->attributes).key("wires").begin_array();
  for (const Wire& wire : wires_) {
    if (wire.from == id || wire.to == id) write_wire(writer, wire);
  }
  writer.end_array().end_object();
  return writer.str();
}

std::string Machine::part(std::string_view prefix) const {
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("nodes").begin_array();
  for (const Node& node : nodes_) {
    if (!is_under(node.id, prefix)) continue;
    writer.begin_array().text(node.id).text(node.kind);
    node.placed ? writer.real(node.x).real(node.y) : writer.null().null();
    writer.end_array();
  }
  writer.end_array().key("wires").begin_array();
  for (const Wire& wire : wires_) {
    if (is_under(wire.from, prefix) || is_under(wire.to, prefix)) write_wire(writer, wire);
  }
  writer.end_array().end_object();
  return writer.str();
}

}  // namespace kb::analysis
