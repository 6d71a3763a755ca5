// Contents of result.json as plain data. fields.h names the members for the writer, the reader and the schemas.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/time_shares.h"
#include "sim/result/energy.h"
#include "sim/result/launch_parts.h"

namespace kb::result {

// Version of the document; other versions are refused.
inline constexpr std::uint64_t kSchema = 3;
// Maximum number of listed launches; all launches are in the sums by kernel.
inline constexpr std::size_t kMostLaunches = 256;
// Figures, chosen collectives, lines and transfers of the file, each.
inline constexpr std::size_t kMostRows = 256;

// An object whose member names depend on the run: keys of the topology, kinds of blocks.
template <typename Value>
using Members = std::vector<std::pair<std::string, Value>>;

// A value as spelled by the user: in JSON a number or boolean if it is one, otherwise a string.
struct Scalar {
  std::string text;
};

// An element of a tensor: in JSON a number, or one of the strings "nan", "inf" and "-inf".
struct Element {
  double value = 0.0;
};

struct Failure {
  std::string code, message;
};

struct TopologyFile {
  std::string file, sha256;
};

struct Setting {
  std::string key;
  Scalar value;
  std::string origin;
  std::optional<Scalar> reference;
};

struct ConfigValue {
  Scalar value;
  std::string origin;
};

struct Bench {
  std::string name;
  Members<ConfigValue> params;
};

struct Range {
  TimeFs min = 0_fs, max = 0_fs;
};

struct PartTimes {
  std::array<TimeFs, sim::kLaunchParts> time{};
};

struct ResourceTimes {
  std::array<TimeFs, contract::kMaxPeResources> time{};
};

struct Breakdown {
  std::string pe;
  PartTimes parts;
  ResourceTimes busy;
  std::optional<std::string> limiter, limiter_text;
};

struct PeTimes {
  std::uint64_t cube = 0, pe = 0;
  TimeFs start = 0_fs, exec = 0_fs, dma = 0_fs, compute = 0_fs, late = 0_fs;
};

struct Use {
  TimeFs busy = 0_fs, wait = 0_fs;
  std::uint64_t bytes = 0;
};

struct Launch {
  std::uint64_t id = 0;
  std::string kernel, label;
  std::uint64_t sip = 0;
  std::uint64_t ordinal = 0;
  bool ok = true;
  std::optional<Failure> error;
  TimeFs submit = 0_fs;
  std::optional<TimeFs> start, completed;
  Range exec;
  TimeFs dma = 0_fs, compute = 0_fs;
  std::uint64_t macs = 0, useful_macs = 0;
  std::uint64_t late_pes = 0;
  TimeFs max_late = 0_fs;
  std::optional<Breakdown> breakdown;
  std::optional<std::vector<PeTimes>> per_pe;   // in detail only
  std::optional<Members<Members<Use>>> blocks;  // in detail only
  std::optional<Joules> energy;                 // with coefficients, if activity was recorded

