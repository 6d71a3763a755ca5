// All results of a run as plain data; run_result.h makes result.json from it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "platform/check/race_checker.h"
#include "platform/data/verification.h"
#include "platform/resource/resource_table.h"
#include "platform/topology/topology.h"
#include "sim/analysis/energy/energy_record.h"
#include "sim/analysis/findings/finding.h"
#include "sim/analysis/findings/operation_cost.h"
#include "sim/result/launch_record.h"
#include "sim/run/driver/source_text.h"

namespace kb::sim {

inline constexpr std::size_t kOperationsShown = 5;

using ConfigEntry = topology::ConfigValue;

// A configuration value that differs from the reference machine.
struct SettingRecord {
  std::string key;
  ConfigEntry entry;
  std::optional<std::string> reference;  // no value when the reference machine does not have the key
};

struct StatisticRecord {
  std::string name;
  std::int64_t value = 0;  // fs when the unit is "ns"
  std::string unit;
  std::string purpose;  // its name in sums over blocks of one kind
};

struct BlockRecord {
  std::string node, kind;
  std::vector<StatisticRecord> statistics;
};

// A headline result, e.g. a throughput.
struct FigureRecord {
  std::string name;
  double value = 0.0;
  std::string unit;  // "": a count
  std::string meaning;
};

// A collective that was chosen by formula, with the estimates of the alternatives.
struct CollectiveRecord {
  struct Estimate {
    std::string algorithm;
    double ns = 0.0;
    std::int64_t chunk_elements = 0;
    int root = -1;  // -1: none
  };
  std::string call;
  std::string algorithm;
  std::uint64_t tile_bytes = 0;
  int ranks = 0;
  std::vector<Estimate> estimates;
};

struct HostFigures {
  double wall_s = 0.0;
  double cpu_s = 0.0;
  double rss_mb = 0.0;
  std::uint64_t events = 0;
};

// Accesses with indices or masks that data mode off did not know; the accessed rows were assumed.
struct UnknownAccesses {
  std::uint64_t count = 0;
  std::string first, at;  // "tl.gather #3", "sip0.cube0.pe1.pe_dma"
};
// Text for the report; "" when there are none.
std::string unknown_accesses_text(const UnknownAccesses& unknown);

struct RunRecord {
  std::string topology_file;
  std::string topology_sha256;
  std::map<std::string, ConfigEntry> config;
  std::vector<SettingRecord> settings;
  std::string workload;
  std::vector<std::pair<std::string, ConfigEntry>> params;  // in declaration order
  std::uint64_t seed = 0;
  std::string device;
  std::string data_mode;
  bool ok = true;
  std::string error_code;  // empty when there is no error
  std::string error_message;
  TimeFs sim_time = 0_fs;
  std::deque<LaunchRecord> launches;
  std::vector<ResourceName> resources;          // resources used by launches, in machine order
  std::vector<SourcePlace> places;              // the first one is no line
  std::vector<SourceFile> sources;              // text of the files of `places` that were found
  std::vector<BlockRecord> blocks;              // in node order
  std::vector<resource::DeclaredUse> declared;  // resources that blocks declare
  std::vector<data::VerificationRow> verification;
  std::optional<std::vector<check::Race>> races;  // no value: not checked
  std::uint64_t races_not_compared = 0;           // accesses with indices or masks that the run does not know
  std::uint64_t unknown_accesses = 0;             // the same, counted in every run
  std::vector<FigureRecord> figures;
  std::vector<Finding> findings;          // causes of the run's time, if recorded
  std::vector<OperationCost> operations;  // the most expensive kinds, if recorded
  std::vector<CollectiveRecord> collectives;
  std::optional<EnergyRecord> energy;  // no value: the machine has no coefficients
  std::vector<std::string> notes;      // notes of the workload
  std::vector<std::string> warnings;
  HostFigures host;
};

// Values that differ from `reference`, and all overrides; overrides come first, then ordered by key.
std::vector<SettingRecord> differing_settings(const std::map<std::string, ConfigEntry>& config,
                                              const std::map<std::string, ConfigEntry>& reference);

}  // namespace kb::sim
