#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/error.h"
#include "sim/study/files/files.h"
#include "sim/study/step/step_compare.h"

namespace kb::step {
namespace {

using Json = nlohmann::ordered_json;

Json parsed(const std::string& path) {
  return Json::parse(files::read_file(path), nullptr, false);
}

template <typename T>
T member(const Json& object, const char* key, const std::string& path) {
  try {
    return object.at(key).get<T>();
  } catch (const Json::exception&) {
    throw Error::configuration(fmt::format(
        "{}: '{}' is missing or not of its type; write the file anew with kernbench model step --out", path, key));
  }
}

std::uint64_t energy_of(const Json& object, const std::string& path) {
  return object.contains("energy") ? member<std::uint64_t>(object.at("energy"), "fj", path) : 0;
}

}  // namespace

bool is_step_file(const std::string& path) {
  const Json json = parsed(path);
  return json.is_object() && json.contains("by_op") && json.contains("roofline_ns");
}

StepFile read_step_file(const std::string& path) {
  const Json json = parsed(path);
  const auto text = [&](const char* key) { return member<std::string>(json, key, path); };
  const auto real = [&](const char* key) { return member<double>(json, key, path); };
  StepFile step;
  step.path = path;
  step.model = text("model");
  step.machine = text("machine");
  step.phase = text("phase");
  step.batch = text("batch");
  step.dtype = text("dtype");
  step.tp = member<std::int64_t>(json, "tp", path);
  step.step_ns = real(step.phase == "decode" ? "tpot_ns" : "ttft_ns");
  step.roofline_ns = real("roofline_ns");
  step.tokens_per_s = real("tokens_per_s");
  step.exact = member<bool>(json, "exact", path);
  step.fj = energy_of(json, path);
  std::int64_t launches = 0;
  for (const Json& row : member<Json>(json, "by_op", path)) {
    step.rows.push_back({member<std::string>(row, "op", path), member<std::string>(row, "kernel", path),
                         member<std::int64_t>(row, "count", path), member<double>(row, "ns", path),
                         member<std::string>(row, "limiter", path), energy_of(row, path)});
    launches += step.rows.back().count;
  }
  step.rows.push_back({"(gaps)", "", launches - 1, real("gaps_ns"), "", 0});
  step.rows.push_back({"(host)", "", 1, real("host_ns"), "", 0});
  const Json config = member<Json>(json, "config", path);
  if (!config.is_object()) throw Error::configuration(path + ": 'config' is not of its type");
  for (const auto& [key, value] : config.items()) step.config.emplace_back(key, value.get<std::string>());
  return step;
}

}  // namespace kb::step
