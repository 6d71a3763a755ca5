#include "sim/evaluate/run_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>
#include <thread>

#include "platform/base/error.h"
#include "platform/base/version.h"
#include "platform/observe/output_file.h"
#include "platform/topology/sha256.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/folder_lock.h"
#include "sim/evaluate/json_file.h"
#include "sim/evaluate/point_failure.h"
#include "sim/evaluate/printable.h"
#include "sim/evaluate/staging.h"
#include "sim/process/process_pool.h"

namespace kb::evaluate {
namespace {

constexpr int kDataSchema = 2;
constexpr const char* kProgram = "/proc/self/exe";
constexpr const char* kCclName = "ccl.yaml";
constexpr const char* kTopologyName = "topology.yaml";
constexpr const char* kGridName = "mesh_grid.yaml";

// Joined, because a value may begin with a dash.
std::vector<std::string> machine_options(const Point& point, const RunOptions& options, const std::string& folder) {
  std::vector<std::string> words;
  const bool own = !point.topology.empty();
  if (own) words.push_back("--topology=" + folder + "/" + kTopologyName);
  for (std::size_t i = 0; i + 1 < options.topology.size(); i += 2) {
    if (own && options.topology[i] == "--topology") continue;
    words.push_back(options.topology[i] + "=" + options.topology[i + 1]);
  }
  for (const auto& [name, value] : point.machine_sets) words.push_back("--set=" + name + "=" + value);
  return words;
}

std::vector<std::string> command_of(const Point& point, const RunOptions& options, const std::string& folder) {
  std::vector<std::string> command{std::filesystem::read_symlink(kProgram).string()};  // its name; kProgram is run
  const auto add = [&](const std::vector<std::string>& words) {
    command.insert(command.end(), words.begin(), words.end());
  };
  const std::vector<std::string> machine = machine_options(point, options, folder);
  if (!point.trace.empty()) {
    add({"traffic"});
    add(machine);
    add({"--trace", folder + "/trace.csv", "--json", "--out", folder + "/result.json"});
    return command;
  }
  add({"run", "--quiet"});
  if (point.verify) {
    add({"--verify-data"});
  } else {
    add({"--data", "off"});
  }
  add(machine);
  add({"--set=visualization.emit_views=[]"});
  add({"--bench", point.workload});
  for (const auto& [name, value] : point.params) add({"--set", name + "=" + value});
  if (!point.ccl.empty()) add({"--set", "ccl=" + folder + "/" + kCclName});
  add({"--out", folder});
  if (point.oplog) add({"--oplog", folder + "/ops.sqlite"});
  return command;
}

// The row of a run that ended; nothing when it failed. Wrong contents are something that was measured.
std::optional<Json> measured_row(const IEvaluation& evaluation, const Point& point, const sim::ProcessEnd& end,
                                 const std::string& folder) {
  const PointFiles files{folder + "/result.json", folder + "/ops.sqlite"};
  if (end.code == 0) return evaluation.row(point, files);
  const Json result = Json::parse(read_file(files.result), nullptr, false);
  if (!result.is_object() || !result.contains("error") || !result["error"].is_object()) return std::nullopt;
  const std::string code = result["error"].value("code", "");
  if (point.verify && code == "VERIFICATION_FAILED") return evaluation.row(point, files);
  return evaluation.row_of_failure(point, code, result["error"].value("message", ""));
}

std::optional<Json> row_of(const IEvaluation& evaluation, const Point& point, const sim::ProcessEnd& end,
                           const std::string& folder) {
  try {
    return measured_row(evaluation, point, end, folder);
  } catch (const Json::exception& error) {
    throw Error(ErrorFamily::configuration, "POINT_FAILED",
                "the result of point " + point.id + " cannot be read (" + reason_of(error) + "); its folder " + folder +
                    " has been changed meanwhile, or this computer is out of room");
  }
}

// What a run took of the computer (E-94): no part of the data file, which two equal calls write equally.
Json host_of(const sim::ProcessEnd& end, const std::string& result_file) {
  Json host{{"wall_s", end.wall_s}, {"cpu_s", end.cpu_s}, {"rss_mb", end.rss_mb}};
  const Json result = Json::parse(read_file(result_file), nullptr, false);
  if (!result.is_object() || !result.contains("host")) return host;
  host["events"] = result["host"]["events"];
  if (end.wall_s > 0.0) host["simulated_ns_per_wall_s"] = result.value("sim_time_ns", 0.0) / end.wall_s;
  return host;
}

struct Rows {
  std::vector<Json> rows;
  std::vector<Json> hosts;
  std::size_t resumed = 0;
};

Rows measure(const IEvaluation& evaluation, const std::vector<Point>& points, const WorkFolder& work,
             const Staging& staging, const RunOptions& options) {
  Rows found{std::vector<Json>(points.size()), std::vector<Json>(points.size()), 0};
  std::vector<sim::ProcessJob> jobs;
  std::vector<std::size_t> of_job;
  std::vector<std::string> folders(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const std::optional<Json> kept = staging.find(points[i])) {
      found.rows[i] = (*kept)["row"];
      found.hosts[i] = (*kept)["host"];
      ++found.resumed;
      continue;
    }
    const std::string folder = work.make_run_folder(points[i].id);
    folders[i] = folder;
    if (!points[i].trace.empty()) write_file(folder + "/trace.csv", points[i].trace, "the traffic of a point");
    if (!points[i].ccl.empty()) write_file(folder + "/" + kCclName, points[i].ccl, "the queues of a point");
    if (!points[i].topology.empty())
      write_file(folder + "/" + kTopologyName, points[i].topology, "the machine of a point");
    if (!points[i].grid.empty()) write_file(folder + "/" + kGridName, points[i].grid, "the router grid of a point");
    jobs.push_back({command_of(points[i], options, folder), folder + "/log", kProgram});
    of_job.push_back(i);
  }
  std::size_t done = found.resumed;
  if (options.progress) options.progress(done, points.size());
  sim::run_processes(jobs, options.jobs, [&](std::size_t job, const sim::ProcessEnd& end) {
    const Point& point = points[of_job[job]];
    const std::string& folder = folders[of_job[job]];
    if (!std::filesystem::is_directory(folder)) {
      throw Error(ErrorFamily::configuration, "POINT_FAILED",
                  "the folder " + folder + " of point " + point.id +
                      " was removed while it ran; run the same command " + "again");
    }
    const std::optional<Json> measured = row_of(evaluation, point, end, folder);
    if (!measured) throw failure_of(point, end, read_file(folder + "/log"));
    Json& row = found.rows[of_job[job]];
    Json& host = found.hosts[of_job[job]];
    row = *measured;
    host = host_of(end, folder + "/result.json");
    staging.keep(point, Json{{"row", row}, {"host", host}});
    work.remove_run_folder(point.id);
    if (options.progress) options.progress(++done, points.size());
  });
  return found;
}

// What --set changed of the topology file.
Json changes(const topology::LoadedTopology& machine) {
  Json json = Json::object();
  for (const auto& [key, value] : machine.config) {
    if (value.origin == "--set") json[key] = value.value;
  }
  return json;
}

Json header(const IEvaluation& evaluation, const topology::LoadedTopology& machine, const std::vector<Point>& points) {
  std::string text = machine_digest(machine) + "\n";
  for (const Point& point : points) {
    text += describe(point) + "\n" + point.trace + point.ccl + point.topology + point.grid;
  }
  return {{"schema", kDataSchema},
          {"evaluation", evaluation.name()},
          {"kernbench", kVersion},
          {"topology",
           {{"file", std::filesystem::path(machine.file).filename().string()},
            {"sha256", machine.sha256},
            {"digest", machine_digest(machine)},
            {"set", changes(machine)}}},
          {"config_digest", topology::sha256_hex(text)}};
}

Error damaged(const std::string& file, const Json::exception& error) {
  return Error::configuration(file + " is damaged (" + reason_of(error) + "); measure again without --fast");
}

void write_data(const std::string& file, const Json& data) {
  write_file(file, data.dump(1) + "\n", "the data file");
}

Json data_of(const std::string& file) {
  try {
    return read_json(file, kMostDataBytes);
  } catch (const Error& error) {
    throw Error::configuration(std::string(error.what()) + "; measure again without --fast");
  }
}

bool is_of(const Json& data, const topology::LoadedTopology& machine) {
  const Json::json_pointer digest("/topology/digest");
  return data.contains(digest) && data.at(digest) == machine_digest(machine);
}

// Of the machine that the command line chooses, if it does.
Json stored_data(const IEvaluation& evaluation, const topology::LoadedTopology& machine, const RunOptions& options,
                 const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw Error::configuration("there is no data file " + file + " to draw from; measure first: kernbench evaluate " +
                               evaluation.name() + " without --fast (and without MILESTONE_FAST=1)");
  }
  Json data = data_of(file);
  const auto has = [&](const char* key, const Json& value) {
    return data.is_object() && data.contains(key) && data[key] == value;
  };
  if (!has("evaluation", evaluation.name()) || !has("schema", kDataSchema)) {
    throw Error::configuration(file + " is not a data file of the evaluation '" + evaluation.name() +
                               "' of this version; measure again without --fast");
  }
  if (!options.topology.empty() && !is_of(data, machine)) {
    throw Error::configuration(file +
                               " is of another machine than --topology and --set choose; measure again without "
                               "--fast, or leave these options out to draw what is there");
  }
  const Json before = data;
  try {
    evaluation.choose(data);
  } catch (const Json::exception& error) {
    throw damaged(file, error);
  }
  if (data != before) write_data(file, data);
  return data;
}

