#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "platform/engine/engine_catalog.h"
#include "platform/topology/coordinates.h"
#include "platform/topology/topology.h"
#include "platform/topology/yaml_tree.h"

namespace kb::topology {
namespace {

std::string quoted(const std::string& text) {
  nlohmann::json json(nlohmann::json::value_t::string);  // g++ 14 gives a false warning for json(text)
  json.get_ref<std::string&>() = text;
  return json.dump();
}

// The shortest text that reads back as the same number, always with a point or exponent.
std::string real_text(double value) {
  return nlohmann::json(value).dump();
}

std::string optional_real(const std::optional<double>& value) {
  return value ? real_text(*value) : "null";
}

// Effective parameters by name, including those of a custom implementation.
std::string parameters_text(const Node& node) {
  nlohmann::json attrs = nlohmann::json::object();
  const auto add = [&](const std::string& name, const params::Value& value) {
    std::visit([&](const auto& v) { attrs[name] = v; }, value);
  };
  for (const params::ParamSet* params : {&node.params, &node.impl_params}) {
    if (params->table() == nullptr) continue;
    for (const params::Field& field : params->table()->fields()) {
      if (const auto value = params->value(field)) add(field.name, *value);
    }
  }
  if (node.channel) add("channel", *node.channel);
  return attrs.dump();
}

// The members that apply, in the order from the whole to its parts.
std::string coord_text(const NodeCoord& coord) {
  std::string out;
  const auto add = [&](const char* name, const auto& value) {
    out += fmt::format("{}\"{}\":{}", out.empty() ? "{" : ",", name, value);
  };
  if (coord.sip.valid()) add("sip", coord.sip.value);
  if (!coord.io.empty()) add("io", quoted(coord.io));
  if (coord.cube.valid()) add("cube", coord.cube.value);
  if (coord.pe.valid()) add("pe", coord.pe.value);
  return out.empty() ? "{}" : out + "}";
}

// A configuration value's text as JSON: lists and scalars with YAML's types.
nlohmann::ordered_json to_json(const yaml::Value& value) {
  if (value.kind == yaml::Kind::list) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const yaml::ValuePtr& item : value.items) list.push_back(to_json(*item));
    return list;
  }
  if (!value.quoted) {
    nlohmann::ordered_json parsed = nlohmann::ordered_json::parse(value.text, nullptr, false);
    if (parsed.is_number() || parsed.is_boolean()) return parsed;
  }
  return value.text;
}

nlohmann::ordered_json& child(nlohmann::ordered_json& parent, const std::string& step) {
  const std::size_t bracket = step.find('[');
  if (bracket == std::string::npos) return parent[step];
  nlohmann::ordered_json& list = parent[step.substr(0, bracket)];
  if (list.is_null()) list = nlohmann::ordered_json::array();
  const std::size_t index = std::stoul(step.substr(bracket + 1));
  while (list.size() <= index) list.push_back(nlohmann::ordered_json::object());
  return list[index];
}

// The effective configuration in the nested shape of the topology file.
nlohmann::ordered_json spec_json(const std::map<std::string, ConfigValue>& config) {
  nlohmann::ordered_json spec = nlohmann::ordered_json::object();
  for (const auto& [path, entry] : config) {
    nlohmann::ordered_json* at = &spec;
    for (std::size_t from = 0; from <= path.size();) {
      const std::size_t dot = std::min(path.find('.', from), path.size());
      at = &child(*at, path.substr(from, dot - from));
      from = dot + 1;
    }
    std::vector<Diagnostic> ignored;
    const yaml::ValuePtr value = yaml::parse(entry.value, path, ignored);
    *at = value ? to_json(*value) : nlohmann::ordered_json(entry.value);
  }
  return spec;
}

void append_nodes(std::string& out, const Graph& graph) {
  std::map<std::tuple<const void*, const void*, std::int64_t>, std::string>
      parameter_texts;  // never iterated; computed once per template
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    std::string& attrs = parameter_texts[{node.params.data(), node.impl_params.data(), node.channel.value_or(-1)}];
    if (attrs.empty()) attrs = parameters_text(node);
    const std::string pos =
        node.pos_mm ? fmt::format("[{},{}]", real_text(node.pos_mm->x), real_text(node.pos_mm->y)) : "null";
    const NodeEntry entry = entry_of(graph, node);
    out += fmt::format(
        "{}\n{{\"id\":\"{}\",\"kind\":\"{}\",\"label\":\"{}\",\"coord\":{},\"impl\":{},\"attrs\":{},\"pos_mm\":{}}}",
        i ? "," : "", entry.id, entry.kind, entry.label, coord_text(entry.coord), quoted(node.impl), attrs, pos);
  }
}

void append_edges(std::string& out, const Graph& graph) {
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge& edge = graph.edges[i];
    out += fmt::format(
        "{}\n{{\"src\":\"{}\",\"dst\":\"{}\",\"kind\":\"{}\",\"bw_gbs\":{},\"distance_mm\":{},\"routing_weight_mm\":{}}"
        "}",
        i ? "," : "", graph.node(edge.src).id, graph.node(edge.dst).id, edge_kind_name(edge.kind),
        edge.bw.limited() ? real_text(edge.bw.gbs()) : "null", real_text(edge.distance_mm),
        optional_real(edge.routing_weight_mm));
  }
}

// The engines of a PE, so that nobody has to know their names.
nlohmann::ordered_json engines_json(const engine::EngineCatalog& engines) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const engine::EngineId id : engines.ids()) {
    const engine::EngineRow& row = engines.row(id);
    nlohmann::ordered_json commands = nlohmann::ordered_json::array();
    for (const engine::CommandRow& command : row.commands) {
      nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
      for (const engine::Parameter& parameter : command.parameters) parameters.push_back(parameter.name);
      commands.push_back({{"name", command.name},
                          {"reads", command.reads},
                          {"writes", command.writes},
                          {"parameters", std::move(parameters)}});
    }
    list.push_back(
        {{"name", row.name},
         {"node", engine::engine_node(id)},
         {"stage", engine::engine_stage(id)},
         {"label", row.label},
         {"text", row.text},
         {"sentence", row.sentence},
         {"phrase", row.phrase},
         {"colour", row.colour},
         {"roof",
          {{"rate", row.roof.rate}, {"unit", row.roof.unit}, {"operations_per_unit", row.roof.operations_per_unit}}},
         {"commands", std::move(commands)}});
  }
  return list;
}

}  // namespace

std::string render_json(const LoadedTopology& topology) {
  const Graph& graph = topology.graph;
  std::string out = "{\n";
  out += fmt::format("\"schema\":1,\n\"file\":{},\n\"sha256\":\"{}\",\n", quoted(topology.file), topology.sha256);
  out +=
      fmt::format("\"ns_per_mm\":{},\n\"flit_bytes\":{},\n", real_text(graph.spec.ns_per_mm), graph.spec.flit_bytes());
  out += "\"spec\":" + spec_json(topology.config).dump() +
         ",\n\"engines\":" + engines_json(*graph.spec.engines).dump() + ",\n\"nodes\":[";
  append_nodes(out, graph);
  out += "\n],\n\"edges\":[";
  append_edges(out, graph);
  out += "\n]\n}\n";
  return out;
}

}  // namespace kb::topology
