#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/base/names.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/text_table.h"
#include "sim/analysis/compare/comparison.h"
#include "sim/analysis/compare/comparison_energy.h"

namespace kb::sim {
namespace {

using observe::fixed;
using observe::TextTable;
using Json = nlohmann::ordered_json;
constexpr auto kRight = TextTable::Align::right;

std::string signed_text(double value, int decimals) {
  return (value > 0 ? "+" : "") + fixed(value, decimals);
}

std::string factor_text(double before, double after) {
  return before > 0 ? fixed(after / before, 3) : "";
}

std::string or_none(const std::string& text) {
  return text.empty() ? "-" : text;
}

void append_settings(std::string& out, const Comparison& c) {
  out += "What was set differently\n";
  if (c.settings.empty()) {
    out += "  nothing\n\n";
    return;
  }
  TextTable table({{"setting"}, {"A"}, {"B"}});
  for (const SettingDifference& one : c.settings) table.add({one.name, or_none(one.before), or_none(one.after)});
  out += table.render("  ", 120) + "\n";
}

void append_launches(std::string& out, const Comparison& c, std::size_t rows) {
  out += "Launches (ns from submission to completion)\n";
  TextTable table({{"kernel"},
                   {"SIP", kRight},
                   {"A", kRight},
                   {"B", kRight},
                   {"B - A", kRight},
                   {"B / A", kRight},
                   {"most used, A > B"}});
  std::vector<const LaunchPair*> shown;
  for (const LaunchPair& pair : c.launches) shown.push_back(&pair);
  std::stable_sort(shown.begin(), shown.end(), [](const LaunchPair* x, const LaunchPair* y) {
    return std::abs(x->after_ns - x->before_ns) > std::abs(y->after_ns - y->before_ns);
  });
  if (shown.size() > rows) shown.resize(rows);
  for (const LaunchPair* pair : shown) {
    const std::string limiter = pair->before_limiter == pair->after_limiter
                                    ? pair->before_limiter
                                    : or_none(pair->before_limiter) + " > " + or_none(pair->after_limiter);
    table.add({launch_name(pair->kernel, pair->label), pair->sip < 0 ? "all" : std::to_string(pair->sip),
               fixed(pair->before_ns, 3), fixed(pair->after_ns, 3), signed_text(pair->after_ns - pair->before_ns, 3),
               factor_text(pair->before_ns, pair->after_ns), limiter});
  }
  if (c.launches.empty()) {
    out += "  no kernel was launched in both\n";
  } else {
    out += table.render("  ");
    if (shown.size() < c.launches.size()) {
      out += fmt::format("  and {} launches that changed less (--rows {} shows all)\n",
                         c.launches.size() - shown.size(), c.launches.size());
    }
  }
  for (std::size_t i = 0; i < std::min(rows, c.alone.size()); ++i) out += "  " + c.alone[i] + "\n";
  if (c.alone.size() > rows) out += fmt::format("  and {} more without a partner\n", c.alone.size() - rows);
  out += "\n";
}

// The largest change gets a bar of this length.
constexpr double kLongestBar = 28;

void append_changes(std::string& out, const std::string& heading, const char* what, const std::vector<Change>& changes,
                    const Change* total) {
  double largest = 0;
  for (const Change& change : changes) largest = std::max(largest, std::abs(change.difference()));
  TextTable table({{what}, {"A", kRight}, {"B", kRight}, {"B - A", kRight}, {""}});
  for (const Change& change : changes) {
    if (change.before == 0 && change.after == 0) continue;
    const int length =
        largest > 0 ? static_cast<int>(std::lround(kLongestBar * std::abs(change.difference()) / largest)) : 0;
    table.add({change.name, fixed(change.before, 1), fixed(change.after, 1), signed_text(change.difference(), 1),
               std::string(static_cast<std::size_t>(length), change.difference() < 0 ? '-' : '+')});
  }
  if (table.empty()) return;
  if (total != nullptr) {
    table.add({total->name, fixed(total->before, 1), fixed(total->after, 1), signed_text(total->difference(), 1), ""});
  }
  out += heading + "\n" + table.render("  ") + "\n";
}

// Their units differ, so that no bar could compare them.
void append_figures(std::string& out, const std::vector<Change>& figures) {
  const auto whole = [](double value) { return value == std::floor(value); };
  TextTable table({{"figure"}, {"A", kRight}, {"B", kRight}, {"B - A", kRight}, {"unit"}});
  for (const Change& figure : figures) {
    if (figure.before == figure.after) continue;
    const int decimals = whole(figure.before) && whole(figure.after) ? 0 : 3;
    table.add({figure.name, fixed(figure.before, decimals), fixed(figure.after, decimals),
               signed_text(figure.difference(), decimals), figure.unit == "1" ? "" : figure.unit});
  }
  if (!table.empty()) out += "Figures that changed\n" + table.render("  ") + "\n";
}

std::string percent_text(const ChangeCause& cause) {
  if (cause.before == 0) return "new";
  return cause.after == 0 ? "gone" : signed_text(100 * cause.difference() / cause.before, 1) + " %";
}

void append_causes(std::string& out, const Comparison& c, std::size_t rows) {
  if (c.causes.empty()) return;
  TextTable table({{"kind and statistic"},
                   {"blocks", kRight},
                   {"A", kRight},
                   {"B", kRight},
                   {"B - A", kRight},
                   {"change", kRight},
                   {"most in"}});
  for (std::size_t i = 0; i < std::min(rows, c.causes.size()); ++i) {
    const ChangeCause& one = c.causes[i];
    table.add({one.kind + ": " + one.statistic, std::to_string(one.count), fixed(one.before, 1), fixed(one.after, 1),
               signed_text(one.difference(), 1), percent_text(one), one.most});
  }
  out += fmt::format(
      "Blocks whose times changed most, by kind, of {} that changed (ns of all blocks and the whole run)\n{}",
      c.causes.size(), table.render("  "));
  if (c.causes.size() > rows) {
    out += fmt::format("  and {} that changed less (--rows {} shows all)\n", c.causes.size() - rows, c.causes.size());
  }
  out += "\n";
}

void append_lines(std::string& out, const Comparison& c, std::size_t rows) {
  if (c.lines.empty()) return;
  TextTable table({{"line"},
                   {"tensor"},
                   {"range"},
                   {"A", kRight},
                   {"B", kRight},
                   {"B - A", kRight},
                   {"waits in A", kRight},
                   {"in B", kRight}});
  const auto cell = [](const LineChange::Side& side, double ns) { return side.line == 0 ? "-" : fixed(ns, 1); };
  for (std::size_t i = 0; i < std::min(rows, c.lines.size()); ++i) {
    const LineChange& one = c.lines[i];
    table.add({changed_line(one.file, one.call, one.before.line, one.after.line), one.tensor, one.range,
               cell(one.before, one.before.ns), cell(one.after, one.after.ns),
               signed_text(one.after.ns - one.before.ns, 1), cell(one.before, one.before.wait_ns),
               cell(one.after, one.after.wait_ns)});
  }
  out += fmt::format(
      "Lines whose time changed most, of {} that changed (ns; time on the PEs that ended last, waits summed over all "
      "PEs)\n{}",
      c.lines.size(), table.render("  "));
  if (c.lines.size() > rows) {
    out += fmt::format("  and {} that changed less (--rows {} shows all)\n", c.lines.size() - rows, c.lines.size());
  }
  if (std::any_of(c.lines.begin(), c.lines.end(), [](const LineChange& one) { return one.has_moved(); })) {
    out += "  lines have moved (A -> B): they were matched by kernel, file, call, tensor, range and order\n";
  }
  out += "\n";
}

Json side_json(const LineChange::Side& side) {
  if (side.line == 0) return {};
  return {{"line", side.line}, {"ns", observe::tidy(side.ns)}, {"wait_ns", observe::tidy(side.wait_ns)}};
}

Json line_json(const LineChange& one) {
  return {{"kernel", one.kernel},         {"file", one.file},   {"call", one.call},
          {"tensor", one.tensor},         {"range", one.range}, {"before", side_json(one.before)},
          {"after", side_json(one.after)}};
}

Json change_json(const Change& change) {
  return {{"name", change.name},
          {"unit", change.unit},
          {"before", observe::tidy(change.before)},
          {"after", observe::tidy(change.after)}};
}

Json cause_json(const ChangeCause& cause) {
  return {{"kind", cause.kind},
          {"statistic", cause.statistic},
          {"unit", cause.unit},
          {"count", cause.count},
          {"before", observe::tidy(cause.before)},
          {"after", observe::tidy(cause.after)},
          {"most",
           {{"name", cause.most},
            {"before", observe::tidy(cause.most_before)},
            {"after", observe::tidy(cause.most_after)}}}};
}

Json list_json(const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& change : changes) list.push_back(change_json(change));
  return list;
}

}  // namespace

