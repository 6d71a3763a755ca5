#include "sim/study/probe/probe.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/params/hbm_banked_params.h"
#include "sim/run/driver/progress.h"
#include "sim/run/driver/systemc_setup.h"
#include "sim/study/process/isolate.h"

namespace kb::sim {
namespace {

using params::HbmBankedParams;

// Encodes "actual completed status node node ..." for the parent process.
std::string encode(const TrafficResult& result) {
  std::ostringstream text;
  text << (result.delivered - result.issue).fs() << ' ' << (result.completed - result.issue).fs() << ' '
       << result.status;
  for (const NodeId node : *result.path) text << ' ' << node.value;
  return text.str();
}

ProbeTimes decode_times(std::istringstream& stream) {
  std::int64_t actual = 0, completed = 0;
  stream >> actual >> completed;
  return {TimeFs(actual), TimeFs(completed)};
}

void decode(const std::string& text, ProbeResult& result) {
  std::istringstream stream(text);
  const ProbeTimes times = decode_times(stream);
  result.actual = times.actual;
  result.completed = times.completed;
  stream >> result.status;
  for (std::uint32_t node = 0; stream >> node;) result.path.emplace_back(node);
}

std::vector<ProbeCase> select(std::vector<ProbeCase> cases, const std::string& filter) {
  if (filter.empty() || filter == "all") return cases;
  std::vector<std::string> names;
  for (const ProbeCase& probe : cases) names.push_back(probe.name);
  const auto found = std::find(names.begin(), names.end(), filter);
  if (found == names.end()) {
    throw Error(ErrorFamily::configuration, "USAGE_ERROR",
                "unknown probe case '" + filter + "'; " + suggest(filter, names));
  }
  return {std::move(cases[static_cast<std::size_t>(found - names.begin())])};
}

const ProbeResult* find(const std::vector<ProbeResult>& results, const std::string& name) {
  const auto found =
      std::find_if(results.begin(), results.end(), [&](const ProbeResult& r) { return r.probe.name == name; });
  return found == results.end() ? nullptr : &*found;
}

// Comparisons of cases that ran.
struct Chains {
  const std::vector<ProbeResult>& results;
  TimeFs unsteady;  // by so much more or less may a memory take by itself
  std::vector<ProbeCheck> checks{};

