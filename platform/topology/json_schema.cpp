#include "platform/topology/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/ops/engine_rates.h"
#include "platform/topology/component_rules.h"
#include "platform/topology/key_record.h"
#include "platform/topology/key_texts.h"
#include "platform/topology/replacements.h"
#include "platform/topology/scalar_text.h"
#include "platform/topology/schema.h"

namespace kb::topology {
namespace {

using Json = nlohmann::ordered_json;
using params::Field;
using params::FieldTable;
using params::FieldType;

constexpr const char* kOtherImpl = "^(custom|rtl|tlm)\\.";  // for implementations that are not built in

// Two machines with all optional keys that are read only when present. A default that differs between them follows from
// other keys.
constexpr const char* kSamples[] = {R"(
system: { sips: { count: 4, topology: torus_2d, w: 2, h: 2 } }
sip:
  cube_mesh: { w: 2, h: 1 }
  io_chiplets:
    - cube_ports: [{ cube: { xy: [0, 0] }, cube_side: N, phy: P0 }]
    - cube_ports: [{ cube: { xy: [1, 0] }, cube_side: S, phy: P0 }]
cube:
  pe_layout: { corners: [NW], pe_per_corner: 1 }
  mesh_file: grid.yaml
replace: [{ nodes: "*" }]
energy: { defaults: none }
)",
                                    R"(
system: { sips: { count: 1 } }
sip: { cube_mesh: { w: 1, h: 1 } }
cube:
  pe_layout: { corners: [NW, SE], pe_per_corner: 2 }
  ucie: { n_connections: 2 }
  memory_map: { hbm_channels_per_pe: 4, hbm_channel_bw_gbs: 16, tcm_size_mb: 4, page_size: 8192 }
)"};

KeyRecord read_sample(const char* text) {
  ReadContext context("");
  KeyRecord record;
  context.record_into(record);
  std::vector<Diagnostic> none;
  MapReader top(context, yaml::parse(text, "", none));
  read_machine(top);
  read_replacements(top);
  return record;
}

// basic_json::update() leaves parents behind when JSON_DIAGNOSTICS is on.
void merge(Json& into, const Json& from) {
  for (const auto& [key, value] : from.items()) into[key] = value;
}

// Puts a value on one line if it fits.
std::string text_of(const Json& value, std::size_t indent = 0) {
  constexpr std::size_t kColumns = 130;
  const std::string line = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!value.is_structured() || line.size() + indent < kColumns) return line;
  const std::string margin(indent + 1, ' ');
  std::string text;
  for (const auto& [key, item] : value.items()) {
    text += (text.empty() ? "" : ",\n") + margin;
    if (value.is_object()) text += Json(key).dump() + ": ";
    text += text_of(item, indent + 1);
  }
  const bool object = value.is_object();
  return (object ? "{\n" : "[\n") + text + "\n" + std::string(indent, ' ') + (object ? "}" : "]");
}

// "macs per ns [1/ns]"
std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : fmt::format("{} [{}]", text, unit);
}

// Integers without a decimal point.
Json number_json(double value) {
  if (value == std::floor(value) && std::abs(value) <= 1e15) return static_cast<std::int64_t>(value);
  return value;
}

Json number_schema(const char* type, const Bounds& bounds) {
  Json range = Json::object();
  range[bounds.above_low ? "exclusiveMinimum" : "minimum"] = number_json(bounds.low);
  range["maximum"] = number_json(bounds.high);
  Json schema{{"type", type}};
  if (bounds.or_zero) {
    schema["anyOf"] = Json::array({Json{{"const", 0}}, range});
  } else {
    merge(schema, range);
  }
  return schema;
}

Json text_schema() {
  return {{"type", {"string", "number", "boolean"}}, {"minLength", 1}};
}

