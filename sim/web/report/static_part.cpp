#include "sim/web/report/static_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "platform/views/svg.h"
#include "sim/result/launch_parts.h"
#include "sim/web/report/energy_part.h"
#include "sim/web/report/ladder_part.h"
#include "sim/web/report/launches.h"
#include "sim/web/report/tornado_part.h"

namespace kb::web {
namespace {

using Json = nlohmann::ordered_json;
using views::escaped;

constexpr std::size_t kMaxRows = 24;
constexpr double kFsInNs = 1e6;

std::string section(const std::string& title, const std::string& content) {
  return "<section>\n<h2>" + escaped(title) + "</h2>\n" + content + "</section>\n";
}

struct Column {
  const char* name;
  bool number = false;
};

class Table {
 public:
  explicit Table(const std::vector<Column>& columns) : columns_(columns) {
    html_ = "<div class=\"scrollx\"><table class=\"data\"><thead><tr>";
    for (const Column& column : columns_) html_ += cell("th", column, column.name);
    html_ += "</tr></thead><tbody>\n";
  }
  void row(const std::vector<std::string>& texts) {
    html_ += "<tr>";
    for (std::size_t i = 0; i < columns_.size(); ++i) html_ += cell("td", columns_[i], texts.at(i));
    html_ += "</tr>\n";
  }
  std::string take() const { return html_ + "</tbody></table></div>\n"; }