void write_host(const std::string& file, const std::vector<Point>& points, const std::vector<Json>& hosts) {
  Json document{{"cores", std::thread::hardware_concurrency()}, {"points", Json::object()}};
  for (std::size_t i = 0; i < points.size(); ++i) document["points"][points[i].id] = hosts[i];
  write_file(file, document.dump(1) + "\n", "the host figures");
}

void remove_regular(const std::string& file) {
  std::error_code ignored;
  const bool regular = std::filesystem::is_regular_file(std::filesystem::symlink_status(file, ignored));
  if (regular) std::filesystem::remove(file, ignored);
}

// Figures that an earlier call drew here and this one does not.
void remove_others(const IEvaluation& evaluation, const std::vector<Figure>& drawn, const std::string& folder) {
  for (const std::string& name : evaluation.figure_names()) {
    const auto same = [&](const Figure& figure) { return figure.name == name; };
    if (std::any_of(drawn.begin(), drawn.end(), same)) continue;
    for (const char* ending : {".png", ".svg"}) remove_regular(folder + name + ending);
  }
}

// Figures may be of names that a data file brings; no other files are written.
void check_names(const IEvaluation& evaluation, const std::vector<Figure>& figures, const std::string& data_file) {
  const std::vector<std::string> known = evaluation.figure_names();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string& name = figures[i].name;
    const bool twice = std::any_of(figures.begin(), figures.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Figure& other) { return other.name == name; });
    if (!twice && std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error::configuration(data_file + " is damaged (it has " + (twice ? "two figures " : "a figure ") + name +
                               "); measure again without --fast");
  }
}

