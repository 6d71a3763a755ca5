#include "sim/analysis/recorded/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/base/error.h"
#include "sim/study/files/json_file.h"

namespace kb::analysis {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxLaunches = 2000;
constexpr int kSchema = 2;

Json read_result(const std::string& folder) {
  std::error_code ignored;
  const std::string file = (fs::path(folder) / "result.json").string();
  if (!fs::is_directory(folder, ignored)) {
    throw Error::configuration("'" + folder + "' is not a folder; give the one that `kernbench run --out DIR` wrote");
  }
  if (!fs::exists(file, ignored)) {
    throw Error::configuration("'" + folder +
                               "' is not the folder of a run: it has no result.json; give the one that `kernbench run "
                               "--out DIR` wrote");
  }
  Json result = files::read_json_without({"blocks", "config"}, file, kMaxBytes);
  const bool is_result =
      result.is_object() && result.contains("schema") && result.contains("launches") && result["launches"].is_array();
  if (!is_result) throw Error::configuration(file + ": is not the result of a run");
  if (result["schema"] != kSchema) {
    throw Error::configuration(
        fmt::format("{}: has schema {}; this program reads {}, so use the kernbench that wrote it", file,
                    result["schema"].dump(), kSchema));
  }
  return result;
}

// Exact below 9 s of simulated time, where a double has every femtosecond.
Json as_fs(const Json& launch, const char* member) {
  constexpr double kFsInNs = 1e6, kLimit = 4e12;
  const auto at = launch.find(member);
  if (at == launch.end() || !at->is_number()) return nullptr;
  const double ns = at->get<double>();
  if (!(ns >= 0 && ns < kLimit)) return nullptr;
  return std::to_string(std::llround(ns * kFsInNs));
}

Json launch_summary(const Json& launch) {
  Json summary = Json::object();
  if (!launch.is_object()) return summary;
  for (const auto& [name, value] : launch.items()) {
    if (name != "per_pe" && name != "statistics" && name != "blocks") summary[name] = value;
  }
  summary["submit_fs"] = as_fs(launch, "submit_ns");
  summary["start_fs"] = as_fs(launch, "start_ns");
  summary["completed_fs"] = as_fs(launch, "completed_ns");
  return summary;
}

double time_of(const Json& launch) {
  const auto number = [&](const char* name) { return launch[name].is_number() ? launch[name].get<double>() : 0; };
  const bool both = launch.is_object() && launch.contains("submit_ns") && launch.contains("completed_ns");
  return both ? number("completed_ns") - number("submit_ns") : 0;
}

// The longest, in the order of the file.
std::vector<std::size_t> shown_launches(Json& launches) {
  std::vector<std::size_t> order(launches.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (order.size() <= kMaxLaunches) return order;
  std::vector<double> times;
  for (Json& launch : launches) times.push_back(time_of(launch));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  order.resize(kMaxLaunches);
  std::sort(order.begin(), order.end());
  return order;
}

// A text that a spreadsheet takes for a formula gets an apostrophe in front.
std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  std::string text = value.get<std::string>(), quoted = "\"";
  if (!text.empty() && std::string("=+-@\t\r").find(text[0]) != std::string::npos) text.insert(0, "'");
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_of(const Json& launches) {
  const std::vector<const char*> columns = {"id",          "kernel",       "sip",         "ok",         "submit_ns",
                                            "start_ns",    "completed_ns", "dma_ns",      "compute_ns", "macs",
                                            "useful_macs", "late_pes",     "max_late_ns", "label"};
  const std::vector<const char*> parts = {"delivery_ns",   "barrier_ns", "gemm_ns",         "math_ns",
                                          "queue_full_ns", "tlb_ns",     "channel_busy_ns", "tcm_ns",
                                          "dma_ns",        "scalar_ns",  "dependency_ns",   "completion_ns"};
  std::string csv;
  for (const char* column : columns) csv += std::string(column) + ",";
  for (const char* part : parts) csv += std::string("breakdown.") + part + (part == parts.back() ? "\n" : ",");
  for (const Json& launch : launches) {
    if (!launch.is_object()) continue;
    const Json breakdown = launch.value("breakdown", Json());
    for (const char* column : columns) csv += csv_cell(launch.value(column, Json())) + ",";
    for (const char* part : parts) {
      csv += csv_cell(breakdown.is_object() ? breakdown.value(part, Json()) : Json()) +
             (part == parts.back() ? "\n" : ",");
    }
  }
  return csv;
}

}  // namespace

RunFolder::RunFolder(const std::string& folder, const std::string& topology) {
  std::error_code ignored;
  const std::string machine_file = (fs::path(folder) / "topology.json").string();
  std::future<Json> machine_read;  // large machines have large files
  if (!topology.empty() || fs::exists(machine_file, ignored)) {
    machine_read = std::async(std::launch::async, [&] {
      return topology.empty() ? files::read_json(machine_file, kMaxBytes) : files::parse_json("the topology", topology);
    });
  }
  Json result = read_result(folder);
  const fs::path full = fs::weakly_canonical(folder, ignored);
  name_ = full.filename().empty() ? full.string() : full.filename().string();
  launches_csv_ = csv_of(result["launches"]);

  const Json of_run = result.value("topology", Json::object());
  if (of_run.is_object() && of_run.contains("file") && of_run["file"].is_string()) {
    topology_file_ = of_run["file"].get<std::string>();
  }

  Json summary = Json::object();
  summary["folder"] = name_;
  for (auto& [name, value] : result.items()) {
    if (name == "launches") continue;
    summary[name] = value;
  }
  summary["launch_count"] = result["launches"].size();
  summary["launches"] = Json::array();
  for (const std::size_t i : shown_launches(result["launches"])) {
    summary["launches"].push_back(launch_summary(result["launches"][i]));
  }

  if (machine_read.valid()) {
    const Json machine = machine_read.get();
    machine_.emplace(machine, topology.empty() ? machine_file : "the topology");
    summary["machine"] = machine_->kinds();
    own_topology_ = machine.value("sha256", Json()) == (of_run.is_object() ? of_run.value("sha256", Json()) : Json());
    summary["own_topology"] = own_topology_;
  }

  const fs::path operations = fs::path(folder) / "ops.sqlite";
  if (fs::exists(operations, ignored)) {
    operations_file_ = operations.string();
    operations_ = std::make_unique<data::OpLogDatabase>(operations_file_);
  }
  summary["has_operations"] = has_operations();
  // A name may have bytes that are not UTF-8.
  summary_ = summary.dump(-1, ' ', false, Json::error_handler_t::replace);
}

data::OpLogDatabase& RunFolder::operations_for_long() const {
  const std::lock_guard<std::mutex> lock(long_mutex_);
  if (!operations_for_long_) {
    operations_for_long_ = std::make_unique<data::OpLogDatabase>(operations_file_);
    if (stopped_) operations_for_long_->stop();
  }
  return *operations_for_long_;
}

void RunFolder::stop() const {
  if (!operations_) return;
  operations_->stop();
  const std::lock_guard<std::mutex> lock(long_mutex_);
  stopped_ = true;
  if (operations_for_long_) operations_for_long_->stop();
}

const Activity& RunFolder::activity() const {
  std::call_once(activity_read_,
                 [this] { activity_.emplace(operations_ ? operations_->activity() : data::ActivityTables()); });
  return *activity_;
}

}  // namespace kb::analysis
