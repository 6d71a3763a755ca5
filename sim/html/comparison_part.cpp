// What differs from another run, and where the time between the two went.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/names.h"
#include "sim/html/case.h"
#include "sim/html/markup.h"

namespace kb::html {
namespace {

using sim::Change;
using sim::ChangeCause;
using sim::Comparison;
using sim::LaunchPair;

constexpr std::size_t kMaxSettings = 200, kMaxPairs = 24, kMaxBlocks = 12, kMaxSentences = 50;

std::string signed_duration(double ns) {
  return (ns > 0 ? "+" : ns < 0 ? "\u2212" : "") + duration_text(std::abs(ns));
}

// Where the files lie is no part of a report.
std::string without_files(const Comparison& of, std::string text) {
  for (const auto& [file, name] : {std::pair(&of.after, "B"), std::pair(&of.before, "A")}) {
    for (std::size_t at = text.find(*file); !file->empty() && at != std::string::npos; at = text.find(*file, at + 1)) {
      text.replace(at, file->size(), name);
    }
  }
  return text;
}

std::string verdict(const Comparison& of) {
  std::string html;
  for (std::size_t i = 0; i < std::min(of.failures.size(), kMaxSentences); ++i) {
    html += "<p class=\"bad\">" + escaped(without_files(of, of.failures[i])) + "</p>\n";
  }
  if (of.launches.empty()) return html + "<p>No kernel was launched in both.</p>\n";
  const double difference = of.total.difference();
  if (difference == 0) return html + "<p><b>B takes as long as A.</b></p>\n";
  return html + fmt::format("<p><b>B takes {} {} than A</b>: {} of its time, over {} launches.</p>\n",
                            duration_text(std::abs(difference)), difference < 0 ? "less" : "more",
                            of.total.before > 0 ? percent_text(of.total.after / of.total.before) : "-",
                            count_text(static_cast<double>(of.launches.size())));
}

std::string settings_table(const Comparison& of) {
  std::string html = "<h3>What was set differently</h3>\n";
  if (of.settings.empty()) return html + "<p>Nothing.</p>\n";
  html += "<table><thead><tr><th>setting</th><th>A</th><th>B</th></tr></thead><tbody>\n";
  const auto cell = [](const std::string& text) { return text.empty() ? std::string("-") : escaped(text); };
  for (std::size_t i = 0; i < std::min(of.settings.size(), kMaxSettings); ++i) {
    const sim::SettingDifference& one = of.settings[i];
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(one.name), cell(one.before),
                        cell(one.after));
  }
  html += "</tbody></table>\n";
  if (of.settings.size() > kMaxSettings) {
    html += fmt::format("<p class=\"hint\">And {} more.</p>\n", of.settings.size() - kMaxSettings);
  }
  return html;
}

std::string label_of(const std::string& name) {
  for (const Part& part : parts()) {
    if (name == part.name) return part.label;
  }
  return name;
}

// Each part begins where the one before it ended, from the time of A to that of B.
class Waterfall {
 public:
  explicit Waterfall(const Comparison& of) : of_(of) {
    double at = of.total.before, most = std::max(of.total.before, of.total.after);
    for (const Change& part : of.parts) {
      if (part.difference() == 0) continue;
      shown_.push_back(&part);
      most = std::max(most, at += part.difference());
    }
    scale_ = most > 0 ? (kPageWidth - kNames - kFigures) / most : 0;
  }

  std::string svg() const {
    if (shown_.empty() || !std::isfinite(scale_)) return "";
    std::string html =
        "<h3>Where the difference comes from</h3>\n<p class=\"hint\">The parts of the launches, of the PEs that ended "
        "last, add up. Dark: longer in B; light with a border: shorter.</p>\n";
    html += fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kPageWidth,
                        kRow * static_cast<double>(shown_.size() + 2));
    double y = 0, at = of_.total.before;
    html += row(y, "A", 0, at, "fill=\"#8d95a1\"", duration_text(at));
    for (const Change* part : shown_) {
      const double next = at + part->difference();
      html += row(y += kRow, label_of(part->name), std::min(at, next), std::max(at, next),
                  next > at ? "fill=\"#a5281c\"" : "fill=\"#b9ddc7\" stroke=\"#1f6b3f\"",
                  signed_duration(part->difference()));
      at = next;
    }
    return html + row(y + kRow, "B", 0, of_.total.after, "fill=\"#8d95a1\"", duration_text(of_.total.after)) +
           "</svg>\n";
  }