  // `chain`: names, and whether each must be strictly above the previous one. No check with fewer than two cases.
  void add(const std::string& title, const std::vector<std::pair<std::string, bool>>& chain) {
    ProbeCheck check;
    const ProbeResult* last = nullptr;
    int points = 0;
    for (const auto& [name, strict] : chain) {
      const ProbeResult* result = find(results, name);
      if (result == nullptr) continue;
      if (last != nullptr) {
        const TimeFs least = result->steady().actual + unsteady;
        check.ok = check.ok && (strict ? last->steady().actual < least : last->steady().actual <= least);
        check.text += strict ? " < " : " <= ";
      }
      check.text += name + " " + format_ns(result->steady().actual);
      last = result;
      ++points;
    }
    if (points < 2) return;
    check.text = title + ": " + check.text;
    if (unsteady > 0_fs) check.text += ", within " + format_ns(unsteady) + " ns of the memory's clock, without refresh";
    checks.push_back(std::move(check));
  }
};

void check_lower_bound(std::vector<ProbeCheck>& checks, const std::vector<ProbeResult>& results) {
  for (const ProbeResult& result : results) {
    if (result.status != "OK")
      checks.push_back({result.probe.name + " was answered with " + result.status, false, false});
    const TimeFs completed = result.steady().completed;
    if (completed >= result.formula.total()) continue;
    checks.push_back({result.probe.name + " is faster than the formula latency: " + format_ns(completed) + " < " +
                          format_ns(result.formula.total()),
                      false, false});
  }
}

void add_bottleneck_line(std::vector<ProbeCheck>& checks, const std::vector<ProbeResult>& results) {
  const ProbeResult* local = find(results, "pe-local-hbm");
  const ProbeResult* remote = nullptr;
  for (const char* name : {"pe-cross-cube-hbm-best", "pe-cross-sip-hbm"}) {
    if (remote == nullptr) remote = find(results, name);
  }
  if (local == nullptr || remote == nullptr) return;
  const auto text = [](const ProbeResult& result) {
    const Bandwidth bandwidth = result.formula.bottleneck_bw;
    std::ostringstream out;
    out << result.probe.name << ' ';
    bandwidth.limited() ? out << bandwidth.gbs() << " GB/s" : out << "unlimited";
    return out.str();
  };
  checks.push_back({"bottleneck local versus remote: " + text(*local) + ", " + text(*remote), true, true});
}

bool has_banks(const topology::Node& node) {
  return node.impl == params::kHbmBanked;
}

bool is_refreshed(const topology::Node& node) {
  return has_banks(node) && node.impl_params.as<HbmBankedParams>().refresh != dram::RefreshMode::none;
}

params::ParamSet without_refresh(const params::ParamSet& params) {
  return params.with<HbmBankedParams>([](HbmBankedParams& banked) { banked.refresh = dram::RefreshMode::none; });
}

topology::LoadedTopology without_refresh(topology::LoadedTopology machine) {
  for (topology::Node& node : machine.graph.nodes) {
    if (is_refreshed(node)) node.impl_params = without_refresh(node.impl_params);
  }
  return machine;
}

// Only memories with banks have a clock.
TimeFs clock_of(const std::vector<topology::Node>& nodes) {
  TimeFs most = 0_fs;
  for (const topology::Node& node : nodes) {
    if (!has_banks(node)) continue;
    const params::ParamSet params = without_refresh(node.impl_params);
    most = std::max(most, params::unsteadiness_of(params.as<HbmBankedParams>()));
  }
  return most;
}

}  // namespace

bool ProbeReport::ok() const {
  return std::all_of(checks.begin(), checks.end(), [](const ProbeCheck& c) { return c.ok || c.informational; });
}

std::vector<ProbeCheck> check_probe(const std::vector<ProbeResult>& results, TimeFs unsteady) {
  Chains chains{results, unsteady};
  chains.add("H2D increases with every hop",
             {{"h2d-1hop", true}, {"h2d-2hop", true}, {"h2d-3hop", true}, {"h2d-4hop", true}});
  chains.add("D2H increases with every hop",
             {{"d2h-1hop", true}, {"d2h-2hop", true}, {"d2h-3hop", true}, {"d2h-4hop", true}});
  for (int hops = 1; hops <= 4; ++hops) {
    const std::string n = std::to_string(hops);
    chains.add("D2H is not faster than H2D", {{"h2d-" + n + "hop", true}, {"d2h-" + n + "hop", false}});
  }
  chains.add("the far cube takes longer", {{"pe-cross-cube-hbm-best", true}, {"pe-cross-cube-hbm-worst", true}});
  chains.add("PE DMA increases with distance", {{"pe-local-hbm", true},
                                                {"pe-same-half-hbm", true},
                                                {"pe-cross-half-hbm", true},
                                                {"pe-cross-cube-hbm-best", false},
                                                {"pe-cross-sip-hbm", false}});
  chains.add("SRAM increases with distance", {{"pe-own-sram", true}, {"pe-cross-cube-sram", true}});
  chains.add("TCM increases with distance",
             {{"pe-same-half-tcm", true}, {"pe-cross-cube-tcm", false}, {"pe-cross-sip-tcm", false}});
  check_lower_bound(chains.checks, results);
  add_bottleneck_line(chains.checks, results);
  return std::move(chains.checks);
}

ProbeReport run_probe(const topology::LoadedTopology& topology, const std::string& filter,
                      const ProbeOptions& options) {
  const topology::MachineSpec& spec = topology.graph.spec;
  const std::vector<topology::Node>& nodes = topology.graph.nodes;
  const bool refreshed = std::any_of(nodes.begin(), nodes.end(), is_refreshed);
  ProbeReport report;
  std::vector<std::function<std::string()>> jobs;
  for (ProbeCase& probe : select(probe_cases(spec), filter)) {
    if (!probe.skipped.empty()) {
      report.skipped.push_back(std::move(probe));
      continue;
    }
    ProbeResult result;
    result.row = probe_row(probe, spec);
    result.probe = std::move(probe);
    const auto run = [row = result.row, &options](const topology::LoadedTopology& machine, observe::EventLog* log) {
      prepare_systemc();
      TrafficOptions traffic;
      traffic.blocks = options.blocks;
      traffic.log = log;
      return encode(run_traffic(machine, {row}, traffic).front());
    };
    jobs.push_back([run, &topology, &options] { return run(topology, options.log); });
    if (refreshed && result.probe.memory == MemoryKind::hbm) {
      result.without_refresh.emplace();
      jobs.push_back([run, &topology] { return run(without_refresh(topology), nullptr); });
    }
    report.results.push_back(std::move(result));
  }
  ProgressLine progress(options.log == nullptr ? Progress::automatic : Progress::on_request);
  const std::vector<std::string> answers =
      run_isolated(jobs, {[&](std::size_t done) { progress.update_count(done, jobs.size(), "transfers"); }});
  auto answer = answers.begin();
  for (ProbeResult& result : report.results) {
    decode(*answer++, result);
    if (result.without_refresh) {
      std::istringstream stream(*answer++);
      result.without_refresh = decode_times(stream);
    }
    const auto formula = is_read_op(result.row.op) ? read_formula : path_formula;
    result.formula = formula(topology.graph, result.path, kProbeBytes);
  }
  report.checks = check_probe(report.results, clock_of(nodes));
  return report;
}

}  // namespace kb::sim
