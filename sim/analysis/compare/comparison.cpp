#include "sim/analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "sim/study/files/json_file.h"

namespace kb::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr int kSchema = 2;

std::string file_of(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? (std::filesystem::path(path) / "result.json").string() : path;
}

constexpr const char* kWanted = "give the folder or the result.json of `kernbench run`";

Json read_result(const std::string& file) {
  const Json result = files::read_json(file, kMaxBytes, kWanted);
  const auto refuse = [&](const std::string& why) { return Error::configuration(file + ": " + why); };
  if (!result.is_object() || !result.contains("schema") || !result.contains("launches")) {
    throw refuse(std::string("is not the result of a run; ") + kWanted);
  }
  if (result["schema"] != kSchema) {
    throw refuse(fmt::format("has schema {}; this program reads {}, so use the kernbench that wrote it",
                             result["schema"].dump(), kSchema));
  }
  return result;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Every setting by name; values are { value, origin } in configurations.
std::map<std::string, std::string> settings_of(const Json& result) {
  std::map<std::string, std::string> all;
  for (const char* name : {"version", "device", "seed", "data_mode"}) {
    if (result.contains(name)) all[name] = text_of(result[name]);
  }
  all["workload"] = text_of(result.at("bench").at("name"));
  for (const auto& [name, entry] : result.at("bench").at("params").items()) {
    all[name + " of the workload"] = text_of(entry.at("value"));
  }
  for (const auto& [key, entry] : result.at("config").items()) all[key] = text_of(entry.at("value"));
  return all;
}

std::vector<SettingDifference> differences(const Json& before, const Json& after) {
  const std::map<std::string, std::string> a = settings_of(before), b = settings_of(after);
  std::set<std::string> names;
  for (const auto& entry : a) names.insert(entry.first);
  for (const auto& entry : b) names.insert(entry.first);
  std::vector<SettingDifference> list;
  for (const std::string& name : names) {
    const auto left = a.find(name), right = b.find(name);
    const std::string x = left == a.end() ? "" : left->second, y = right == b.end() ? "" : right->second;
    if (x != y) list.push_back({name, x, y});
  }
  return list;
}

using LaunchKey = std::tuple<std::string, std::int64_t, std::size_t>;  // kernel, SIP, how manieth of these

std::map<LaunchKey, const Json*> launches_of(const Json& result, std::vector<LaunchKey>& order) {
  std::map<LaunchKey, const Json*> all;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> count;
  for (const Json& launch : result.at("launches")) {
    const std::string kernel = launch.at("kernel").get<std::string>();
    const std::int64_t sip = launch.at("sip").is_number() ? launch["sip"].get<std::int64_t>() : -1;
    const LaunchKey key{kernel, sip, count[{kernel, sip}]++};
    all[key] = &launch;
    order.push_back(key);
  }
  return all;
}

bool is_time(const std::string& name) {
  constexpr std::string_view kUnit = "_ns";
  return name.size() > kUnit.size() && name.compare(name.size() - kUnit.size(), kUnit.size(), kUnit) == 0;
}
std::string without_unit(const std::string& name) {
  return name.substr(0, name.size() - 3);
}

// Sums by name, in the order of first appearance.
class Sums {
 public:
  void add(const std::string& name, const std::string& unit, double before, double after) {
    const auto [at, is_new] = places_.emplace(name, list_.size());
    if (is_new) list_.push_back({name, unit, 0, 0});
    list_[at->second].before += before;
    list_[at->second].after += after;
  }
  std::vector<Change> take() { return std::move(list_); }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<Change> list_;
};

double number(const Json& parent, const std::string& name) {
  const auto at = parent.find(name);
  return at != parent.end() && at->is_number() ? at->get<double>() : 0;
}

// A launch whose PEs did nothing has no bound.
std::string limiter_of(const Json& breakdown) {
  const auto at = breakdown.find("limiter");
  return at != breakdown.end() && at->is_string() ? at->get<std::string>() : "";
}

void add_times(Sums& sums, const Json& before, const Json& after) {
  for (const auto& [name, value] : before.items()) {
    if (is_time(name)) sums.add(without_unit(name), "ns", number(before, name), number(after, name));
  }
  for (const auto& [name, value] : after.items()) {
    if (is_time(name) && !before.contains(name)) sums.add(without_unit(name), "ns", 0, number(after, name));
  }
}

void pair_launches(Comparison& comparison, const Json& before, const Json& after) {
  std::vector<LaunchKey> order, other;
  const auto a = launches_of(before, order), b = launches_of(after, other);
  Sums parts, busy;
  const auto time_of = [](const Json& launch) { return number(launch, "completed_ns") - number(launch, "submit_ns"); };
  const auto name_alone = [&](const LaunchKey& key, const Json& launch, const std::string& file) {
    comparison.alone.push_back(fmt::format("launch {} ({}) only in {}", launch.at("id").dump(),
                                           launch_name(std::get<0>(key), launch.value("label", "")), file));
  };
  for (const LaunchKey& key : order) {
    const Json& left = *a.at(key);
    const auto found = b.find(key);
    if (found == b.end()) {
      name_alone(key, left, comparison.before);
      continue;
    }
    const Json& right = *found->second;
    LaunchPair pair{std::get<0>(key),
                    right.value("label", ""),
                    std::get<1>(key),
                    left.at("id").get<std::int64_t>(),
                    right.at("id").get<std::int64_t>(),
                    time_of(left),
                    time_of(right),
                    "",
                    ""};
    if (left.contains("breakdown") && right.contains("breakdown") && left["breakdown"].is_object() &&
        right["breakdown"].is_object()) {
      const Json &x = left["breakdown"], &y = right["breakdown"];
      add_times(parts, x, y);
      if (x.contains("busy") && y.contains("busy")) add_times(busy, x["busy"], y["busy"]);
      pair.before_limiter = limiter_of(x);
      pair.after_limiter = limiter_of(y);
    }
    comparison.total.before += pair.before_ns;
    comparison.total.after += pair.after_ns;
    comparison.launches.push_back(std::move(pair));
  }
  for (const LaunchKey& key : other) {
    if (a.count(key) == 0) name_alone(key, *b.at(key), comparison.after);
  }
  comparison.parts = parts.take();
  comparison.busy = busy.take();
}

void add_figures(Comparison& comparison, const Json& before, const Json& after) {
  if (!before.contains("figures") || !after.contains("figures")) return;
  for (const Json& figure : before["figures"]) {
    for (const Json& other : after["figures"]) {
      if (figure.at("name") != other.at("name") || !figure.at("value").is_number() || !other.at("value").is_number()) {
        continue;
      }
      comparison.figures.push_back({figure["name"].get<std::string>(), figure.value("unit", ""),
                                    figure["value"].get<double>(), other["value"].get<double>()});
      break;
    }
  }
}

// Times that blocks were in use, or that something waited in them.
std::map<std::string, double> block_times(const Json& result) {
  std::map<std::string, double> all;
  if (!result.contains("blocks")) return all;
  for (const auto& [block, statistics] : result["blocks"].items()) {
    for (const auto& [name, statistic] : statistics.items()) {
      if (statistic.value("unit", "") == "ns") all[block + " " + name] = number(statistic, "value");
    }
  }
  return all;
}

void add_blocks(Comparison& comparison, const Json& before, const Json& after) {
  const std::map<std::string, double> a = block_times(before), b = block_times(after);
  const auto value = [](const std::map<std::string, double>& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? 0.0 : found->second;
  };
  std::set<std::string> names;
  for (const auto& entry : a) names.insert(entry.first);
  for (const auto& entry : b) names.insert(entry.first);
  for (const std::string& name : names) {
    const Change change{name, "ns", value(a, name), value(b, name)};
    if (change.before != change.after) comparison.blocks.push_back(change);
  }
  std::stable_sort(comparison.blocks.begin(), comparison.blocks.end(), [](const Change& x, const Change& y) {
    return std::abs(x.difference()) > std::abs(y.difference());
  });
}

}  // namespace

Comparison compare_results(const std::string& before, const std::string& after) {
  Comparison comparison;
  comparison.before = file_of(before);
  comparison.after = file_of(after);
  const Json a = read_result(comparison.before), b = read_result(comparison.after);
  comparison.total = {"submission to completion", "ns", 0, 0};
  try {
    for (const auto& [file, result] : {std::pair(&comparison.before, &a), std::pair(&comparison.after, &b)}) {
      if (result->at("ok") == true) continue;
      comparison.failures.push_back(fmt::format(
          "{} failed, so its times are not those of the whole work: {}", *file,
          result->at("error").is_object() ? text_of(result->at("error").at("message")) : "no reason given"));
    }
    comparison.settings = differences(a, b);
    pair_launches(comparison, a, b);
    add_figures(comparison, a, b);
    add_blocks(comparison, a, b);
  } catch (const Json::exception& error) {
    throw Error::configuration(fmt::format("{} or {}: is not a whole result: {} (run it again)", comparison.before,
                                           comparison.after, files::reason_of(error)));
  }
  return comparison;
}

}  // namespace kb::sim
