#include "sim/ports/traffic/traffic_writer.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <unordered_map>

#include "platform/base/names.h"
#include "platform/observe/json_writer.h"

namespace kb::sim {
namespace {

constexpr int kTrafficSchema = 1;

// Caches the text of each path, because many rows share a path.
class PathTexts {
 public:
  PathTexts(std::string (*render)(const topology::Graph&, const std::vector<NodeId>&), const topology::Graph& graph)
      : render_(render), graph_(graph) {}

  const std::string& of(const TrafficResult& result) {
    const auto [text, added] = texts_.try_emplace(result.path);
    if (added && result.path != nullptr) text->second = render_(graph_, *result.path);
    return text->second;
  }

 private:
  std::string (*render_)(const topology::Graph&, const std::vector<NodeId>&);
  const topology::Graph& graph_;
  std::unordered_map<const std::vector<NodeId>*, std::string> texts_;
};

std::string path_tsv(const topology::Graph& graph, const std::vector<NodeId>& path) {
  std::string text;
  for (const NodeId node : path) text += (text.empty() ? "" : ">") + graph.node(node).id;
  return text;
}

std::string path_json(const topology::Graph& graph, const std::vector<NodeId>& path) {
  observe::JsonWriter json;
  json.begin_array(true);
  for (const NodeId node : path) json.text(graph.node(node).id);
  return json.end_array().str();
}

std::string source_text(const TraceRow& row) {
  return is_pe_op(row.op) ? pe_name(row.src) : "host";
}

std::string address_text(std::uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string id_json(const std::string& id) {
  const bool digits = std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  const bool number = digits && !id.empty() && id.size() <= 18 && (id.size() == 1 || id[0] != '0');
  return number ? id : observe::json_string(id);
}

}  // namespace

void render_traffic_json(const topology::Graph& graph, const std::vector<TrafficResult>& results,
                         const observe::TextSink& sink) {
  PathTexts paths(path_json, graph);
  observe::JsonWriter json(sink);
  json.begin_object().key("schema").integer(kTrafficSchema);
  json.key("flit_bytes").unsigned_integer(graph.spec.flit_bytes()).key("rows").begin_array();
  for (const TrafficResult& result : results) {
    const TraceRow& row = result.row;
    json.begin_object(true).key("id").raw(id_json(row.id)).key("op").text(trace_op_name(row.op));
    json.key("src").text(source_text(row)).key("dst").text(address_text(row.dst));
    json.key("bytes").unsigned_integer(row.bytes).key("path").raw(paths.of(result));
    json.key("issue_ns").time_ns(result.issue).key("delivered_ns").time_ns(result.delivered);
    json.key("completed_ns").time_ns(result.completed).key("status").text(result.status).end_object();
  }
  json.end_array().end_object().finish();
}

void render_traffic_tsv(const topology::Graph& graph, const std::vector<TrafficResult>& results,
                        const observe::TextSink& sink) {
  PathTexts paths(path_tsv, graph);
  std::string out = "id\top\tsrc\tdst\tbytes\tpath\tissue_ns\tdelivered_ns\tcompleted_ns\tstatus\n";
  for (const TrafficResult& result : results) {
    const TraceRow& row = result.row;
    out.append(row.id).append(1, '\t').append(trace_op_name(row.op)).append(1, '\t').append(source_text(row));
    out.append(1, '\t').append(address_text(row.dst)).append(1, '\t').append(std::to_string(row.bytes));
    out.append(1, '\t').append(paths.of(result)).append(1, '\t').append(format_ns(result.issue));
    out.append(1, '\t').append(format_ns(result.delivered)).append(1, '\t').append(format_ns(result.completed));
    out.append(1, '\t').append(result.status).append(1, '\n');
    if (out.size() >= observe::kPieceBytes) observe::pass_on(out, sink);
  }
  if (!out.empty()) sink(out);
}

}  // namespace kb::sim
