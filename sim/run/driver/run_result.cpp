#include "sim/run/driver/run_result.h"

#include <algorithm>
#include <map>
#include <utility>

#include "platform/base/names.h"
#include "platform/base/version.h"
#include "platform/contract/completion.h"
#include "platform/data/verification.h"
#include "sim/analysis/findings/limiter.h"
#include "sim/result/launch_parts.h"
#include "sim/run/driver/energy_result.h"
#include "sim/run/driver/line_result.h"

namespace kb::sim {
namespace {

std::optional<TimeFs> when_known(TimeFs time) {
  return time == kNever ? std::nullopt : std::optional(time);
}

std::optional<result::Failure> failure(const std::string& code, const std::string& message) {
  return code.empty() ? std::nullopt : std::optional(result::Failure{code, message});
}

result::ConfigValue value_of(const ConfigEntry& entry) {
  return {{entry.value}, entry.origin};
}

std::optional<result::Breakdown> breakdown_of(const LaunchRecord& launch) {
  const LaunchRecord::LastEndingPe* const pe = launch.last_pe();
  if (pe == nullptr) return std::nullopt;
  result::Breakdown breakdown{pe_name(pe->pe), {launch_parts(launch)}, {pe->shares.busy}, {}, {}};
  if (const std::optional<Limiter> limiter = limiter_of(launch)) {
    breakdown.limiter = limiter->name;
    breakdown.limiter_text = limiter->text(pe->exec);
  }
  return breakdown;
}

std::vector<result::PeTimes> pes_of(const LaunchRecord& launch) {
  std::vector<result::PeTimes> pes;
  for (const contract::PeResult& pe : launch.pes) {
    pes.push_back({pe.pe.cube.value, pe.pe.pe.value, pe.start, pe.exec, pe.dma, pe.compute, pe.late});
  }
  return pes;
}

// Resources of a block stand beside each other.
result::Members<result::Members<result::Use>> uses_of(const LaunchRecord& launch,
                                                      const std::vector<ResourceName>& names) {
  result::Members<result::Members<result::Use>> blocks;
  for (const ResourceUse& use : launch.uses) {
    const ResourceName& name = names[use.resource];
    if (blocks.empty() || blocks.back().first != name.block) blocks.emplace_back().first = name.block;
    blocks.back().second.push_back({name.resource, {use.busy, use.wait, use.bytes}});
  }
  return blocks;
}

result::Launch launch_of(const LaunchRecord& launch, std::uint64_t ordinal, const RunRecord& run, Detail detail) {
  result::Launch entry;
  entry.id = launch.id;
  entry.kernel = launch.kernel;
  entry.label = launch.label;
  entry.sip = launch.sip.value;
  entry.ordinal = ordinal;
  entry.ok = launch.ok;
  entry.error = failure(launch.error_code, launch.error_message);
  entry.submit = launch.submitted;
  entry.start = when_known(launch.start);
  entry.completed = when_known(launch.completed);
  entry.exec = {launch.summary.exec_min, launch.summary.exec_max};
  entry.dma = launch.summary.dma_max;
  entry.compute = launch.summary.compute_max;
  entry.macs = static_cast<std::uint64_t>(launch.summary.macs);
  entry.useful_macs = static_cast<std::uint64_t>(launch.summary.useful_macs);
  entry.late_pes = launch.summary.late_pes;
  entry.max_late = launch.summary.late_max;
  entry.breakdown = breakdown_of(launch);
  if (detail == Detail::everything) {
    entry.per_pe = pes_of(launch);
    entry.blocks = uses_of(launch, run.resources);
  }
  return entry;
}

TimeFs time_of(const LaunchRecord& launch) {
  return launch.completed == kNever ? 0_fs : launch.completed - launch.submitted;
}

// Positions of the launches that the document lists, in order: the longest ones, the earlier of equals.
std::vector<std::size_t> listed(const RunRecord& run, Detail detail) {
  std::vector<std::size_t> positions(run.launches.size());
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = i;
  if (detail != Detail::sums || positions.size() <= result::kMostLaunches) return positions;
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::size_t a, std::size_t b) { return time_of(run.launches[a]) > time_of(run.launches[b]); });
  positions.resize(result::kMostLaunches);
  std::sort(positions.begin(), positions.end());
  return positions;
}

