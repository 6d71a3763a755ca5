#include "sim/analysis/recorded/run_list.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "platform/observe/json_writer.h"
#include "sim/result/read.h"

namespace kb::analysis {
namespace {

namespace fs = std::filesystem;
using observe::JsonWriter;

constexpr std::int64_t kNsPerS = 1'000'000'000, kNsPerMs = 1'000'000;
constexpr const char* kFiles[] = {"result.json", "topology.json", "ops.sqlite"};

struct FileState {
  bool there = false, regular = false;
  std::int64_t time_ns = 0, bytes = 0;
};

FileState state_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {true, S_ISREG(status.st_mode), status.st_mtim.tv_sec * kNsPerS + status.st_mtim.tv_nsec, status.st_size};
}

// A JSON object.
std::string summary_of(const result::Result& result) {
  TimeFs longest = 0_fs;
  for (const result::Kernel& kernel : result.kernels) longest = std::max(longest, kernel.longest);
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("version").text(result.setup.version).key("workload").text(result.setup.bench.name);
  writer.key("machine").text(result.setup.topology.file).key("longest_ns").time_ns(longest);
  writer.key("launches").unsigned_integer(result.launch_count).key("sim_time_ns").time_ns(result.sim_time);
  writer.key("ok").boolean(result.ok).end_object();
  return writer.str();
}

std::string read_summary(const fs::path& run) {
  try {
    return summary_of(result::read(run.string()));
  } catch (const Error& failure) {
    const std::string file = result::file_of(run.string());
    std::string what = failure.what();
    if (what.rfind(file, 0) == 0) what.replace(0, file.size(), "result.json");
    JsonWriter writer(JsonWriter::Layout::compact);
    writer.begin_object().key("failure").text(what).end_object();
    return writer.str();
  }
}

}  // namespace

bool lies_below(const fs::path& folder, const fs::path& file) {
  std::error_code failed;
  const fs::path root = fs::canonical(folder, failed);
  if (failed) return false;
  const fs::path full = fs::canonical(file, failed);
  if (failed) return false;
  return std::mismatch(root.begin(), root.end(), full.begin(), full.end()).first == root.end();
}

std::string run_state(const fs::path& folder, const fs::path& run) {
  std::string state;
  for (const char* name : kFiles) {
    const FileState file = state_of(run / name);
    std::error_code ignored;
    const bool listed = file.there || fs::is_symlink(run / name, ignored);
    if (listed && !lies_below(folder, run / name)) {
      throw Error::configuration(
          fmt::format("{} is a symbolic link that leads out of the folder", (run / name).string()));
    }
    state += fmt::format(" {} {}", file.time_ns, file.bytes);
  }
  return state;
}

RunList::RunList(const std::string& folder) {
  std::error_code ignored;
  root_ = fs::canonical(folder, ignored);
  name_ = root_.filename().empty() ? root_.string() : root_.filename().string();
}

std::size_t RunList::look() {
  const std::lock_guard lock(mutex_);
  look_through();
  return runs_.size();
}

void RunList::look_through() {
  std::map<std::string, Run> found;
  std::size_t folders = 0;
  cut_ = !find_below(root_, "", 0, folders, found);
  for (auto& [name, run] : found) {
    const auto before = runs_.find(name);
    const bool same =
        before != runs_.end() && before->second.time_ns == run.time_ns && before->second.bytes == run.bytes;
    if (same) run.summary = std::move(before->second.summary);
  }
  runs_ = std::move(found);
}

// Returns false when there are more than the limit.
bool RunList::find_below(const fs::path& folder, const std::string& name, int depth, std::size_t& folders,
                         std::map<std::string, Run>& found) const {
  if (++folders > kMostFolders || found.size() >= kMostRuns) return false;
  const FileState result = state_of(folder / "result.json");
  if (result.there && depth > 0 && lies_below(root_, folder / "result.json")) {
    found[name] = {result.time_ns, result.bytes, state_of(folder / "ops.sqlite").there, ""};
  }
  if (depth == kMostDepth) return true;
  std::error_code failed;
  std::vector<fs::path> below;
  for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    std::error_code ignored;
    const std::string own = at->path().filename().string();
    if (own[0] != '.' && at->is_directory(ignored)) below.push_back(at->path());
  }
  std::sort(below.begin(), below.end());
  bool all = true;
  for (const fs::path& one : below) {
    std::error_code ignored;
    if (fs::is_symlink(one, ignored) && !lies_below(root_, one)) continue;
    all = find_below(one, name.empty() ? one.filename().string() : name + "/" + one.filename().string(), depth + 1,
                     folders, found) &&
          all;
  }
  return all;
}

std::vector<std::map<std::string, RunList::Run>::iterator> RunList::newest_first() {
  std::vector<std::map<std::string, Run>::iterator> order;
  for (auto run = runs_.begin(); run != runs_.end(); ++run) order.push_back(run);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a->second.time_ns > b->second.time_ns; });
  return order;
}

std::string RunList::json(double seconds, bool look_again) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const std::lock_guard lock(mutex_);
  if (look_again) look_through();
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("folder").text(name_).key("runs").begin_array();
  std::size_t unread = 0;
  bool first = true;  // reads at least one, so that repeated requests come to an end
  for (const auto& at : newest_first()) {
    Run& run = at->second;
    const bool in_time = std::exchange(first, first && !run.summary.empty()) || std::chrono::steady_clock::now() < end;
    if (run.summary.empty() && in_time) run.summary = read_summary(root_ / at->first);
    if (run.summary.empty()) ++unread;
    writer.begin_array().text(at->first).integer(run.time_ns / kNsPerMs).boolean(run.recorded);
    run.summary.empty() ? writer.null() : writer.raw(run.summary);
    writer.end_array();
  }
  writer.end_array().key("unread").unsigned_integer(unread);
  writer.key("cut").text(
      cut_ ? fmt::format("The first {} runs are listed: open a folder below this one for others.", runs_.size()) : "");
  writer.end_object();
  return writer.str();
}

RunList::Place RunList::place_of(const std::string& name) const {
  const std::vector<std::string> parts = split(name, '/');
  const bool below = std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return !part.empty() && part[0] != '.' && part.find('\0') == std::string::npos;
  });
  const fs::path folder = root_ / name;
  if (!below || !lies_below(root_, folder / "result.json")) {
    throw Error::configuration("there is no run '" + name + "' below this folder");
  }
  return {folder.string(), name + run_state(root_, folder)};
}

}  // namespace kb::analysis
