#include "sim/analysis/recorded/run_why.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "platform/base/error.h"
#include "platform/topology/sha256.h"
#include "sim/analysis/recorded/run_list.h"
#include "sim/result/inputs.h"
#include "sim/result/read.h"

namespace kb::analysis {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMeasure = "`kernbench why DIR` measures this one";

// From the first submission of a launch to the last completion; no time when not all launches are listed.
std::optional<TimeFs> time_of(const result::Result& result) {
  if (result.launches.empty() || result.launches.size() < result.launch_count) return std::nullopt;
  TimeFs begin = kNever, end = 0_fs;
  for (const result::Launch& launch : result.launches) {
    begin = std::min(begin, launch.submit);
    if (launch.completed) end = std::max(end, *launch.completed);
  }
  return end > begin ? end - begin : 0_fs;
}

std::string another_run(const std::string& reason) {
  return fmt::format("{} is about another run: {}; {}", result::kWhyFile, reason, kMeasure);
}

// Empty when the ladder is about this run.
std::string difference(const result::Why& why, const result::Inputs& inputs, const result::Result& result) {
  if (why.version != result.setup.version) {
    return another_run(
        fmt::format("kernbench {} measured it, and kernbench {} made this one", why.version, result.setup.version));
  }
  if (why.inputs_sha256 != topology::sha256_hex(result::render(inputs))) {
    return another_run("the machine, the workload or another input was changed since then");
  }
  const std::optional<TimeFs> time = time_of(result);
  if (time && *time != why.time) {
    return another_run(fmt::format("that took {} ns, and this one takes {} ns", format_ns(why.time), format_ns(*time)));
  }
  return "";
}

}  // namespace

RunWhy read_run_why(const std::string& folder, const result::Result& result) {
  RunWhy found;
  const fs::path file = result::why_file_of(folder);
  std::error_code ignored;
  if (!fs::is_symlink(file, ignored) && !fs::exists(file, ignored)) return found;
  for (const fs::path& read : {file, fs::path(folder) / result::kInputsFile}) {
    if (!fs::is_symlink(read, ignored) && !fs::exists(read, ignored)) continue;
    if (lies_below(folder, read)) continue;
    found.problem = read.lexically_relative(folder).string() + " is a symbolic link that leads out of the folder";
    return found;
  }
  try {
    result::Why why = result::read_why(file.string());
    found.problem = difference(why, result::read_inputs(folder), result);
    if (found.problem.empty()) found.ladder = std::move(why);
  } catch (const Error& error) {
    const std::string prefix = (fs::path(folder) / "").string();
    found.problem = error.what();
    if (found.problem.rfind(prefix, 0) == 0) found.problem.erase(0, prefix.size());
  }
  return found;
}

}  // namespace kb::analysis