 private:
  static std::string cell(const char* tag, const Column& column, const std::string& text) {
    return fmt::format("<{0}{1}>{2}</{0}>", tag, column.number ? " class=\"number\"" : "", escaped(text));
  }
  std::vector<Column> columns_;
  std::string html_;
};

double ns_of(TimeFs time) {
  return static_cast<double>(time.fs()) / kFsInNs;
}

std::string head(const result::Result& result) {
  std::string html = "<h1>" + escaped(result.setup.bench.name) + "</h1>\n<p class=\"dim\">on " +
                     escaped(result.setup.topology.file) + ", kernbench " + escaped(result.setup.version) +
                     fmt::format(", seed {}</p>\n", result.seed);
  if (!result.ok) {
    const result::Failure failure = result.error.value_or(result::Failure{});
    html += "<p class=\"message bad\">Failed: " + escaped(failure.code + ": " + failure.message) + "</p>\n";
  }
  for (const std::string& warning : result.warnings) {
    html += "<p class=\"message warn\">" + escaped(warning) + "</p>\n";
  }
  return html;
}

std::string findings(const result::Result& result) {
  if (result.findings.empty()) {
    return section("Findings", "<p>Nothing was found that would bring more than 3 %, or nothing was recorded.</p>\n");
  }
  std::string html = "<ol class=\"findings\">\n";
  for (const result::Finding& finding : result.findings) {
    html += fmt::format("<li><strong>{}</strong> <span class=\"gain\">up to {} of {} ({:.2f}x)</span>",
                        escaped(finding.headline), duration_text(ns_of(finding.gain)),
                        duration_text(ns_of(finding.whole)), finding.factor);
    for (const std::string& sentence : finding.evidence) html += "<p>" + escaped(sentence) + "</p>";
    html += "<p class=\"try\">Try: " + escaped(finding.remedy) + "</p></li>\n";
  }
  return section("Findings", html + "</ol>\n");
}

std::string launches(const result::Result& result) {
  std::vector<LaunchTimes> all = launches_of(result);
  if (all.empty()) return "<p class=\"message\">No kernel was launched.</p>\n";
  std::stable_sort(all.begin(), all.end(),
                   [](const LaunchTimes& a, const LaunchTimes& b) { return a.whole.span() > b.whole.span(); });
  const std::size_t shown = std::min(all.size(), kMaxRows);
  Table table({{"launch", true},
               {"kernel"},
               {"SIP"},
               {"in all", true},
               {"its kernel", true},
               {"PE that ended last"},
               {"limited by"}});
  for (std::size_t i = 0; i < shown; ++i) {
    const LaunchTimes& times = all[i];
    const auto& breakdown = times.launch->breakdown;
    table.row({fmt::format("#{}", times.launch->id), times.name, times.sip, duration_text(ns_of(times.launch->time())),
               times.kernel.empty() ? "" : duration_text(ns_of(times.launch->exec.max)), times.pe,
               breakdown ? breakdown->limiter_text.value_or("") : ""});
  }
  const std::string title = result.launch_count > shown
                                ? fmt::format("The {} longest of {} launches", shown, result.launch_count)
                                : "Launches";
  return section(title, table.take());
}

// The word for a part of a launch.
std::string label_of(const std::string& part) {
  for (const std::size_t i : sim::launch_part_indices()) {
    if (sim::launch_part(i).name == part) return std::string(sim::launch_part(i).label);
  }
  return part;
}

// "ahead.cpp:41 wait"; empty without a line.
std::string line_text(const result::Line& line) {
  const std::size_t slash = line.file.rfind('/');
  return line.line == 0 ? ""
                        : fmt::format("{}:{} {}", line.file.substr(slash == std::string::npos ? 0 : slash + 1),
                                      line.line, line.call);
}

// The longest share: "exposed DMA 76 %".
std::string longest_share(const result::LineTime& line) {
  const auto most = std::max_element(line.shares.begin(), line.shares.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == line.shares.end() || line.time == 0_fs) return "";
  return fmt::format("{} {:.0f} %", label_of(most->first), 100 * ns_of(most->second) / ns_of(line.time));
}

std::string lines(const result::Result& result) {
  Table table({{"line"}, {"kernel"}, {"tensor"}, {"range"}, {"time", true}, {"PE did"}, {"held by"}});
  std::size_t shown = 0;
  for (const result::LineTime& one : result.lines) {
    if (one.time == 0_fs || shown == kMaxRows) continue;
    ++shown;
    const result::Line& cause = one.held_by.value_or(one.line);
    const std::string at = line_text(one.line);
    table.row({at.empty() ? "end of the kernel" : at, one.kernel, cause.tensor, one.line.range,
               duration_text(ns_of(one.time)), longest_share(one), one.held_by ? line_text(cause) : ""});
  }
  return shown == 0 ? "" : section("Where the time of the kernels went, by line", table.take());
}

// What the transfers of each line waited for longest.
std::string transfers(const result::Result& result) {
  Table table({{"line"}, {"kernel"}, {"tensor"}, {"bytes", true}, {"waited for"}, {"wait", true}, {"most at"}});
  std::size_t shown = 0;
  for (const result::Transfer& one : result.transfers) {
    const auto most = std::max_element(one.uses.begin(), one.uses.end(),
                                       [](const auto& a, const auto& b) { return a.second.wait < b.second.wait; });
    if (most == one.uses.end() || most->second.wait == 0_fs || shown == kMaxRows) continue;
    ++shown;
    const std::string at = line_text(one.line);
    table.row({at.empty() ? "distribution of the launch" : at, one.kernel, one.line.tensor, std::to_string(one.bytes),
               most->first, duration_text(ns_of(most->second.wait)), most->second.most_at.value_or("")});
  }
  return shown == 0 ? "" : section("What the transfers of each line waited for, sums of all PEs", table.take());
}

std::string figures(const result::Result& result) {
  if (result.figures.empty()) return "";
  Table table({{"figure"}, {"value", true}});
  for (std::size_t i = 0; i < std::min(result.figures.size(), kMaxRows); ++i) {
    const result::Figure& figure = result.figures[i];
    table.row({figure.name, figure.unit == "ns" ? duration_text(figure.value)
                                                : fmt::format("{:.6g} {}", figure.value, figure.unit)});
  }
  return section("Figures", table.take());
}

// "3 of 4 tensors right, 1 wrong"
std::string verdicts(const result::Result& result) {
  std::map<std::string, std::size_t> bad;
  for (const result::Verification& one : result.verification) {
    if (!one.ok) ++bad[one.status];
  }
  std::size_t right = result.verification.size();
  std::string text;
  for (const auto& [status, count] : bad) {
    right -= count;
    text += fmt::format(", {} {}", count, status);
  }
  return fmt::format("{} of {} tensors right", right, result.verification.size()) + text;
}

// Workload with what was set of its parameters, machine with what differs from the reference machine.
std::string what_was_run(const result::Result& result, const std::string& machine) {
  const result::Setup& setup = result.setup;
  Table table({{"what was run"}, {"value"}, {"origin"}});
  table.row({"workload", setup.bench.name, ""});
  std::string defaults;
  for (const auto& [name, param] : setup.bench.params) {
    if (param.origin != "default") table.row({name, param.value.text, param.origin});
    if (param.origin == "default") defaults += (defaults.empty() ? "" : ", ") + name + " = " + param.value.text;
  }
  if (!defaults.empty()) table.row({"other parameters", defaults, "default"});
  table.row({"machine", setup.topology.file + (machine.empty() ? "" : ": " + machine), ""});
  for (std::size_t i = 0; i < std::min(setup.settings.size(), kMaxRows); ++i) {
    const result::Setting& one = setup.settings[i];
    const std::string reference = one.reference ? " (reference " + one.reference->text + ")" : "";
    table.row({one.key, one.value.text + reference, one.origin});
  }
  table.row({"device", result.device, ""});
  table.row({"data mode", result.data_mode + (result.verification.empty() ? "" : ", " + verdicts(result)), ""});
  return section("Run", table.take());
}

// Only of runs that looked for races.
std::string races(const result::Result& result) {
  if (!result.races) return "";
  const std::uint64_t left_out = result.races_not_compared.value_or(0);
  std::string html;
  if (result.races->empty()) {
    html = left_out > 0 ? "<p>None in what was compared.</p>\n" : "<p>None: every two such uses are in an order.</p>\n";
  }
  for (std::size_t i = 0; i < std::min(result.races->size(), kMaxRows); ++i) {
    const result::Race& race = (*result.races)[i];
    html +=
        "<p>" + escaped(race.text) + (race.pairs > 1 ? fmt::format("; {} pairs like this", race.pairs) : "") + "</p>\n";
  }
  if (result.races->size() > kMaxRows) html += fmt::format("<p>And {} more.</p>\n", result.races->size() - kMaxRows);
  if (left_out > 0) {
    html +=
        fmt::format("<p>Not compared: {} accesses whose indices or masks data mode off does not know.</p>\n", left_out);
  }
  return section("Races", html);
}

std::string signed_duration(double ns) {
  return (ns > 0 ? "+" : ns < 0 ? "\u2212" : "") + duration_text(std::abs(ns));
}

// Settings and parts that differ; `comparison` is the output of `kernbench compare --json`.
std::string compared(const Json& comparison) {
  if (comparison.is_null()) return "";
  const auto number = [](const Json& one, const char* name) { return one.at(name).get<double>(); };
  const auto text = [](const Json& one, const char* name) { return one.at(name).get<std::string>(); };
  const Json& total = comparison.at("total");
  std::string html = fmt::format("<p>Launches that both runs have: {} in A, {} in B, this run.</p>\n",
                                 duration_text(number(total, "before")), duration_text(number(total, "after")));
  Table settings({{"set differently"}, {"A"}, {"B"}}),
      parts({{"part"}, {"A", true}, {"B", true}, {"B \u2212 A", true}});
  for (const Json& one : comparison.at("settings")) {
    settings.row({text(one, "name"), text(one, "before"), text(one, "after")});
  }
  for (const Json& one : comparison.at("parts")) {
    const double a = number(one, "before"), b = number(one, "after");
    if (a == 0 && b == 0) continue;
    parts.row({label_of(text(one, "name")), duration_text(a), duration_text(b), signed_duration(b - a)});
  }
  if (!comparison.at("settings").empty()) html += settings.take();
  return section("Compared with another run", html + parts.take());
}

}  // namespace

std::string duration_text(double ns) {
  constexpr double kOfUs = 1e4, kOfMs = 1e7, kUs = 1e3, kMs = 1e6;
  if (!std::isfinite(ns)) return "?";
  if (std::abs(ns) >= kOfMs) return fmt::format("{:.5g} ms", ns / kMs);
  if (std::abs(ns) >= kOfUs) return fmt::format("{:.5g} µs", ns / kUs);
  return fmt::format("{:.5g} ns", ns);
}

std::string static_part(const result::Result& result, const analysis::RunWhy& why, const std::string& machine,
                        const Json& comparison, const std::string& pictures) {
  return "<main class=\"page\">\n" + head(result) +
         "<p class=\"hint\">JavaScript is off: this is the part of the report that needs none.</p>\n" +
         ladder_part(why) + tornado_part(why) + findings(result) + races(result) + launches(result) + lines(result) +
         transfers(result) + energy_part(result) + figures(result) + what_was_run(result, machine) +
         compared(comparison) + pictures + "</main>\n";
}

}  // namespace kb::web