void add_launches(const RunRecord& run, Detail detail, result::Result& document) {
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> seen;  // by kernel and SIP
  const std::vector<std::size_t> wanted = listed(run, detail);
  auto next = wanted.begin();
  for (std::size_t i = 0; i < run.launches.size() && next != wanted.end(); ++i) {
    const LaunchRecord& launch = run.launches[i];
    const std::uint64_t ordinal = seen[{launch.kernel, launch.sip.value}]++;
    if (i != *next) continue;
    document.launches.push_back(launch_of(launch, ordinal, run, detail));
    ++next;
  }
}

void add_kernels(const RunRecord& run, result::Result& document) {
  std::map<std::string, std::size_t> place;
  for (const LaunchRecord& launch : run.launches) {
    const auto [at, is_new] = place.emplace(launch.kernel, document.kernels.size());
    if (is_new) document.kernels.emplace_back().kernel = launch.kernel;
    result::Kernel& kernel = document.kernels[at->second];
    ++kernel.launches;
    kernel.failed += launch.ok ? 0 : 1;
    accumulate(kernel.time, time_of(launch));
    kernel.longest = std::max(kernel.longest, time_of(launch));
    accumulate(kernel.exec, launch.summary.exec_max);
    kernel.macs += static_cast<std::uint64_t>(launch.summary.macs);
    kernel.useful_macs += static_cast<std::uint64_t>(launch.summary.useful_macs);
    const auto parts = launch_parts(launch);
    for (std::size_t i = 0; i < parts.size(); ++i) accumulate(kernel.parts.time[i], parts[i]);
    if (launch.last_pe() == nullptr) continue;
    const auto& busy = launch.last_pe()->shares.busy;
    for (std::size_t i = 0; i < busy.size(); ++i) accumulate(kernel.busy.time[i], busy[i]);
  }
}

// Kinds and statistics in the order in which the machine has them first.
void add_kinds(const RunRecord& run, result::Result& document) {
  std::map<std::string, std::size_t> kinds;
  std::map<std::pair<std::size_t, std::string>, std::size_t> places;
  for (const BlockRecord& block : run.blocks) {
    const auto [at, is_new] = kinds.emplace(block.kind, document.block_kinds.size());
    if (is_new) document.block_kinds.emplace_back().first = block.kind;
    result::BlockKind& kind = document.block_kinds[at->second].second;
    ++kind.count;
    for (const StatisticRecord& one : block.statistics) {
      const auto [place, first] = places.emplace(std::pair(at->second, one.purpose), kind.statistics.size());
      if (first) kind.statistics.push_back({one.purpose, {one.unit, 0, one.value, block.node}});
      result::KindStatistic& sum = kind.statistics[place->second].second;
      sum.sum += one.value;
      if (one.value <= sum.max) continue;
      sum.max = one.value;
      sum.at = block.node;
    }
  }
}

result::Members<result::Members<result::Statistic>> blocks_of(const RunRecord& run) {
  result::Members<result::Members<result::Statistic>> blocks;
  for (const BlockRecord& block : run.blocks) {
    blocks.emplace_back().first = block.node;
    for (const StatisticRecord& one : block.statistics) {
      blocks.back().second.push_back({one.name, {one.value, one.unit}});
    }
  }
  return blocks;
}

result::Verification verification_of(const data::VerificationRow& row) {
  result::Verification entry;
  entry.tensor = row.tensor;
  entry.dtype = dtype_name(row.dtype);
  entry.shape = row.shape;
  entry.max_abs = row.max_abs;
  entry.max_rel = row.max_rel;
  entry.tolerance = row.tolerance;
  entry.max_of_bound = row.max_of_bound;
  entry.non_finite = row.non_finite;
  entry.rule = row.equal ? "equal" : "bound";
  entry.bound = row.bound;
  entry.roundings = row.roundings;
  if (row.failures > 0) {
    entry.wrong_elements = row.failures;
    entry.first_wrong = {data::place_in(row.shape, row.first_failure), {row.first_expected}, {row.first_actual}};
  }
  if (row.unverified > 0) {
    entry.unverified_elements = row.unverified;
    entry.first_unverified = data::place_in(row.shape, row.first_unverified);
  }
  entry.status = data::name_of(row.status());
  entry.ok = row.ok;
  return entry;
}