  TimeFs time() const { return completed ? *completed - submit : 0_fs; }
};

// Sums over all launches of one kernel.
struct Kernel {
  std::string kernel;
  std::uint64_t launches = 0, failed = 0;
  TimeFs time = 0_fs, longest = 0_fs, exec = 0_fs;
  std::uint64_t macs = 0, useful_macs = 0;
  PartTimes parts;
  ResourceTimes busy;
  std::optional<Joules> energy;
};

// Time of a kernel's thread at a line, over all launches of the kernel.
struct LineTime {
  std::string kernel;
  Line line;
  std::optional<Line> held_by;
  TimeFs time = 0_fs, all_pes = 0_fs;
  Members<TimeFs> shares;
};

struct LineUse {
  TimeFs busy = 0_fs, wait = 0_fs;
  std::uint64_t bytes = 0;
  std::optional<std::string> most_at;
  TimeFs most_wait = 0_fs;
};

// What the transfers and commands of a line did, over all launches of the kernel.
struct Transfer {
  std::string kernel;
  Line line;
  std::uint64_t bytes = 0;
  Members<LineUse> uses;
};

// Integers in the unit; in fs when the unit is "ns".
struct Statistic {
  std::int64_t value = 0;
  std::string unit;
};

struct KindStatistic {
  std::string unit;
  std::int64_t sum = 0, max = 0;
  std::string at;
};

struct BlockKind {
  std::uint64_t count = 0;
  Members<KindStatistic> statistics;
};

struct WrongElement {
  std::vector<std::int64_t> index;
  Element expected, actual;
};

struct Verification {
  std::string tensor, dtype;
  std::vector<std::int64_t> shape;
  double max_abs = 0.0, max_rel = 0.0, tolerance = 0.0, max_of_bound = 0.0;
  std::uint64_t non_finite = 0;
  std::string rule, bound;
  std::vector<std::string> roundings;
  std::optional<std::uint64_t> wrong_elements;
  std::optional<WrongElement> first_wrong;
  std::optional<std::uint64_t> unverified_elements;
  std::optional<std::vector<std::int64_t>> first_unverified;
  std::string status;
  bool ok = true;
};

struct Race {
  std::string text;
  std::uint64_t pairs = 0;
};

struct Figure {
  std::string name;
  double value = 0.0;
  std::string unit;
};

struct Estimate {
  std::string algorithm;
  double ns = 0.0;
  std::int64_t chunk_elements = 0;
  std::optional<std::int64_t> root;
};

struct Collective {
  std::string call, algorithm;
  std::uint64_t tile_bytes = 0, ranks = 0;
  std::vector<Estimate> estimates;
};

struct Wait {
  std::string pe, waited_for;
  TimeFs awaited = 0_fs, sent = 0_fs, arrived = 0_fs, received = 0_fs;
};

struct Finding {
  std::string rule;
  std::optional<std::uint64_t> launch;
  TimeFs gain = 0_fs, whole = 0_fs;
  double factor = 1.0;
  std::string headline;
  std::vector<std::string> evidence;
  std::string remedy;
  std::vector<Wait> chain;
};

struct LongestOperation {
  std::string pe;
  TimeFs start = 0_fs, time = 0_fs;
};

struct Operation {
  std::string name;
  std::uint64_t count = 0;
  TimeFs time = 0_fs;
  std::optional<TimeFs> waiting;
  LongestOperation longest;
};

struct Host {
  double wall_s = 0.0, cpu_s = 0.0, rss_mb = 0.0;
  std::uint64_t events = 0;
};

// The workload and the machine: the first members of the document, and the complete output of `--dump-config --json`.
struct Setup {
  std::uint64_t schema = kSchema;
  std::string version;
  TopologyFile topology;
  std::vector<Setting> settings;
  Members<ConfigValue> config;
  Bench bench;
};

struct Result {
  Setup setup;
  std::string device;
  std::uint64_t seed = 0;
  std::string data_mode;
  bool ok = true;
  std::optional<Failure> error;
  TimeFs sim_time = 0_fs;
  std::uint64_t unknown_accesses = 0;
  std::uint64_t launch_count = 0;
  std::vector<Kernel> kernels;
  std::vector<LineTime> lines;
  std::vector<Transfer> transfers;
  std::vector<Launch> launches;
  Members<BlockKind> block_kinds;
  std::optional<Members<Members<Statistic>>> blocks;  // in detail only
  std::vector<Verification> verification;
  std::optional<std::vector<Race>> races;
  std::optional<std::uint64_t> races_not_compared;
  std::vector<Figure> figures;
  std::optional<std::vector<Collective>> collectives;
  std::optional<Energy> energy;
  std::vector<Finding> findings;
  std::vector<Operation> operations;
  std::vector<std::string> notes, warnings;
  Host host;
};

}  // namespace kb::result
