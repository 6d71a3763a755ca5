#include "sim/analysis/recorded/run_why.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "platform/base/error.h"
#include "platform/topology/sha256.h"
#include "sim/analysis/recorded/run_list.h"
#include "sim/result/inputs.h"
#include "sim/result/read.h"

namespace kb::analysis {
namespace {

namespace fs = std::filesystem;

// A file of `kernbench why`.
template <typename Document>
struct Source {
  const char* name;     // in the folder of the run
  const char* command;  // that writes it
  Document (*read)(const std::string& path);
};

constexpr Source<result::Why> kLadder{result::kWhyFile, "kernbench why DIR", result::read_why};
constexpr Source<result::Tornado> kTornado{result::kTornadoFile, "kernbench why --machine DIR", result::read_tornado};

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

// Empty when the document is about this run.
template <typename Document>
std::string difference(const Document& document, const result::Inputs& inputs, const result::Result& result) {
  if (document.version != result.setup.version) {
    return fmt::format("kernbench {} measured it, and kernbench {} made this one", document.version,
                       result.setup.version);
  }
  if (document.inputs_sha256 != topology::sha256_hex(result::render(inputs))) {
    return "the machine, the workload or another input was changed since then";
  }
  const std::optional<TimeFs> time = time_of(result);
  if (time && *time != document.time) {
    return fmt::format("that took {} ns, and this one takes {} ns", format_ns(document.time), format_ns(*time));
  }
  return "";
}

// No value, and a sentence in `problem`, when the file is damaged or of another run; without a file it stays empty.
template <typename Document>
std::optional<Document> read_about(const Source<Document>& source, const std::string& folder,
                                   const result::Result& result, std::string& problem) {
  const fs::path file = fs::path(folder) / source.name;
  std::error_code ignored;
  if (!fs::is_symlink(file, ignored) && !fs::exists(file, ignored)) return std::nullopt;
  for (const fs::path& read : {file, fs::path(folder) / result::kInputsFile}) {
    if (!fs::is_symlink(read, ignored) && !fs::exists(read, ignored)) continue;
    if (lies_below(folder, read)) continue;
    problem = read.lexically_relative(folder).string() + " is a symbolic link that leads out of the folder";
    return std::nullopt;
  }
  try {
    Document document = source.read(file.string());
    const std::string reason = difference(document, result::read_inputs(folder), result);
    if (reason.empty()) return document;
    problem = fmt::format("{} is about another run: {}; `{}` measures this one", source.name, reason, source.command);
  } catch (const Error& error) {
    const std::string prefix = (fs::path(folder) / "").string();
    problem = error.what();
    if (problem.rfind(prefix, 0) == 0) problem.erase(0, prefix.size());
  }
  return std::nullopt;
}

}  // namespace

RunWhy read_run_why(const std::string& folder, const result::Result& result) {
  RunWhy found;
  found.ladder = read_about(kLadder, folder, result, found.problem);
  found.tornado = read_about(kTornado, folder, result, found.tornado_problem);
  return found;
}

}  // namespace kb::analysis
