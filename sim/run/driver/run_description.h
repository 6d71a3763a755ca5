// The part of a result that is known before the run: the machine, and where it differs from the reference.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/contract/data_mode.h"
#include "platform/topology/topology.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// "off", "replay", "eager"
const char* data_mode_name(contract::DataMode mode);

std::map<std::string, ConfigEntry> config_of(const topology::LoadedTopology& machine);

// Topology, configuration and settings; `reference` is the configuration that the settings are compared with.
RunRecord describe_machine(const topology::LoadedTopology& machine,
                           const std::map<std::string, ConfigEntry>& reference);

// Facts for a database of operations: everything that decides its contents.
std::vector<std::pair<std::string, std::string>> log_facts(const RunRecord& record);

// Says what the result leaves out of a long run.
void note_limits(RunRecord& record);

}  // namespace kb::sim
