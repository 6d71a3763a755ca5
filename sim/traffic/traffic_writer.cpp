#include "sim/traffic/traffic_writer.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "platform/base/names.h"
#include "platform/observe/json_writer.h"

namespace kb::sim {
namespace {

constexpr int kTrafficSchema = 1;

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

std::string render_traffic_json(const topology::Graph& graph, const std::vector<TrafficResult>& results) {
  observe::JsonWriter json;
  json.begin_object().key("schema").integer(kTrafficSchema);
  json.key("flit_bytes").unsigned_integer(graph.spec.flit_bytes()).key("rows").begin_array();
  for (const TrafficResult& result : results) {
    const TraceRow& row = result.row;
    json.begin_object(true).key("id").raw(id_json(row.id)).key("op").text(trace_op_name(row.op));
    json.key("src").text(source_text(row)).key("dst").text(address_text(row.dst));
    json.key("bytes").unsigned_integer(row.bytes).key("path").begin_array();
    for (const NodeId node : result.path) json.text(graph.node(node).id);
    json.end_array().key("issue_ns").time_ns(result.issue).key("delivered_ns").time_ns(result.delivered);
    json.key("completed_ns").time_ns(result.completed).key("status").text(result.status).end_object();
  }
  json.end_array().end_object();
  return json.str() + '\n';
}

std::string render_traffic_tsv(const topology::Graph& graph, const std::vector<TrafficResult>& results) {
  std::string out = "id\top\tsrc\tdst\tbytes\tpath\tissue_ns\tdelivered_ns\tcompleted_ns\tstatus\n";
  for (const TrafficResult& result : results) {
    const TraceRow& row = result.row;
    std::string path;
    for (const NodeId node : result.path) path += (path.empty() ? "" : ">") + graph.node(node).id;
    out += row.id + '\t' + std::string(trace_op_name(row.op)) + '\t' + source_text(row) + '\t' + address_text(row.dst) +
           '\t' + std::to_string(row.bytes) + '\t' + path + '\t' + format_ns(result.issue) + '\t' +
           format_ns(result.delivered) + '\t' + format_ns(result.completed) + '\t' + result.status + '\n';
  }
  return out;
}

}  // namespace kb::sim
