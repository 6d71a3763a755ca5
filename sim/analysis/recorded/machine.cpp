#include "sim/analysis/recorded/machine.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "platform/base/error.h"
#include "platform/engine/engine_catalog.h"
#include "platform/observe/json_writer.h"

namespace kb::analysis {
namespace {

using Json = nlohmann::ordered_json;
using observe::JsonWriter;

std::string text_of(const Json& parent, const char* name) {
  if (!parent.is_object()) return "";
  const auto at = parent.find(name);
  return at != parent.end() && at->is_string() ? at->get<std::string>() : "";
}

// Returns null when the member does not exist.
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

// Leaves out members that do not apply.
NodeCoord coord_of(const Json& coord) {
  const auto number = [&](const char* name) {
    const auto found = coord.find(name);
    return found != coord.end() && found->is_number_unsigned() ? found->get<std::uint32_t>() : SipId::kNone;
  };
  return {SipId(number("sip")), text_of(coord, "io"), CubeId(number("cube")), PeId(number("pe"))};
}

Json built_in_engines_json() {
  Json list = Json::array();
  const engine::EngineCatalog& engines = *engine::built_in_engines();
  for (const engine::EngineId id : engines.ids()) {
    const engine::EngineRow& row = engines.row(id);
    list.push_back(
        {{"name", row.name},
         {"node", engine::engine_node(id)},
         {"stage", engine::engine_stage(id)},
         {"label", row.label},
         {"sentence", row.sentence},
         {"phrase", row.phrase},
         {"colour", row.colour},
         {"roof",
          {{"rate", row.roof.rate}, {"unit", row.roof.unit}, {"operations_per_unit", row.roof.operations_per_unit}}}});
  }
  return list;
}

void write_engine(JsonWriter& writer, const Machine::Engine& engine) {
  writer.begin_object().key("name").text(engine.name).key("node").text(engine.node).key("stage").text(engine.stage);
  writer.key("label").text(engine.label).key("sentence").text(engine.sentence).key("colour").text(engine.colour);
  writer.key("unit").text(engine.unit).key("operations_per_unit").real(engine.operations_per_unit);
  writer.key("rate").raw(engine.rate).end_object();
}

void write_wire(JsonWriter& writer, const Machine::Wire& wire) {
  writer.begin_array().text(wire.from).text(wire.to).text(wire.kind).real(wire.gbs).end_array();
}

}  // namespace

Machine::Machine(const Json& topology, const std::string& file) {
  const bool is_machine = topology.is_object() && topology.contains("nodes") && topology["nodes"].is_array();
  if (!is_machine) throw Error::configuration(file + ": is not what `kernbench topology --json` prints");
  for (const Json& entry : topology["nodes"]) {
    if (entry.is_object()) read_node(entry, file);
  }
  const auto is_tcm = [&](const std::string& id) {
    const Node* const node = find(id);
    return node != nullptr && node->kind == "pe_tcm";
  };
  for (const Json& entry : topology.value("edges", Json::array())) {
    if (!entry.is_object()) continue;
    Wire wire{text_of(entry, "src"), text_of(entry, "dst"), text_of(entry, "kind"), number_at(entry, {"bw_gbs"})};
    if (wire.kind == "hbm_to_router") slice_gbs_ = wire.gbs;
    const bool to_tcm = wire.kind == "pe_internal" && is_tcm(wire.to) && wire.gbs > 0;
    if (to_tcm) fetch_gbs_ = std::min(fetch_gbs_, wire.gbs);
    if (to_tcm) store_gbs_ = std::min(store_gbs_, wire.gbs);
    wire_of_[wire.from + " " + wire.to] = wires_.size();
    wires_.push_back(std::move(wire));
  }
  read_rates(topology.value("spec", Json::object()));
  read_engines(topology);
}

void Machine::read_engines(const Json& topology) {
  for (const Json& entry : topology.value("engines", built_in_engines_json())) {
    Engine engine;
    engine.name = text_of(entry, "name");
    if (engine.name.empty()) continue;
    engine.node = text_of(entry, "node");
    engine.stage = text_of(entry, "stage");
    engine.label = text_of(entry, "label");
    engine.sentence = text_of(entry, "sentence");
    engine.phrase = text_of(entry, "phrase");
    engine.colour = text_of(entry, "colour");
    engine.unit = text_of(at(entry, {"roof"}), "unit");
    engine::set_engine_word(engine::engine_id(engine.name),
                            {engine.name, engine.label, engine.sentence, engine.phrase, engine.colour});
    engine.operations_per_unit = number_at(entry, {"roof", "operations_per_unit"});
    const std::string rate = text_of(at(entry, {"roof"}), "rate");
    engine.rate =
        at(topology, {"spec", "cube", "pe_template", "components", engine.node.c_str(), "attrs", rate.c_str()}).dump();
    engines_.push_back(std::move(engine));
  }
}

std::vector<std::pair<std::string, std::int64_t>> Machine::counts() const {
  // Each part has one node of the kind.
  constexpr std::array<std::pair<const char*, const char*>, 5> kParts{{{"io_cpu", "IO chiplet"},
                                                                       {"m_cpu", "cube"},
                                                                       {"pe_cpu", "PE"},
                                                                       {"hbm_ctrl", "HBM slice"},
                                                                       {"noc_router", "router"}}};
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const auto& [kind, label] : kParts) {
    const auto found = kinds_.find(kind);
    if (found == kinds_.end()) continue;
    counts.emplace_back(found->second == 1 ? label : std::string(label) + "s", found->second);
  }
  return counts;
}

