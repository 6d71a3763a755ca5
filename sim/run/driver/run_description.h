// The part of a result that is known before the run: the machine, and its differences from the reference.
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

// Describes topology, configuration and settings; `reference` is the configuration for comparison.
RunRecord describe_machine(const topology::LoadedTopology& machine,
                           const std::map<std::string, ConfigEntry>& reference);

// Facts for the operation database: all inputs that determine its contents.
std::vector<std::pair<std::string, std::string>> log_facts(const RunRecord& record);

// Adds notes about parts that the result of a long run omits.
void note_limits(RunRecord& record);

}  // namespace kb::sim