// An empty mapping may also be written without a value.
Json mapping_schema(bool needed) {
  Json schema;
  schema["type"] = needed ? Json("object") : Json{"object", "null"};
  schema["additionalProperties"] = false;
  schema["properties"] = Json::object();
  return schema;
}

Json powers_of_two(const Bounds& bounds) {
  Json values = Json::array();
  for (std::int64_t value = 1; static_cast<double>(value) <= bounds.high && values.size() < 32; value *= 2) {
    if (bounds.contain(static_cast<double>(value))) values.push_back(value);
  }
  return {{"type", "integer"}, {"enum", values}};
}

Json rates_schema(const Field& field) {
  Json by_dtype{{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
  for (const std::string& dtype : dtype_names()) by_dtype["properties"][dtype] = number_schema("number", field.bounds);
  by_dtype["anyOf"] = Json::array({Json{{"required", {"f16"}}}, Json{{"required", arithmetic_dtype_names()}}});
  return {{"anyOf", Json::array({number_schema("number", field.bounds), by_dtype})}};
}

Json field_schema(const Field& field) {
  switch (field.type) {
    case FieldType::real:
      return number_schema("number", field.bounds);
    case FieldType::whole:
      return number_schema("integer", field.bounds);
    case FieldType::power_of_two:
      return powers_of_two(field.bounds);
    case FieldType::flag:
      return {{"type", "boolean"}};
    case FieldType::word:
      return {{"enum", field.words}};
    case FieldType::text:
      return text_schema();
    case FieldType::macs_per_ns:
    case FieldType::elements_per_ns:
      return rates_schema(field);
    case FieldType::granularity:
      return {{"type", "string"}, {"pattern", "^([1-9][0-9]{0,3}x[1-9][0-9]{0,3}x[1-9][0-9]{0,3}|none)$"}};
  }
  return {};
}

Json value_json(const params::Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return number_json(*real);
  Json json;
  std::visit([&](const auto& v) { json = v; }, value);
  return json;
}

// Adds the writable attributes of a table to `properties`. `a` and `b` are the defaults in the two machines.
void add_fields(const FieldTable& table, const params::ParamSet& a, const params::ParamSet& b, Json& properties) {
  for (const Field& field : table.fields()) {
    if (!field.set_instead.empty()) continue;
    std::string text = with_unit(field.text, field.unit);
    if (!field.follows.empty()) text += "; default: as " + field.follows;
    Json schema{{"description", text}};
    merge(schema, field_schema(field));
    const auto value = a.value(field);
    if (value && field.follows.empty() && value == b.value(field)) schema["default"] = value_json(*value);
    properties[field.name] = std::move(schema);
  }
}

// { if: `impl` satisfies `condition`, then: only `names` under `attrs` }
Json names_of_attrs(const Json& properties) {
  Json names = Json::array();
  for (const auto& [name, schema] : properties.items()) names.push_back(name);
  const Json rule = names.empty() ? Json{{"maxProperties", 0}} : Json{{"propertyNames", Json{{"enum", names}}}};
  return {{"properties", Json{{"attrs", rule}}}};
}

Json if_impl(const Json& condition) {
  return {{"properties", Json{{"impl", condition}}}, {"required", {"impl"}}};
}

// Adds kind, impl and attrs of a block to the keys of `mapping`.
void add_component(const ComponentRule& a, const ComponentRule& b, const Implementations& implementations,
                   Json& mapping) {
  const KindSchema& rule = kind_rule(a.kind);
  const std::vector<std::string> others = implementations.names(a.kind);
  std::vector<std::string> known = rule.impls;
  known.insert(known.end(), others.begin(), others.end());
  Json attrs{{"description", "parameters of the block"}, {"type", {"object", "null"}}, {"properties", Json::object()}};
  add_fields(rule.fields, a.defaults, b.defaults, attrs["properties"]);
  const Json built_in = attrs["properties"];
  std::string more = kOtherImpl;
  for (const auto& [impl, fields] : rule.own_fields) more += "|^" + impl + "$";
  mapping["allOf"] =
      Json::array({Json{{"if", if_impl({{"type", "string"}, {"pattern", more}})}, {"else", names_of_attrs(built_in)}}});
  for (const std::string& impl : known) {
    const params::FieldTable* const table = fields_of_impl(implementations, a.kind, impl);
    if (table == nullptr) continue;
    const params::ParamSet own(*table);
    Json properties = built_in, of_impl = Json::object();
    add_fields(*own.table(), own, own, of_impl);
    merge(properties, of_impl);
    for (const params::KnownElsewhere& other : table->misplaced()) properties.erase(other.name);
    Json then = names_of_attrs(properties);
    if (!of_impl.empty()) then["properties"]["attrs"]["properties"] = of_impl;
    mapping["allOf"].push_back(Json{{"if", if_impl({{"const", impl}})}, {"then", then}});
  }
  Json& properties = mapping["properties"];
  properties["kind"] = {{"description", "may be left out"}, {"const", std::string(node_kind_name(a.kind))}};
  properties["impl"] = {
      {"description", "the implementation; custom.<name> is one of a plug-in"},
      {"anyOf", Json::array({Json{{"enum", known}}, Json{{"type", "string"}, {"pattern", kOtherImpl}}})},
      {"default", rule.impl}};
  properties["attrs"] = std::move(attrs);
}

Json key_schema(const KeyRule& rule, bool needed) {
  switch (rule.type) {
    case KeyRule::Type::real:
      return number_schema("number", rule.bounds);
    case KeyRule::Type::whole:
      return number_schema("integer", rule.bounds);
    case KeyRule::Type::flag:
      return {{"type", "boolean"}};
    case KeyRule::Type::text:
      return text_schema();
    case KeyRule::Type::word:
      return {{"enum", rule.words}};
    case KeyRule::Type::words:
      return {{"type", "array"}, {"items", Json{{"enum", rule.words}}}, {"uniqueItems", true}};
    case KeyRule::Type::pair:
      return {{"type", "array"}, {"items", number_schema("number", rule.bounds)}, {"minItems", 2}, {"maxItems", 2}};
    case KeyRule::Type::mapping:
      return mapping_schema(needed);
    case KeyRule::Type::mappings: {
      Json list{{"type", {"array", "null"}}, {"maxItems", rule.most}};
      list["items"] = mapping_schema(true);
      return list;
    }
  }
  return {};
}

// Defaults are texts in the rules.
Json default_json(const KeyRule& rule) {
  if (rule.type == KeyRule::Type::word || rule.type == KeyRule::Type::text) return *rule.fallback;
  return Json::parse(*rule.fallback);
}

std::string parent_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

class SchemaTree {
 public:
  SchemaTree(const KeyRecord& a, const KeyRecord& b, const Implementations& implementations)
      : a_(a), b_(b), implementations_(implementations), root_(mapping_schema(true)) {}

  Json build() {
    for (const auto& [path, rule] : a_.keys()) {
      if (rule.mandatory) need(path);
    }
    for (const auto& [path, rule] : a_.keys()) {  // ordered by path: a mapping precedes its contents
      if (!of_component(path)) add(path, rule);
    }
    for (const auto& [path, component] : a_.components()) {
      if (path.rfind("replace[]", 0) == 0) continue;
      add_component(component, b_.components().count(path) != 0 ? b_.components().at(path) : component,
                    implementations_, mapping_at(path));
    }
    return std::move(root_);
  }

  Json& mapping_at(const std::string& path) {
    Json* at = &root_;
    for (std::size_t from = 0; from < path.size();) {
      const std::size_t dot = std::min(path.find('.', from), path.size());
      std::string step = path.substr(from, dot - from);
      const bool entries = step.size() > 2 && step.compare(step.size() - 2, 2, "[]") == 0;
      if (entries) step.resize(step.size() - 2);
      at = &(*at)["properties"][step];
      if (entries) at = &(*at)["items"];
      from = dot + 1;
    }
    return *at;
  }

 private:
  // The mappings around a mandatory key are also mandatory, up to the enclosing list.
  void need(std::string path) {
    while (!path.empty() && needed_.insert(path).second && path.back() != ']') path = parent_of(path);
  }

  bool of_component(const std::string& path) const {
    for (const auto& [component, rule] : a_.components()) {
      for (const char* const key : {".kind", ".impl", ".attrs"}) {
        const std::string part = component + key;
        if (path == part || path.rfind(part + ".", 0) == 0) return true;
      }
    }
    return false;
  }

  void add(const std::string& path, const KeyRule& rule) {
    const std::string key = path.substr(path.rfind('.') + 1);  // npos + 1 is 0
    const std::string unit = unit_of(key);
    const bool needed = needed_.count(path) != 0;
    Json schema = Json::object();
    const auto text = key_texts().find(path);
    if (text != key_texts().end()) {
      const bool number = rule.type <= KeyRule::Type::whole || rule.type == KeyRule::Type::pair;
      schema["description"] = number ? with_unit(text->second, unit) : text->second;
    }
    merge(schema, key_schema(rule, needed));
    const auto other = b_.keys().find(path);
    if (rule.fallback && (other == b_.keys().end() || other->second.fallback == rule.fallback)) {
      schema["default"] = default_json(rule);
    }
    Json& parent = mapping_at(parent_of(path));
    parent["properties"][key] = std::move(schema);
    if (needed) parent["required"].push_back(key);
  }

  const KeyRecord &a_, &b_;
  const Implementations& implementations_;
  Json root_;
  std::set<std::string> needed_;
};

// Adds the replacements, which are read after compilation; their attributes depend on the nodes.
void add_replacements(Json& entry) {
  entry["properties"]["impl"] = {{"description", "the implementation, of nodes"}, {"type", "string"}, {"minLength", 1}};
  entry["properties"]["attrs"] = {{"description", "parameters of blocks of that kind, or of links"},
                                  {"type", {"object", "null"}}};
  Json of_links{{"type", "object"}, {"additionalProperties", false}, {"minProperties", 1}};
  Json& bandwidth_of_links =
      of_links["properties"]["bw_gbs"] = {{"description", "of the links, in this direction [GB/s]"}};
  merge(bandwidth_of_links, number_schema("number", bandwidth()));
  Json& length_of_links = of_links["properties"]["distance_mm"] = {{"description", "length of the links [mm]"}};
  merge(length_of_links, number_schema("number", length_mm()));
  entry["oneOf"] =
      Json::array({Json{{"required", {"nodes"}}},
                   Json{{"required", {"links", "attrs"}}, {"properties", Json{{"impl", false}, {"attrs", of_links}}}}});
}

// Keys that are only read when present; all are optional.
void add_weights(Json& weights) {
  const Json length = number_schema("number", length_mm());
  for (int k = 0; k <= static_cast<int>(EdgeKind::command); ++k) {
    weights["properties"][std::string(edge_kind_name(static_cast<EdgeKind>(k)))] = length;
  }
}

}  // namespace

std::string topology_json_schema(const Implementations& implementations) {
  const KeyRecord a = read_sample(kSamples[0]), b = read_sample(kSamples[1]);
  SchemaTree tree(a, b, implementations);
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"$comment", "made by 'kernbench schema topology'; do not edit"},
              {"title", "kernbench topology"},
              {"description", "a machine of kernbench; 'kernbench check FILE' also finds what ties several keys"}};
  Json body = tree.build();
  add_weights(body["properties"]["routing"]["properties"]["routing_weight_mm"]);
  add_replacements(body["properties"]["replace"]["items"]);
  merge(schema, body);
  return text_of(schema) + "\n";
}

}  // namespace kb::topology
