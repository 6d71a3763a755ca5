#include "sim/study/sweep/summary.h"

#include <filesystem>

#include "platform/base/version.h"
#include "platform/observe/json_writer.h"
#include "sim/result/sweep_document.h"
#include "sim/result/write.h"
#include "sim/study/sweep/objective_plots.h"

namespace kb::sweep {
namespace {

using observe::JsonWriter;

const char* name_of(Target target) {
  return target == Target::parameter ? "set" : target == Target::machine ? "machine" : "run";
}

const char* name_of(Keep keep) {
  return keep == Keep::columns ? "columns" : keep == Keep::results ? "results" : "runs";
}

const char* name_of(Plot::Kind kind) {
  return kind == Plot::Kind::lines ? "lines" : kind == Plot::Kind::pareto ? "pareto" : "heat";
}

void write_points(JsonWriter& json, const Table& table) {
  const std::size_t status = column_index(table, "status");
  std::uint64_t ok = 0, failed = 0, missing = 0;
  for (const auto& row : table.rows) ++(row[status] == "ok" ? ok : row[status] == "failed" ? failed : missing);
  json.key("points").begin_object(true);
  json.key("all").unsigned_integer(table.rows.size()).key("ok").unsigned_integer(ok);
  json.key("failed").unsigned_integer(failed).key("missing").unsigned_integer(missing).end_object();
}

void write_axes(JsonWriter& json, const SweepSpec& spec) {
  json.key("axes").begin_array();
  for (const Axis& axis : spec.axes) {
    for (const AxisColumn& column : axis.columns) {
      json.begin_object(true).key("name").text(column.name).key("axis").text(axis.name);
      json.key("varies").text(name_of(column.target)).key("key").text(column.key).key("values").begin_array(true);
      for (const std::string& value : column.values) json.raw(result::json_scalar(value));
      json.end_array().end_object();
    }
  }
  json.end_array();
}

void write_columns(JsonWriter& json, const SweepSpec& spec) {
  json.key("columns").begin_array();
  for (const Column& column : spec.columns) {
    json.begin_object(true).key("name").text(column.name).key("kind");
    json.text(column.formula ? "formula" : column.sql ? "query" : "place").key("text").text(column.text).end_object();
  }
  json.end_array();
}

void write_front(JsonWriter& json, const SweepSpec& spec, const Table& table, const Front& front) {
  json.key("objectives").begin_array();
  for (const Objective& one : spec.objectives) {
    json.begin_object(true).key("column").text(one.column).key("goal").text(sweep::name_of(one.goal)).end_object();
  }
  json.end_array().key("pareto");
  if (spec.objectives.empty()) {
    json.null();
    return;
  }
  json.begin_object(true).key("points").begin_array(true);
  for (const std::size_t row : front.rows) json.raw(cell_text(table.rows[row].front()));
  json.end_array().key("compared").unsigned_integer(front.compared).key("failed").unsigned_integer(front.failed);
  json.key("missing").unsigned_integer(front.missing).key("no_value").unsigned_integer(front.no_value).end_object();
}

void write_plots(JsonWriter& json, const SweepSpec& spec) {
  json.key("plots").begin_array();
  for (const Plot& plot : all_plots(spec)) {
    json.begin_object(true).key("name").text(plot.name).key("kind").text(name_of(plot.kind));
    json.key("x").text(plot.x).key("y").text(plot.y);
    if (!plot.series.empty()) json.key("series").text(plot.series);
    if (!plot.value.empty()) json.key("value").text(plot.value);
    if (!plot.where.empty()) {
      json.key("where").begin_object(true);
      for (const auto& [column, value] : plot.where) json.key(column).raw(result::json_scalar(value));
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string render_summary(const SweepSpec& spec, const Table& table, const Front& front) {
  JsonWriter json;
  json.begin_object().key("schema").text(result::kSweepSchema).key("kernbench").text(kVersion);
  json.key("sweep").text(spec.name);
  json.key("file").text(std::filesystem::path(spec.file).filename().string());
  json.key("workload").text(spec.workload).key("topology").text(spec.topology);
  json.key("traffic").boolean(!spec.traffic.empty()).key("keep").text(name_of(spec.keep));
  write_points(json, table);
  write_axes(json, spec);
  write_columns(json, spec);
  write_front(json, spec, table, front);
  write_plots(json, spec);
  json.end_object();
  return json.str() + "\n";
}

}  // namespace kb::sweep
