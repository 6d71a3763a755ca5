#include <algorithm>
#include <initializer_list>

#include "platform/base/names.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/text_table.h"
#include "platform/routing/latency.h"
#include "sim/study/probe/probe.h"

namespace kb::sim {
namespace {

using observe::fixed;
using observe::TextTable;
using Align = TextTable::Align;

constexpr std::uint64_t kSweepBytes[] = {4096, 16384, 65536, 262144, 1048576};  // H-86

std::string source_text(const ProbeResult& result) {
  return is_pe_op(result.row.op) ? pe_name(result.row.src) : "host";
}

std::string ns(TimeFs fs) {
  return fixed(fs_to_ns(fs), 2);
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

double actual_ns(const ProbeResult& result) {
  return fs_to_ns(result.actual);
}

struct SweepPoint {
  TimeFs total;
  double effective_gbs, utilisation;
};

// Computes a point by the formula of the measured path (H-86).
SweepPoint sweep_point(const ProbeResult& result, std::uint64_t bytes) {
  const PathFormula& f = result.formula;
  const TimeFs drain = f.bottleneck_bw.limited() ? ns_to_fs(static_cast<double>(bytes) / f.bottleneck_bw.gbs()) : 0_fs;
  const TimeFs total = f.overhead + f.access + f.wire + drain;
  const double rate = effective_gbs(bytes, fs_to_ns(total));
  return {total, rate, utilisation_percent(rate, f.bottleneck_bw)};
}

// Whether there are times without refresh, which have a column then.
bool has_refresh(const ProbeReport& report) {
  return std::any_of(report.results.begin(), report.results.end(),
                     [](const ProbeResult& result) { return result.without_refresh.has_value(); });
}

std::string render_table(const ProbeReport& report) {
  const bool with_refresh = has_refresh(report);
  std::vector<TextTable::Column> columns = {{"Case", Align::left}, {"Target", Align::left}};
  const auto add_columns = [&](std::initializer_list<const char*> titles) {
    for (const char* title : titles) columns.push_back({title, Align::right});
  };
  add_columns({"Actual", "Completed"});
  if (with_refresh) add_columns({"No refresh"});
  add_columns({"Formula", "Ovhd", "Access", "Drain", "Wire", "Eff.BW", "BN.BW", "Util%"});
  TextTable table(std::move(columns));
  for (const ProbeResult& result : report.results) {
    const PathFormula& f = result.formula;
    const double rate = effective_gbs(kProbeBytes, actual_ns(result));
    std::vector<std::string> row{result.probe.name, pe_name(result.probe.target), ns(result.actual),
                                 ns(result.completed)};
    if (with_refresh) row.push_back(ns(result.steady().completed));
    row.insert(row.end(), {ns(f.total()), ns(f.overhead), ns(f.access), ns(f.drain), ns(f.wire), fixed(rate, 1),
                           f.bottleneck_bw.limited() ? fixed(f.bottleneck_bw.gbs(), 1) : "-",
                           fixed(utilisation_percent(rate, f.bottleneck_bw), 1)});
    table.add(std::move(row));
  }
  return table.empty() ? "" : table.render("  ") + "\n";
}

std::string render_sweep(const ProbeReport& report) {
  std::vector<TextTable::Column> columns = {{"Utilisation % by formula", Align::left}};
  for (const std::uint64_t bytes : kSweepBytes) {
    columns.push_back(
        {bytes < kMiB ? std::to_string(bytes / kKiB) + " KiB" : std::to_string(bytes / kMiB) + " MiB", Align::right});
  }
  TextTable table(std::move(columns));
  for (const ProbeResult& result : report.results) {
    std::vector<std::string> cells = {result.probe.name};
    for (const std::uint64_t bytes : kSweepBytes) cells.push_back(fixed(sweep_point(result, bytes).utilisation, 1));
    table.add(std::move(cells));
  }
  return table.empty() ? "" : table.render("  ") + "\n";
}

// One leg with the time at which each node is passed, beginning with 0; a data leg drains at its end.
std::string render_leg(const topology::Graph& graph, const std::vector<NodeId>& path, const std::string& title,
                       bool carries_data) {
  const PathFormula formula = path_formula(graph, path, carries_data ? kProbeBytes : 0);
  std::string text = "    " + title + "\n";
  TimeFs at = 0_fs;
  for (std::size_t i = 0; i < path.size(); ++i) {
    at += path_formula(graph, {path[i]}, 0).overhead;
    text += "    " + padded(ns(at), 9) + "  " + graph.node(path[i]).id;
    if (i + 1 == path.size()) break;
    const EdgeId id = *graph.find_edge(path[i], path[i + 1]);
    at += routing::propagation_fs(graph.edge(id), graph.spec.ns_per_mm);
    if (carries_data && formula.bottleneck && *formula.bottleneck == id) {
      text += "  <BN:" + fixed(formula.bottleneck_bw.gbs(), 0) + "GB/s>";
    }
    text += '\n';
  }
  if (carries_data) text += "  drain:" + ns(formula.drain) + "ns";
  return text + '\n';
}

std::string render_routes(const topology::Graph& graph, const ProbeReport& report) {
  std::string text;
  for (const ProbeResult& result : report.results) {
    text += "  " + result.probe.name + "\n";
    if (is_read_op(result.row.op)) {
      text += render_leg(graph, result.path, "forward (command)", false);
      text += render_leg(graph, {result.path.rbegin(), result.path.rend()}, "reverse (data)", true);
    } else {
      text += render_leg(graph, result.path, "forward (data)", true);
    }
  }
  return text.empty() ? "" : "Routes, cumulative ns of wire and overhead\n" + text + "\n";
}

void write_case(observe::JsonWriter& json, const topology::Graph& graph, const ProbeResult& result) {
  const PathFormula& f = result.formula;
  const double rate = effective_gbs(kProbeBytes, actual_ns(result));
  json.begin_object().key("category").text(probe_category_name(result.probe.category));
  json.key("case").text(result.probe.name).key("op").text(trace_op_name(result.row.op));
  json.key("src").text(source_text(result)).key("target").text(pe_name(result.probe.target));
  json.key("status").text(result.status);
  json.key("actual_ns").time_ns(result.actual).key("completed_ns").time_ns(result.completed);
  json.key("without_refresh");
  if (result.without_refresh) {
    json.begin_object(true).key("actual_ns").time_ns(result.without_refresh->actual);
    json.key("completed_ns").time_ns(result.without_refresh->completed).end_object();
  } else {
    json.null();
  }
  json.key("overhead_ns")
      .time_ns(f.overhead)
      .key("access_ns")
      .time_ns(f.access)
      .key("drain_ns")
      .time_ns(f.drain)
      .key("wire_ns")
      .time_ns(f.wire);
  json.key("formula_ns").time_ns(f.total()).key("effective_gbs").real(rate).key("bottleneck_gbs");
  f.bottleneck_bw.limited() ? json.real(f.bottleneck_bw.gbs()) : json.null();
  json.key("utilisation_percent").real(utilisation_percent(rate, f.bottleneck_bw));
  json.key("path").begin_array(true);
  for (const NodeId node : result.path) json.text(graph.node(node).id);
  json.end_array().key("sweep").begin_array();
  for (const std::uint64_t bytes : kSweepBytes) {
    const SweepPoint point = sweep_point(result, bytes);
    json.begin_object(true).key("bytes").unsigned_integer(bytes).key("total_ns").time_ns(point.total);
    json.key("effective_gbs").real(point.effective_gbs).key("utilisation_percent").real(point.utilisation).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string render_probe(const topology::LoadedTopology& topology, const ProbeReport& report, bool routes) {
  std::string text = "Probe of " + topology.file +
                     ": one transfer of 32 KiB per case on an idle machine; times in ns, bandwidths in GB/s\n";
  if (has_refresh(report)) {
    text += "No refresh: Completed on the same machine with refresh: none; formula and checks are compared with that\n";
  }
  text += "\n";
  text += render_table(report);
  if (routes) text += render_sweep(report) + render_routes(topology.graph, report);
  for (const ProbeCase& probe : report.skipped) text += "skipped " + probe.name + ": " + probe.skipped + "\n";
  for (const ProbeCheck& check : report.checks) {
    text += (check.informational ? "[i] " : check.ok ? "[v] PASS " : "[x] FAIL ") + check.text + "\n";
  }
  return text;
}

std::string render_probe_json(const topology::LoadedTopology& topology, const ProbeReport& report) {
  observe::JsonWriter json;
  json.begin_object().key("schema").integer(1).key("topology").begin_object(true);
  json.key("file").text(topology.file).key("sha256").text(topology.sha256).end_object();
  json.key("bytes").unsigned_integer(kProbeBytes).key("cases").begin_array();
  for (const ProbeResult& result : report.results) write_case(json, topology.graph, result);
  json.end_array().key("skipped").begin_array();
  for (const ProbeCase& probe : report.skipped) {
    json.begin_object(true).key("case").text(probe.name).key("reason").text(probe.skipped).end_object();
  }
  json.end_array().key("checks").begin_array();
  for (const ProbeCheck& check : report.checks) {
    json.begin_object(true).key("text").text(check.text).key("ok").boolean(check.ok);
    json.key("informational").boolean(check.informational).end_object();
  }
  json.end_array().key("ok").boolean(report.ok()).end_object();
  return json.str() + '\n';
}

}  // namespace kb::sim
