#include "sim/study/requests/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/study/requests/input_text.h"

namespace kb::requests {
namespace {

namespace fs = std::filesystem;
using profile::RankTables;

const std::string kTwice = "the cell is there twice";
const std::string kTwiceRemedy = "keep one of the rows";

void read_lines(const std::string& file, const std::string& axis, std::map<std::string, profile::Line>& lines,
                Problems& problems) {
  NumberTable table(file, {"layer", axis, "time_us"}, problems);
  while (table.next()) {
    const auto key = table.whole(1, 1);
    const auto us = table.time_us(2);
    if (table.text(0).empty()) table.problem(0, "the kernel has no name", "write one, e.g. qkv_proj");
    if (key && us && !lines[table.text(0)].add(*key, profile::table_ns(*us))) table.problem(1, kTwice, kTwiceRemedy);
  }
}

void read_attention(const std::string& file, profile::AttentionTable& attention, Problems& problems) {
  NumberTable table(file, {"prefill_chunk", "kv_prefill", "n_decode", "kv_decode", "time_us"}, problems);
  while (table.next()) {
    const auto chunk = table.whole(0, 0), past = table.whole(1, 0), decodes = table.whole(2, 0),
               context = table.whole(3, 0);
    const auto us = table.time_us(4);
    if (!chunk || !past || !decodes || !context || !us) continue;
    if (*chunk == 0 && *past != 0) table.problem(1, "there is a past without a prefill", "write 0");
    if (*decodes == 0 && *context != 0) table.problem(3, "there is a context without decodes", "write 0");
    if (!attention.add({*chunk, *past, *decodes, *context}, profile::table_ns(*us))) {
      table.problem(0, kTwice, kTwiceRemedy);
    }
  }
}

void read_experts(const std::string& file, profile::ExpertTable& experts, Problems& problems) {
  NumberTable table(file, {"tokens", "activated_experts", "time_us"}, problems);
  while (table.next()) {
    const auto tokens = table.whole(0, 1), activated = table.whole(1, 1);
    const auto us = table.time_us(2);
    if (tokens && activated && us && !experts.add(*tokens, *activated, profile::table_ns(*us))) {
      table.problem(0, kTwice, kTwiceRemedy);
    }
  }
}

void read_rank(const std::string& folder, RankTables& tables, Problems& problems) {
  const auto present = [&](const char* name) {
    const std::string file = folder + "/" + name;
    if (fs::exists(file)) return true;
    problems.add(file, 0, "", "the table is missing", "a profile has dense.csv, per_sequence.csv and attention.csv");
    return false;
  };
  if (present("dense.csv")) read_lines(folder + "/dense.csv", "tokens", tables.dense, problems);
  if (present("per_sequence.csv")) read_lines(folder + "/per_sequence.csv", "sequences", tables.per_sequence, problems);
  if (present("attention.csv")) read_attention(folder + "/attention.csv", tables.attention, problems);
  if (problems.empty() && tables.attention.empty()) {
    problems.add(folder + "/attention.csv", 0, "", "the table has no rows", "measure the attention");
  }
}

// "tp4" -> 4
std::int64_t degree_of(const std::string& name) {
  if (name.rfind("tp", 0) != 0) return 0;
  return whole_number(name.substr(2)).value_or(0);
}

std::map<std::int64_t, std::string> rank_folders(const std::string& folder) {
  if (fs::exists(folder + "/dense.csv")) return {{1, folder}};
  std::map<std::int64_t, std::string> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::int64_t degree = degree_of(entry.path().filename().string());
    if (entry.is_directory() && degree > 0) folders.emplace(degree, entry.path().string());
  }
  return folders;
}

void check_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Error({Diagnostic{folder, 0, 0, "", fs::exists(folder, error) ? "is not a folder" : "does not exist",
                            "give the folder of a profile, which has meta.yaml"}});
  }
  if (fs::exists(folder + "/meta.yaml")) return;
  std::string inside;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename() == "meta.yaml" && (inside.empty() || it->path().string() < inside)) {
      inside = it->path().string();
    }
    if (it.depth() >= 4) it.disable_recursion_pending();
  }
  const std::string remedy = inside.empty() ? "a profile has meta.yaml, tp1/dense.csv, tp1/attention.csv, ..."
                                            : "did you mean " + fs::path(inside).parent_path().string() + "?";
  throw Error({Diagnostic{folder, 0, 0, "", "there is no meta.yaml in the folder", remedy}});
}

}  // namespace

Bundle read_bundle(const std::string& folder, std::int64_t tp) {
  check_folder(folder);
  const std::map<std::int64_t, std::string> folders = rank_folders(folder);
  if (folders.count(tp) == 0) {
    std::vector<std::string> names;
    for (const auto& [degree, path] : folders) names.push_back(fmt::format("tp{}", degree));
    throw Error({Diagnostic{folder, 0, 0, "", fmt::format("the profile has no tp{}", tp),
                            names.empty() ? "it has no folder tp1, tp2, ... with tables"
                                          : fmt::format("it has {}; choose one by --tp", fmt::join(names, ", "))}});
  }
  Bundle bundle;
  Problems problems;
  for (const auto& [degree, path] : folders) read_rank(path, bundle.profile.by_tp[degree], problems);
  // The experts of one rank do not depend on tp.
  const std::string experts = folders.begin()->second + "/moe.csv";
  if (fs::exists(experts)) read_experts(experts, bundle.profile.experts, problems);
  read_meta(folder, bundle.profile, problems);
  problems.throw_if_any();
  if (bundle.profile.skew_enabled && !bundle.profile.by_tp.at(tp).skew) {
    bundle.warnings.push_back({folder + "/meta.yaml", 0, 0, "skew_fit", fmt::format("there is no fit for tp{}", tp),
                               "decodes of unequal context cost as much as those of their mean"});
  }
  return bundle;
}

}  // namespace kb::requests