std::vector<Figure> figures_of(const IEvaluation& evaluation, const Json& data, const std::string& data_file) {
  std::vector<Figure> figures;
  try {
    figures = evaluation.figures(data);
  } catch (const Error& error) {
    throw Error(error.family(), error.code(), data_file + ": " + error.what());
  }
  check_names(evaluation, figures, data_file);
  return figures;
}

RunSummary measure_and_draw(const IEvaluation& evaluation, const topology::LoadedTopology& machine,
                            const RunOptions& options) {
  RunSummary summary;
  const std::string base = options.folder + "/";
  const std::string data_file = base + evaluation.data_file();
  const std::string table = std::filesystem::path(data_file).replace_extension(".csv").string();
  Json data;
  std::optional<FolderLock> lock;
  if (options.fast) {
    lock.emplace(options.folder, false);
    data = stored_data(evaluation, machine, options, data_file);
  } else {
    const std::vector<Point> points = evaluation.points(machine);
    lock.emplace(options.folder, true);
    const WorkFolder work(options.folder);
    const Staging staging(work, topology::sha256_hex(read_file(kProgram)) + machine_digest(machine));
    const Rows measured = measure(evaluation, points, work, staging, options);
    summary.points = points.size();
    summary.resumed = measured.resumed;
    data = header(evaluation, machine, points);
    const Json measurement = evaluation.data(machine, measured.rows);
    for (const auto& [key, value] : measurement.items()) data[key] = value;
    write_data(data_file, data);
    write_host(base + "host.json", points, measured.hosts);
    summary.files.push_back(base + "host.json");
    work.remove_rows();
  }
  if (options.measured) options.measured();
  try {
    const std::string rows = evaluation.csv(data);
    summary.violations = evaluation.check(data);
    summary.remarks = evaluation.remarks(data);
    const std::vector<Figure> figures = figures_of(evaluation, data, data_file);
    write_file(table, rows, "the table");
    draw(figures, options.folder, options.jobs);
    remove_others(evaluation, figures, base);
    summary.files.insert(summary.files.begin(), {data_file, table});
    for (const Figure& figure : figures) {
      for (const char* ending : {".png", ".svg"}) summary.files.push_back(base + figure.name + ending);
    }
  } catch (const Json::exception& error) {
    throw damaged(data_file, error);
  }
  return summary;
}

}  // namespace

RunSummary run_evaluation(const IEvaluation& evaluation, const topology::LoadedTopology& machine,
                          const RunOptions& options) {
  RunSummary summary;
  try {
    RunOptions own = options;
    if (own.folder.rfind('-', 0) == 0) own.folder.insert(0, "./");  // no option of a run
    summary = measure_and_draw(evaluation, machine, own);
  } catch (const Error& error) {
    if (!error.diagnostics().empty()) throw;
    throw Error(error.family(), error.code(), printable(error.what()));
  } catch (const std::bad_alloc&) {
    throw Error::configuration(
        "the memory of this computer, or what this shell may use of it (ulimit -v), is used up; finished points are "
        "kept, the same command goes on");
  }
  for (std::string& remark : summary.remarks) remark = printable(remark);
  for (std::string& file : summary.files) file = printable(file);
  for (Violation& violation : summary.violations) violation.text = printable(violation.text);
  return summary;
}

}  // namespace kb::evaluate
