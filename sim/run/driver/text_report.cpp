#include "sim/run/driver/text_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <set>

#include "platform/base/names.h"
#include "platform/contract/launch_summary.h"
#include "platform/observe/text_table.h"
#include "platform/topology/words.h"
#include "sim/analysis/findings/findings.h"
#include "sim/analysis/findings/limiter.h"
#include "sim/result/launch_parts.h"
#include "sim/run/driver/energy_report.h"
#include "sim/run/driver/line_report.h"

namespace kb::sim {
namespace {

using observe::TextTable;
using topology::plural;
using Align = TextTable::Align;

constexpr std::size_t kMaxSettings = 12;
constexpr std::size_t kMaxLaunches = 16;
constexpr const char* kLaunchTitle =
    "\nLaunches (times in ns)\n"
    "  start: the first PE enters the kernel; completed: the host has every answer; exec: a PE's time in the kernel,\n"
    "  least and longest; dma, compute: most service time of a PE, summed over its DMA channels and its engines\n";

std::string line(const std::string& label, const std::string& text) {
  std::string padded = label;
  padded.resize(std::max<std::size_t>(padded.size() + 1, 14), ' ');
  return "  " + padded + text + '\n';
}

std::string indented(const std::string& lines) {
  std::string text;
  for (const char c : lines) {
    if (text.empty() || text.back() == '\n') text += "  ";
    text += c;
  }
  return text;
}

// Six significant digits, without an exponent in the usual range.
std::string figure_text(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) return observe::fixed(value, 0);
  const double size = std::fabs(value);
  if (size >= 1e-3 && size < 1e9) {
    const int digits = std::max(0, 5 - static_cast<int>(std::floor(std::log10(size))));
    return observe::fixed(value, std::min(digits, 6));
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}

std::string render_settings(const RunRecord& run) {
  std::string text;
  for (std::size_t i = 0; i < run.settings.size() && i < kMaxSettings; ++i) {
    const SettingRecord& setting = run.settings[i];
    const std::string instead = setting.reference ? "reference: " + *setting.reference : "not in the reference";
    text += line(i == 0 ? "settings" : "",
                 setting.key + " = " + setting.entry.value + " (" + setting.entry.origin + ", " + instead + ")");
  }
  if (run.settings.size() > kMaxSettings) {
    text += line(
        "", "... and " + std::to_string(run.settings.size() - kMaxSettings) + " more that differ from the reference");
  }
  return text;
}

std::string render_params(const RunRecord& run) {
  std::string text = run.workload;
  for (const auto& [name, entry] : run.params) {
    if (entry.value.empty()) continue;  // nothing was asked for
    text += "  " + name + "=" + entry.value;
    if (entry.origin != "default") text += " (" + entry.origin + ")";
  }
  return line("workload", text);
}

std::string render_launches(const RunRecord& run) {
  if (run.launches.empty()) return "";
  TextTable table({{"launch", Align::right},
                   {"kernel", Align::left},
                   {"SIP", Align::right},
                   {"PEs", Align::right},
                   {"start", Align::right},
                   {"completed", Align::right},
                   {"exec min", Align::right},
                   {"exec max", Align::right},
                   {"dma max", Align::right},
                   {"compute max", Align::right}});
  for (std::size_t i = 0; i < run.launches.size() && i < kMaxLaunches; ++i) {
    const LaunchRecord& launch = run.launches[i];
    table.add({std::to_string(launch.id), launch.name(), std::to_string(launch.sip.value),
               std::to_string(launch.summary.pes), table_time(launch.start), table_time(launch.completed),
               table_time(launch.summary.exec_min), table_time(launch.summary.exec_max),
               table_time(launch.summary.dma_max), table_time(launch.summary.compute_max)});
  }
  std::size_t failed = 0;
  std::string text = kLaunchTitle + table.render("  ");
  if (run.launches.size() > kMaxLaunches) {
    text += "  ... and " + std::to_string(run.launches.size() - kMaxLaunches) + " more in the result file\n";
  }
  for (const LaunchRecord& launch : run.launches) {
    if (launch.error_code.empty()) continue;
    const std::string name = launch.label.empty() ? "" : " (" + launch.name() + ")";
    text += "  launch " + std::to_string(launch.id) + name + " failed: " + launch.error_code + ": " +
            launch.error_message + '\n';
    if (++failed == kMaxLaunches) break;
  }
  return text;
}

// One row per kernel, in the order of their first launches; those whose products fill the array say nothing.
std::string render_padding(const RunRecord& run) {
  std::vector<std::pair<std::string, contract::LaunchSummary>> kernels;
  for (const LaunchRecord& launch : run.launches) {
    const auto same = [&](const auto& kernel) { return kernel.first == launch.kernel; };
    auto kernel = std::find_if(kernels.begin(), kernels.end(), same);
    if (kernel == kernels.end()) kernel = kernels.insert(kernels.end(), {launch.kernel, {}});
    kernel->second.add(launch.summary);
  }
  std::string text;
  for (const auto& [name, sum] : kernels) {
    if (sum.macs <= sum.useful_macs) continue;
    const double share = 100.0 * static_cast<double>(sum.macs - sum.useful_macs) / static_cast<double>(sum.macs);
    text += "  " + observe::fixed(share, 1) + " % of the MAC array's work in " + name +
            " was padding: sizes are rounded up to gemm_granularity of pe_gemm\n";
  }
  return text;
}

// Renders the division of the longest launch's time.
std::string render_breakdown(const RunRecord& run) {
  const LaunchRecord* const longest = longest_launch(run.launches);
  if (longest == nullptr) return "";
  const LaunchRecord::LastEndingPe& pe = *longest->last_pe();
  const double total = fs_to_ns(longest->completed - longest->submitted);
  TextTable table({{"part", Align::left}, {"ns", Align::right}, {"%", Align::right}, {"", Align::left}});
  const auto parts = launch_parts(*longest);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == 0_fs) continue;
    const DisplayText& word = launch_part(i);
    table.add({std::string(word.label), table_time(parts[i]), observe::fixed(100.0 * fs_to_ns(parts[i]) / total, 1),
               std::string(word.sentence)});
  }
  std::string text = "\nWhere the time went\n  launch " + std::to_string(longest->id) + " (" + longest->name() +
                     "), submission to completion, at " + pe_name(pe.pe) + ", which ended last\n" + table.render("  ");
  if (const std::optional<Limiter> limiter = limiter_of(*longest)) {
    text += "  limiter: " + limiter->text(pe.exec) + " of the kernel's time\n";
  }
  return text;
}