void Machine::read_node(const Json& entry, const std::string& file) {
  const auto coord = entry.find("coord");
  if (coord == entry.end() || !coord->is_object()) {
    throw Error::configuration(file +
                               ": an older kernbench wrote it, which did not say where nodes stand; run it again " +
                               "with --record DIR, or give the topology file with --topology");
  }
  Node node;
  node.id = text_of(entry, "id");
  node.kind = text_of(entry, "kind");
  node.label = text_of(entry, "label");
  node.coord = coord_of(*coord);
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
  node_of_.emplace(node.id, nodes_.size());
  nodes_.push_back(std::move(node));
}

void Machine::read_rates(const Json& spec) {
  if (spec.is_object() && !spec.empty()) spec_ = spec.dump();
  cube_w_ = number_at(spec, {"cube", "geometry", "cube_mm", "w"});
  cube_h_ = number_at(spec, {"cube", "geometry", "cube_mm", "h"});
  mesh_w_ = static_cast<std::int64_t>(number_at(spec, {"sip", "cube_mesh", "w"}));
  mesh_h_ = static_cast<std::int64_t>(number_at(spec, {"sip", "cube_mesh", "h"}));
  channel_gbs_ = number_at(spec, {"cube", "memory_map", "hbm_channel_bw_gbs"});
}

double Machine::wire_gbs(const std::string& from, const std::string& to) const {
  const auto found = wire_of_.find(from + " " + to);
  return found == wire_of_.end() ? 0 : wires_[found->second].gbs;
}

std::string Machine::wire_kind(const std::string& from, const std::string& to) const {
  const auto found = wire_of_.find(from + " " + to);
  return found == wire_of_.end() ? "" : wires_[found->second].kind;
}

const Machine::Node* Machine::find(const std::string& id) const {
  const auto found = node_of_.find(id);
  return found == node_of_.end() ? nullptr : &nodes_[found->second];
}

std::string Machine::overview() const {
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("mesh").begin_array().integer(mesh_w_).integer(mesh_h_).end_array();
  writer.key("cube_mm").begin_array().real(cube_w_).real(cube_h_).end_array();
  writer.key("channels_per_slice").integer(channels_).key("channel_gbs").real(channel_gbs_);
  writer.key("engines").begin_array();
  for (const Engine& engine : engines_) write_engine(writer, engine);
  writer.end_array();
  // Only one cube is needed, because all cubes are equal.
  const auto in_cube = [](const Node& node) { return node.coord.cube.valid(); };
  const auto cube = std::find_if(nodes_.begin(), nodes_.end(), in_cube);
  writer.key("pes").begin_array();
  for (const Node& node : nodes_) {
    if (node.kind != "pe_cpu" || cube == nodes_.end() || chip_name(node.coord) != chip_name(cube->coord)) continue;
    writer.begin_array().integer(node.coord.pe.value).real(node.x).real(node.y).end_array();
  }
  writer.end_array().key("pe_count").integer(kinds_.count("pe_cpu") > 0 ? kinds_.at("pe_cpu") : 0);
  writer.key("wires").begin_array();
  for (const Wire& wire : wires_) {
    const Node *from = find(wire.from), *to = find(wire.to);
    if (from == nullptr || to == nullptr || joins_chips(from->coord, to->coord)) write_wire(writer, wire);
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

std::string Machine::part(const Scope& part) const {
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("nodes").begin_array();
  for (const Node& node : nodes_) {
    if (!part.has(node.id, node.coord)) continue;
    writer.begin_array().text(node.id).text(node.kind);
    node.placed ? writer.real(node.x).real(node.y) : writer.null().null();
    writer.end_array();
  }
  writer.end_array().key("wires").begin_array();
  for (const Wire& wire : wires_) {
    const auto has = [&](const std::string& id) {
      const Node* node = find(id);
      return node != nullptr && part.has(id, node->coord);
    };
    if (has(wire.from) || has(wire.to)) write_wire(writer, wire);
  }
  writer.end_array().end_object();
  return writer.str();
}

}  // namespace kb::analysis