 private:
  static constexpr double kNames = 150, kFigures = 110, kRow = 20, kBar = 14, kBase = 14;

  std::string row(double y, const std::string& name, double from, double to, const char* style,
                  const std::string& figure) const {
    const double left = kNames + scale_ * std::max(0.0, from), right = kNames + scale_ * std::max(0.0, to);
    return fmt::format(
        "<text x=\"0\" y=\"{0:.0f}\">{1}</text><rect x=\"{2:.1f}\" y=\"{3:.0f}\" width=\"{4:.1f}\" height=\"{5}\" "
        "{6}/><text class=\"e\" x=\"{7}\" y=\"{0:.0f}\">{8}</text>\n",
        y + kBase, escaped(name), left, y + 2, std::max(0.5, right - left), kBar, style, kPageWidth, escaped(figure));
  }

  const Comparison& of_;
  std::vector<const Change*> shown_;
  double scale_ = 0;
};

std::string launches_table(const Comparison& of) {
  std::string html;
  if (!of.launches.empty()) {
    std::vector<const LaunchPair*> shown;
    for (const LaunchPair& pair : of.launches) shown.push_back(&pair);
    std::stable_sort(shown.begin(), shown.end(), [](const LaunchPair* a, const LaunchPair* b) {
      return std::abs(a->after_ns - a->before_ns) > std::abs(b->after_ns - b->before_ns);
    });
    shown.resize(std::min(shown.size(), kMaxPairs));
    html +=
        "<h3>Launches</h3>\n<table><thead><tr><th>launch in B</th><th class=\"n\">A</th><th class=\"n\">B</th><th "
        "class=\"n\">B \u2212 A</th><th>limited by, A</th><th>B</th></tr></thead><tbody>\n";
    for (const LaunchPair* pair : shown) {
      html += fmt::format(
          "<tr><td>#{} {}{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td><td>{}"
          "</td></tr>\n",
          pair->after_id, escaped(launch_name(pair->kernel, pair->label)),
          pair->sip < 0 ? "" : ", sip" + std::to_string(pair->sip), duration_text(pair->before_ns),
          duration_text(pair->after_ns), signed_duration(pair->after_ns - pair->before_ns),
          escaped(pair->before_limiter), escaped(pair->after_limiter));
    }
    html += "</tbody></table>\n";
    if (of.launches.size() > shown.size()) {
      html +=
          fmt::format("<p class=\"hint\">And {} launches that changed less.</p>\n", of.launches.size() - shown.size());
    }
  }
  for (std::size_t i = 0; i < std::min(of.alone.size(), kMaxSentences); ++i) {
    html += "<p class=\"hint\">" + escaped(without_files(of, of.alone[i])) + "</p>\n";
  }
  return html;
}

std::string changes_table(const std::string& title, const std::vector<Change>& changes, std::size_t most) {
  if (changes.empty()) return "";
  std::string html = "<h3>" + title +
                     "</h3>\n<table><thead><tr><th>name</th><th class=\"n\">A</th><th class=\"n\">B</th><th "
                     "class=\"n\">B \u2212 A</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(changes.size(), most); ++i) {
    const Change& one = changes[i];
    const auto figure = [&](double value) {
      return one.unit == "ns" ? duration_text(value) : escaped(fmt::format("{:.6g} {}", value, one.unit));
    };
    html += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                        escaped(one.name), figure(one.before), figure(one.after),
                        one.unit == "ns" ? signed_duration(one.difference())
                                         : escaped(fmt::format("{:+.6g} {}", one.difference(), one.unit)));
  }
  return html + "</tbody></table>\n";
}

// Makes one line for the blocks of one kind.
std::vector<Change> changes_of(const std::vector<ChangeCause>& causes) {
  std::vector<Change> changes;
  for (const ChangeCause& one : causes) {
    changes.push_back({fmt::format("{}: {} in {} blocks, most in {}", one.kind, one.statistic, one.count, one.most),
                       one.unit, one.before, one.after});
  }
  return changes;
}

}  // namespace

std::string comparison_part(const Comparison& of) {
  return open_section("Compared with another run", "A is the other run, B the one of this report.") + verdict(of) +
         settings_table(of) + Waterfall(of).svg() + launches_table(of) +
         changes_table("Blocks whose times changed most", changes_of(of.causes), kMaxBlocks) +
         changes_table("Figures", of.figures, kMaxSettings) + kCloseSection;
}

}  // namespace kb::html