result::Collective collective_of(const CollectiveRecord& one) {
  result::Collective entry{one.call, one.algorithm, one.tile_bytes, static_cast<std::uint64_t>(one.ranks), {}};
  for (const CollectiveRecord::Estimate& estimate : one.estimates) {
    entry.estimates.push_back({estimate.algorithm, estimate.ns, estimate.chunk_elements, {}});
    if (estimate.root >= 0) entry.estimates.back().root = estimate.root;
  }
  return entry;
}

result::Finding finding_of(const Finding& finding) {
  result::Finding entry{
      finding.rule,   {}, finding.gain, finding.total, finding.factor(), finding.headline, finding.evidence,
      finding.remedy, {}};
  if (finding.launch != 0) entry.launch = finding.launch;
  for (const ChainLink& link : finding.chain) {
    entry.chain.push_back(
        {pe_name(link.pe), pe_name(link.sender), link.awaited, link.sent, link.arrived, link.received});
  }
  return entry;
}

void add_checks(const RunRecord& run, result::Result& document) {
  for (const data::VerificationRow& row : run.verification) document.verification.push_back(verification_of(row));
  if (!run.races) return;
  document.races.emplace();
  for (const check::Race& race : *run.races) document.races->push_back({race.text, race.pairs});
  document.races_not_compared = run.races_not_compared;
}

// The file has the first ones only.
template <typename Row>
std::size_t rows_listed(const std::vector<Row>& rows, Detail detail) {
  return detail == Detail::sums ? std::min(rows.size(), result::kMostRows) : rows.size();
}

void add_explanations(const RunRecord& run, Detail detail, result::Result& document) {
  for (std::size_t i = 0; i < rows_listed(run.figures, detail); ++i) {
    const FigureRecord& figure = run.figures[i];
    document.figures.push_back({figure.name, figure.value, figure.unit});
  }
  if (!run.collectives.empty()) document.collectives.emplace();
  for (std::size_t i = 0; i < rows_listed(run.collectives, detail); ++i) {
    document.collectives->push_back(collective_of(run.collectives[i]));
  }
  for (const Finding& finding : run.findings) document.findings.push_back(finding_of(finding));
  for (const OperationCost& one : run.operations) {
    document.operations.push_back(
        {one.name, one.count, one.time, one.waiting, {pe_name(one.longest_at), one.longest_start, one.longest}});
  }
  document.notes = run.notes;
  document.warnings = run.warnings;
}

}  // namespace

result::Setup setup_of(const RunRecord& run) {
  result::Setup setup;
  setup.version = kVersion;
  setup.topology = {run.topology_file, run.topology_sha256};
  for (const SettingRecord& setting : run.settings) {
    setup.settings.push_back({setting.key, {setting.entry.value}, setting.entry.origin, {}});
    if (setting.reference) setup.settings.back().reference = result::Scalar{*setting.reference};
  }
  for (const auto& [key, entry] : run.config) setup.config.emplace_back(key, value_of(entry));
  setup.bench.name = run.workload;
  for (const auto& [name, entry] : run.params) setup.bench.params.emplace_back(name, value_of(entry));
  return setup;
}

result::Result result_of(const RunRecord& run, Detail detail) {
  result::Result document;
  document.setup = setup_of(run);
  document.device = run.device;
  document.seed = run.seed;
  document.data_mode = run.data_mode;
  document.ok = run.ok;
  document.error = failure(run.error_code, run.error_message);
  document.sim_time = run.sim_time;
  document.unknown_accesses = run.unknown_accesses;
  document.launch_count = run.launches.size();
  add_kernels(run, document);
  add_lines(run, result::kMostRows, document);
  add_launches(run, detail, document);
  add_kinds(run, document);
  if (detail == Detail::everything) document.blocks = blocks_of(run);
  add_checks(run, document);
  add_explanations(run, detail, document);
  add_energy(run, result::kMostRows, document);
  document.host = {run.host.wall_s, run.host.cpu_s, run.host.rss_mb, run.host.events};
  return document;
}

}  // namespace kb::sim