std::string render_comparison(const Comparison& c, std::size_t rows) {
  std::string out = fmt::format("A  {}\nB  {}\n\n", c.before, c.after);
  for (const std::string& failure : c.failures) out += failure + "\n\n";
  append_settings(out, c);
  append_launches(out, c, rows);
  if (c.listed_only) {
    out +=
        "A run has more launches than its result lists: above and below are the longest ones, and all of them here\n";
    append_changes(out, "Kernels (ns from submission to completion, all launches)", "kernel", c.kernels, nullptr);
  }
  append_changes(out, "Where the difference comes from (ns; the parts add up; of the PEs that ended last)", "part",
                 c.parts, &c.total);
  append_changes(out, "How long resources of these PEs were in use (ns; they overlap)", "resource", c.busy, nullptr);
  append_figures(out, c.figures);
  append_lines(out, c, rows);
  append_changes(out, "Ranges of kernels whose time changed (ns; a range contains those inside it)", "range",
                 {c.ranges.begin(), c.ranges.begin() + static_cast<std::ptrdiff_t>(std::min(rows, c.ranges.size()))},
                 nullptr);
  append_causes(out, c, rows);
  if (c.energy) out += energy_section(*c.energy, rows) + "\n";
  if (!c.launches.empty()) {
    const double ratio = c.total.before > 0 ? c.total.after / c.total.before : 1;
    out += ratio == 1
               ? "Result\n  B takes as long as A\n"
               : fmt::format("Result\n  B takes {} ns {} than A: {} of its time\n",
                             fixed(std::abs(c.total.difference()), 3), ratio < 1 ? "less" : "more", fixed(ratio, 3));
  }
  return out;
}