constexpr std::size_t kMaxFindings = 3;

// The first ones, and the first of each launch that ran beside the longest.
std::string render_findings(const RunRecord& run) {
  if (run.findings.empty()) return "";
  const LaunchRecord* const longest = longest_launch(run.launches);
  std::string text = "\nFindings, the worst first; each is the most that fixing only this gains\n";
  std::set<std::uint64_t> named;
  std::size_t number = 0, of_longest = 0;
  for (const Finding& finding : run.findings) {
    const bool beside = finding.launch != 0 && longest != nullptr && finding.launch != longest->id;
    if (beside ? !named.insert(finding.launch).second : of_longest++ >= kMaxFindings) continue;
    text += "  " + std::to_string(++number) + "  " + observe::fixed(finding.factor(), 2) + "x  " + finding.headline +
            " (" + finding.rule + ")\n";
    for (const std::string& sentence : finding.evidence) text += "            " + sentence + '\n';
    text += "            try: " + finding.remedy + '\n';
  }
  if (run.findings.size() > number) {
    text += "  ... and " + std::to_string(run.findings.size() - number) + " more in the result file\n";
  }
  return text;
}

// Products and MATH apart, and what of a transfer its bytes do not need.
std::string render_operations(const RunRecord& run) {
  if (run.operations.empty()) return "";
  TextTable table({{"operation", Align::left},
                   {"count", Align::right},
                   {"time", Align::right},
                   {"waiting %", Align::right},
                   {"longest", Align::right},
                   {"at", Align::left},
                   {"from", Align::right}});
  for (const OperationCost& one : run.operations) {
    const std::string waiting =
        one.waiting ? observe::fixed(100.0 * fs_to_ns(*one.waiting) / fs_to_ns(one.time), 1) : "-";
    table.add({one.name, std::to_string(one.count), table_time(one.time), waiting, table_time(one.longest),
               pe_name(one.longest_at), table_time(one.longest_start)});
  }
  return "\nMost expensive operations (times in ns, all PEs and launches together)\n"
         "  waiting: of a transfer what its bytes do not need on the PE's wire, of a receive all\n" +
         table.render("  ");
}

std::string render_figures(const RunRecord& run) {
  if (run.figures.empty()) return "";
  TextTable table({{"figure", Align::left}, {"value", Align::right}, {"unit", Align::left}, {"meaning", Align::left}});
  for (const FigureRecord& figure : run.figures)
    table.add({figure.name, figure_text(figure.value), figure.unit, figure.meaning});
  return "\nFigures\n" + table.render("  ");
}

