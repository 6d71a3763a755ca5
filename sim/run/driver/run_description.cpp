#include "sim/run/driver/run_description.h"

#include "platform/base/version.h"
#include "sim/result/result.h"

namespace kb::sim {

const char* data_mode_name(contract::DataMode mode) {
  switch (mode) {
    case contract::DataMode::off:
      return "off";
    case contract::DataMode::replay:
      return "replay";
    case contract::DataMode::eager:
      return "eager";
  }
  return "";
}

std::map<std::string, ConfigEntry> config_of(const topology::LoadedTopology& machine) {
  std::map<std::string, ConfigEntry> config;
  for (const auto& [key, value] : machine.config) config[key] = value;
  return config;
}

RunRecord describe_machine(const topology::LoadedTopology& machine,
                           const std::map<std::string, ConfigEntry>& reference) {
  RunRecord record;
  record.topology_file = machine.file;
  record.topology_sha256 = machine.sha256;
  record.config = config_of(machine);
  record.settings = differing_settings(record.config, reference);
  return record;
}

std::vector<std::pair<std::string, std::string>> log_facts(const RunRecord& record) {
  std::vector<std::pair<std::string, std::string>> facts = {{"kernbench", kVersion},
                                                            {"topology_sha256", record.topology_sha256},
                                                            {"bench", record.workload},
                                                            {"device", record.device},
                                                            {"seed", std::to_string(record.seed)}};
  for (const auto& [name, entry] : record.params) facts.emplace_back("param." + name, entry.value);
  for (const auto& [key, entry] : record.config) facts.emplace_back("topology." + key, entry.value);
  return facts;
}

void note_limits(RunRecord& record) {
  const std::size_t launches = record.launches.size(), figures = record.figures.size();
  if (figures > result::kMostRows) {
    record.notes.push_back("result.json lists the first " + std::to_string(result::kMostRows) + " of " +
                           std::to_string(figures) + " figures; `--json --details` prints all of them");
  }
  if (launches <= result::kMostLaunches) return;
  record.notes.push_back(
      "result.json lists the " + std::to_string(result::kMostLaunches) + " longest of " + std::to_string(launches) +
      " launches; with --details or --record ops.sqlite has all of them, and single PEs of the first " +
      std::to_string(kLaunchesWithPes));
}

}  // namespace kb::sim