std::string render_comparison_json(const Comparison& c) {
  Json json;
  json["schema"] = 1;
  json["before"] = c.before;
  json["after"] = c.after;
  json["failures"] = c.failures;
  json["settings"] = Json::array();
  for (const SettingDifference& one : c.settings) {
    json["settings"].push_back({{"name", one.name}, {"before", one.before}, {"after", one.after}});
  }
  json["launches"] = Json::array();
  for (const LaunchPair& pair : c.launches) {
    json["launches"].push_back(
        {{"kernel", pair.kernel},
         {"label", pair.label},
         {"sip", pair.sip < 0 ? Json() : Json(pair.sip)},
         {"before", {{"id", pair.before_id}, {"ns", observe::tidy(pair.before_ns)}, {"limiter", pair.before_limiter}}},
         {"after", {{"id", pair.after_id}, {"ns", observe::tidy(pair.after_ns)}, {"limiter", pair.after_limiter}}}});
  }
  json["without_partner"] = c.alone;
  json["total"] = change_json(c.total);
  json["parts"] = list_json(c.parts);
  json["busy"] = list_json(c.busy);
  json["kernels"] = list_json(c.kernels);
  json["figures"] = list_json(c.figures);
  json["blocks"] = list_json(c.blocks);
  json["lines"] = Json::array();
  for (const LineChange& one : c.lines) json["lines"].push_back(line_json(one));
  json["ranges"] = list_json(c.ranges);
  json["causes"] = Json::array();
  for (const ChangeCause& cause : c.causes) json["causes"].push_back(cause_json(cause));
  json["energy"] = c.energy ? energy_json(*c.energy) : Json();
  return json.dump(2) + "\n";
}

}  // namespace kb::sim
