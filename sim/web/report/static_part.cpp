#include "sim/web/report/static_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/views/svg.h"
#include "sim/web/report/launches.h"

namespace kb::web {
namespace {

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

std::string head(const Json& summary) {
  const Json& bench = member(summary, "bench");
  std::string html = "<h1>" + escaped(text_of(bench, "name")) + "</h1>\n<p class=\"dim\">on " +
                     escaped(text_of(member(summary, "topology"), "file")) + ", kernbench " +
                     escaped(text_of(summary, "version")) + ", seed " + escaped(plain(member(summary, "seed"))) +
                     "</p>\n";
  if (member(summary, "ok") == Json(false)) {
    const Json& error = member(summary, "error");
    html += "<p class=\"message bad\">Failed: " + escaped(text_of(error, "code")) + ": " +
            escaped(text_of(error, "message")) + "</p>\n";
  }
  for (const Json& warning : list_of(summary, "warnings")) {
    html += "<p class=\"message warn\">" + escaped(plain(warning)) + "</p>\n";
  }
  return html;
}

std::string findings(const Json& summary) {
  std::string html;
  for (const Json& finding : list_of(summary, "findings")) {
    if (!finding.is_object()) continue;
    html += "<li><strong>" + escaped(text_of(finding, "headline")) + "</strong>";
    const double gain = number_of(finding, "gain_ns");
    if (gain > 0) {
      html += fmt::format(" <span class=\"gain\">up to {} of {} ({:.2f}x)</span>", duration_text(gain),
                          duration_text(number_of(finding, "of_ns")), number_of(finding, "factor"));
    }
    for (const Json& sentence : list_of(finding, "evidence")) html += "<p>" + escaped(plain(sentence)) + "</p>";
    if (!text_of(finding, "remedy").empty()) {
      html += "<p class=\"try\">Try: " + escaped(text_of(finding, "remedy")) + "</p>";
    }
    html += "</li>\n";
  }
  return section("Findings", html.empty() ? "<p>Nothing was found that would bring more than 3 %, or nothing was "
                                            "recorded.</p>\n"
                                          : "<ol class=\"findings\">\n" + html + "</ol>\n");
}

std::string launches(const Json& summary) {
  std::vector<LaunchTimes> all = launches_of(summary);
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
    const LaunchTimes& launch = all[i];
    table.row({"#" + plain(member(*launch.json, "id")), launch.name, launch.sip,
               duration_text(static_cast<double>(launch.whole.span()) / kFsInNs),
               launch.kernel.empty() ? "" : duration_text(static_cast<double>(launch.kernel.span()) / kFsInNs),
               launch.pe, text_of(member(*launch.json, "breakdown"), "limiter_text")});
  }
  const double count = std::max(number_of(summary, "launch_count"), static_cast<double>(all.size()));
  const std::string title =
      count > static_cast<double>(shown) ? fmt::format("The {} longest of {:.0f} launches", shown, count) : "Launches";
  return section(title, table.take());
}

std::string signed_duration(double ns) {
  return (ns > 0 ? "+" : ns < 0 ? "\u2212" : "") + duration_text(std::abs(ns));
}

std::string compared(const Json& comparison) {
  if (!comparison.is_object()) return "";
  const Json& total = member(comparison, "total");
  const double before = number_of(total, "before"), after = number_of(total, "after");
  std::string html = fmt::format("<p>Launches that both runs have: {} in A, {} in B, this run.</p>\n",
                                 duration_text(before), duration_text(after));
  Table settings({{"set differently"}, {"A"}, {"B"}}),
      parts({{"part"}, {"A", true}, {"B", true}, {"B \u2212 A", true}});
  for (const Json& one : list_of(comparison, "settings")) {
    settings.row({text_of(one, "name"), text_of(one, "before"), text_of(one, "after")});
  }
  for (const Json& one : list_of(comparison, "parts")) {
    const double a = number_of(one, "before"), b = number_of(one, "after");
    if (a == 0 && b == 0) continue;
    parts.row({text_of(one, "name"), duration_text(a), duration_text(b), signed_duration(b - a)});
  }
  if (!list_of(comparison, "settings").empty()) html += settings.take();
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

std::string static_part(const Json& summary, const Json& comparison, const std::string& pictures) {
  return "<main class=\"page\">\n" + head(summary) +
         "<p class=\"hint\">JavaScript is off: this is the part of the report that needs none.</p>\n" +
         findings(summary) + launches(summary) + compared(comparison) + pictures + "</main>\n";
}

}  // namespace kb::web
