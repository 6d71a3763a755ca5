#include "sim/analysis/recorded/run_folder.h"

#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/error.h"
#include "platform/engine/engine_id.h"
#include "sim/analysis/recorded/run_answer.h"
#include "sim/result/read.h"
#include "sim/result/write.h"
#include "sim/study/files/json_file.h"

namespace kb::analysis {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

result::Result read_result(const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw Error::configuration("'" + folder + "' is not a folder; give the one that `kernbench run --out DIR` wrote");
  }
  if (!fs::exists(result::file_of(folder), ignored)) {
    throw Error::configuration("'" + folder +
                               "' is not the folder of a run: it has no result.json; give the one that `kernbench run "
                               "--out DIR` wrote");
  }
  return result::read(folder);
}

std::string fs_text(TimeFs time) {
  return std::to_string(time.fs());
}

LaunchAnswer answer_of(result::Launch launch) {
  LaunchAnswer answer{std::move(launch), {}, {}, {}};
  answer.submit_fs = fs_text(answer.launch.submit);
  if (answer.launch.start) answer.start_fs = fs_text(*answer.launch.start);
  if (answer.launch.completed) answer.completed_fs = fs_text(*answer.launch.completed);
  return answer;
}

data::LaunchRow row_of(const result::Launch& launch) {
  const auto fs_of = [](const std::optional<TimeFs>& time) { return time ? std::optional(time->fs()) : std::nullopt; };
  data::LaunchRow row{static_cast<std::int64_t>(launch.id),
                      static_cast<std::int64_t>(launch.sip),
                      launch.kernel,
                      launch.label,
                      launch.ok,
                      launch.submit.fs(),
                      fs_of(launch.start),
                      fs_of(launch.completed),
                      launch.dma.fs(),
                      launch.compute.fs(),
                      static_cast<std::int64_t>(launch.macs),
                      static_cast<std::int64_t>(launch.useful_macs),
                      static_cast<std::int64_t>(launch.late_pes),
                      launch.max_late.fs(),
                      {}};
  if (!launch.breakdown) return row;
  for (const std::size_t i : sim::launch_part_indices()) {
    row.parts.emplace_back(sim::launch_part(i).name, launch.breakdown->parts.time[i].fs());
  }
  return row;
}

}  // namespace

RunFolder::RunFolder(const std::string& folder, const std::string& topology) : folder_(folder) {
  std::error_code ignored;
  const std::string machine_file = (fs::path(folder) / "topology.json").string();
  std::future<Json> machine_read;  // large machines have large files
  if (!topology.empty() || fs::exists(machine_file, ignored)) {
    machine_read = std::async(std::launch::async, [&] {
      return topology.empty() ? files::read_json(machine_file, kMaxBytes) : files::parse_json("the topology", topology);
    });
  }
  const std::size_t engines = engine::known_engines();
  result_ = read_result(folder);
  const fs::path full = fs::weakly_canonical(folder, ignored);
  name_ = full.filename().empty() ? full.string() : full.filename().string();

  if (machine_read.valid()) {
    const Json machine = machine_read.get();
    machine_.emplace(machine, topology.empty() ? machine_file : "the topology");
    for (const Machine::Node& node : machine_->nodes()) nodes_.add(node);
    if (engine::known_engines() > engines) result_ = read_result(folder);  // the engines whose times the result has
    own_topology_ = machine.value("sha256", Json()) == Json(result_.setup.topology.sha256);
  }
  const fs::path operations = fs::path(folder) / "ops.sqlite";
  if (fs::exists(operations, ignored)) {
    operations_file_ = operations.string();
    operations_ = std::make_unique<data::OpLogDatabase>(operations_file_);
    for (const NodeEntry& node : operations_->nodes()) nodes_.add(node);
  }
}

std::string RunFolder::summary() const {
  RunAnswer answer;
  answer.folder = name_;
  answer.result = result_;
  answer.result.launches.clear();
  answer.result.setup.config.clear();
  for (const result::Launch& launch : result_.launches) answer.launches.push_back(answer_of(launch));
  if (machine_) {
    answer.machine.emplace();
    for (const auto& [label, count] : machine_->counts()) {
      answer.machine->emplace_back(label, static_cast<std::uint64_t>(count));
    }
    answer.own_topology = own_topology_;
  }
  answer.has_operations = has_operations();
  RunWhy found = why();
  answer.why = std::move(found.ladder);
  if (!found.problem.empty()) answer.why_problem = std::move(found.problem);
  answer.tornado = std::move(found.tornado);
  if (!found.tornado_problem.empty()) answer.tornado_problem = std::move(found.tornado_problem);
  observe::JsonWriter json(observe::JsonWriter::Layout::compact);
  result::Writer(json).put(answer);
  return json.str();
}

std::vector<data::LaunchRow> RunFolder::launches() const {
  std::vector<data::LaunchRow> launches;
  if (operations_) launches = operations_->launches();
  if (!launches.empty()) return launches;
  for (const result::Launch& launch : result_.launches) launches.push_back(row_of(launch));
  return launches;
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