// What `algorithm: auto` chose, the fastest by formula, beside what it chose from.
std::string render_collectives(const RunRecord& run) {
  if (run.collectives.empty()) return "";
  TextTable table({{"call", Align::left},
                   {"tile", Align::right},
                   {"ranks", Align::right},
                   {"algorithm", Align::left},
                   {"estimate", Align::right},
                   {"chunk", Align::right},
                   {"root", Align::right},
                   {"", Align::left}});
  for (const CollectiveRecord& one : run.collectives) {
    for (const CollectiveRecord::Estimate& estimate : one.estimates) {
      table.add({one.call, std::to_string(one.tile_bytes), std::to_string(one.ranks), estimate.algorithm,
                 observe::fixed(estimate.ns, 1), std::to_string(estimate.chunk_elements),
                 estimate.root < 0 ? "-" : std::to_string(estimate.root),
                 estimate.algorithm == one.algorithm ? "chosen" : ""});
    }
  }
  return "\nCollectives (tile in bytes, estimate by formula in ns, chunk in elements per message, root a cube)\n" +
         table.render("  ");
}

std::string races_text(const RunRecord& run) {
  const std::vector<check::Race>& races = *run.races;
  constexpr std::size_t kMaxShown = 10;
  if (races.empty() && run.races_not_compared > 0) return "  none in what was compared\n";
  if (races.empty()) return "  none: every two uses of the same bytes, one of them writing, are in an order\n";
  std::string text;
  for (std::size_t i = 0; i < std::min(races.size(), kMaxShown); ++i) {
    text += "  " + races[i].text +
            (races[i].pairs > 1 ? "; " + std::to_string(races[i].pairs) + " pairs like this\n" : "\n");
  }
  if (races.size() > kMaxShown)
    text += "  ... and " + std::to_string(races.size() - kMaxShown) + " more in the result file\n";
  return text;
}

std::string not_compared_text(std::uint64_t count) {
  if (count == 0) return "";
  return "  " + std::to_string(count) + (count == 1 ? " indexed access was" : " indexed accesses were") +
         " not compared, because data mode off does not know the indices and masks; use --data replay or eager "
         "(eager where MATH or GEMM computes them)\n";
}

std::string render_data(const RunRecord& run) {
  std::string text;
  if (!run.verification.empty()) text += "\nVerification\n" + indented(data::render_table(run.verification));
  if (run.races) text += "\nRaces\n" + races_text(run) + not_compared_text(run.races_not_compared);
  if (!run.notes.empty() || !run.warnings.empty()) text += '\n';
  for (const std::string& note : run.notes) text += "Note: " + note + '\n';
  for (const std::string& warning : run.warnings) text += "Warning: " + warning + '\n';
  return text;
}

std::string verdict(const RunRecord& run) {
  if (!run.ok) return "FAILED  " + run.error_code + ": " + run.error_message;
  if (!run.verification.empty()) {
    return "ok  " + plural(run.verification.size(), "tensor") + " verified: the data is right";
  }
  return run.data_mode == "off" ? "ok  times only; add --verify-data to compute and check the data"
                                : "ok  the workload compared no data";
}

std::string host_text(const HostFigures& host) {
  const double rate = host.wall_s > 0.0 ? static_cast<double>(host.events) / host.wall_s * 1e-6 : 0.0;
  std::string text = observe::fixed(host.wall_s, 2) + " s (" + observe::fixed(host.cpu_s, 2) + " s CPU), " +
                     observe::fixed(host.rss_mb, 0) + " MB, " + std::to_string(host.events) + " events";
  if (rate >= 0.05) text += ", " + observe::fixed(rate, 2) + " million per second";  // says nothing about tiny runs
  return text;
}

}  // namespace

std::string table_time(TimeFs fs) {
  return fs == kNever ? "-" : observe::fixed(fs_to_ns(fs), 3);
}

std::string machine_text(const topology::MachineSpec& spec) {
  const auto number = [](int value) { return static_cast<std::size_t>(value); };
  return plural(number(spec.sip_count), "SIP") + " x " + plural(number(spec.cubes_per_sip()), "cube") + " x " +
         plural(number(spec.pes_per_cube()), "PE") + " = " + plural(number(spec.pe_count()), "PE");
}

std::string render_report(const RunRecord& run, const topology::MachineSpec& spec, const OutputFiles& files) {
  std::string text = "Simulation\n";
  text += line("machine", run.topology_file + ": " + machine_text(spec));
  text += render_settings(run);
  text += render_params(run);
  text += line("device", run.device);
  text += line("data mode", run.data_mode);
  text += render_launches(run) + render_padding(run);
  text += render_breakdown(run);
  text += render_line_times(run);
  text += render_line_transfers(run);
  text += render_energy(run);
  text += render_findings(run);
  text += render_operations(run);
  text += render_figures(run);
  text += render_collectives(run);
  text += render_data(run);
  text += "\nResult\n";
  text += line("simulated", format_ns(run.sim_time) + " ns");
  text += line("host", host_text(run.host));
  for (const auto& [purpose, path] : files) text += line(purpose, path);
  text += line("verdict", verdict(run));
  return text;
}

}  // namespace kb::sim
