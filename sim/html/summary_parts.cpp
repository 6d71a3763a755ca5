// What result.json says in words and single figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/topology/words.h"
#include "sim/html/case.h"
#include "sim/html/markup.h"

namespace kb::html {
namespace {

constexpr std::size_t kMaxRows = 200;

std::string tile(const std::string& label, const std::string& figure) {
  return fmt::format("<div>{}<b>{}</b></div>", escaped(label), escaped(figure));
}

std::string verdict(const Case& of) {
  const Json& error = member(of.summary, "error");
  if (member(of.summary, "ok") != Json(true)) {
    return fmt::format("<p class=\"bad\"><b>Failed</b> {}: {}</p>\n", escaped(text_of(error, "code")),
                       escaped(text_of(error, "message")));
  }
  const std::size_t tensors = list_of(of.summary, "verification").size();
  if (tensors > 0)
    return "<p class=\"good\">Ok, " + topology::plural(tensors, "tensor") + " verified: the data is right.</p>\n";
  return text_of(of.summary, "data_mode") == "off" ? "<p>Ok, times only: no data was computed.</p>\n"
                                                   : "<p>Ok; the workload compared no data.</p>\n";
}

std::string machine_text(const Case& of) {
  std::string text = text_of(member(of.summary, "topology"), "file");
  const Json& kinds = member(of.summary, "machine");
  const double pes = number_of(kinds, "pe_cpu");
  return pes > 0 ? text + ", " + count_text(pes) + " PEs" : text;
}

std::string sentences(const Json& list, const char* kind, const char* style) {
  std::string html;
  for (std::size_t i = 0; i < std::min(list.size(), kMaxRows); ++i) {
    html += fmt::format("<p class=\"{}\"><b>{}:</b> {}</p>\n", style, kind, escaped(plain(list[i])));
  }
  return html;
}

std::string figure_text(double value) {
  constexpr double kReadable = 1e15;
  if (value == std::floor(value) && std::fabs(value) < kReadable) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

std::string left_out(std::size_t size) {
  return size <= kMaxRows ? "" : fmt::format("<p class=\"hint\">{} more are in result.json.</p>\n", size - kMaxRows);
}

}  // namespace

std::string head_part(const Case& of) {
  const Json& bench = member(of.summary, "bench");
  std::string html = "<header>\n<h1>" + escaped(text_of(bench, "name")) + "</h1>\n<p class=\"dim\">on " +
                     escaped(machine_text(of)) + ", device " + escaped(text_of(of.summary, "device")) + ", seed " +
                     escaped(plain(member(of.summary, "seed"))) + "</p>\n" + verdict(of) + "<div class=\"tiles\">";
  if (of.longest != nullptr) {
    html += tile("longest launch", duration_text(of.longest->total_ns));
    const double kernel = number_of(member(*of.longest->json, "pe_exec_ns"), "max");
    if (kernel > 0) html += tile("its kernel", duration_text(kernel));
  }
  html += tile("launches", count_text(number_of(of.summary, "launch_count")));
  html += tile("whole run", duration_text(number_of(of.summary, "sim_time_ns")));
  html += "</div>\n";
  if (!of.run.own_topology()) {
    html += "<p class=\"warn\"><b>Warning:</b> topology.json of the folder is not the machine of the run.</p>\n";
  }
  if (!of.has_activity() && (of.longest != nullptr || !of.run.has_operations())) {
    html +=
        "<p class=\"hint\">There is no record of what PEs, wires and memory did; <code>kernbench run --record "
        "DIR</code> makes one.</p>\n";
  }
  html += sentences(list_of(of.summary, "warnings"), "Warning", "warn");
  html += sentences(list_of(of.summary, "notes"), "Note", "hint");
  return html + "</header>\n";
}

std::string findings_part(const Case& of) {
  const Json& findings = list_of(of.summary, "findings");
  std::string html =
      open_section("Findings", "The largest gain first; each is the estimated gain if only this were fixed.");
  if (findings.empty()) {
    return html + "<p>Nothing was found that would bring more than 3 %, or nothing was recorded.</p>\n" + kCloseSection;
  }
  html += "<ol>\n";
  for (const Json& finding : findings) {
    html += fmt::format("<li><b>{}x</b> {} <span class=\"dim\">({}, {} of {})</span>",
                        digits_text(number_of(finding, "factor")), escaped(text_of(finding, "headline")),
                        escaped(text_of(finding, "rule")), duration_text(number_of(finding, "gain_ns")),
                        duration_text(number_of(finding, "of_ns")));
    for (const Json& sentence : list_of(finding, "evidence")) {
      html += "<p class=\"dim\">" + escaped(plain(sentence)) + "</p>";
    }
    html += "<p class=\"good\">Try: " + escaped(text_of(finding, "remedy")) + "</p></li>\n";
  }
  return html + "</ol>\n" + kCloseSection;
}

std::string operations_part(const Case& of) {
  const Json& operations = list_of(of.summary, "operations");
  if (operations.empty()) return "";
  std::string html = open_section(
      "Most expensive operations",
      "All PEs and launches together. Waiting is of a transfer what its bytes do not need on the PE's wire, "
      "and all the time of a receive.");
  html +=
      "<table><thead><tr><th>operation</th><th class=\"n\">count</th><th class=\"n\">time</th><th "
      "class=\"n\">waiting</th><th "
      "class=\"n\">longest</th><th>at</th><th class=\"n\">from</th></tr></thead><tbody>\n";
  for (const Json& one : operations) {
    const double time = number_of(one, "time_ns");
    const Json& longest = member(one, "longest");
    const bool known = member(one, "waiting_ns").is_number() && time > 0;
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>{}<td class=\"n\">{}</td><td>{}</td><td "
        "class=\"n\">{}</td></tr>\n",
        escaped(text_of(one, "name")), count_text(number_of(one, "count")), duration_text(time),
        known ? meter_cell(number_of(one, "waiting_ns") / time) : "<td></td>",
        duration_text(number_of(longest, "time_ns")), escaped(text_of(longest, "pe")),
        duration_text(number_of(longest, "start_ns")));
  }
  return html + "</tbody></table>\n" + kCloseSection;
}

std::string settings_part(const Case& of) {
  const Json& settings = list_of(of.summary, "settings");
  const Json& params = member(member(of.summary, "bench"), "params");
  std::string html = open_section("Settings", "");
  html += "<h3>Machine: what differs from the reference</h3>\n";
  if (settings.empty()) html += "<p>Nothing: this is the reference machine.</p>\n";
  if (!settings.empty()) {
    html += "<table><thead><tr><th>key</th><th>value</th><th>reference</th><th>from</th></tr></thead><tbody>\n";
    for (std::size_t i = 0; i < std::min(settings.size(), kMaxRows); ++i) {
      const Json& setting = settings[i];
      html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(text_of(setting, "key")),
                          escaped(plain(member(setting, "value"))), escaped(plain(member(setting, "reference"))),
                          escaped(text_of(setting, "origin")));
    }
    html += "</tbody></table>\n" + left_out(settings.size());
  }
  if (!params.is_object() || params.empty()) return html + kCloseSection;
  html += "<h3>Workload</h3>\n<table><thead><tr><th>parameter</th><th>value</th><th>from</th></tr></thead><tbody>\n";
  for (const auto& [name, value] : params.items()) {
    if (member(value, "value") == Json("")) continue;  // nothing was asked for
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(name),
                        escaped(plain(member(value, "value"))), escaped(text_of(value, "origin")));
  }
  return html + "</tbody></table>\n" + kCloseSection;
}

// What the report says of a row that is wrong or not verified.
std::string verdict_text(const Json& row) {
  const Json& wrong = member(row, "wrong_elements");
  const Json& count = wrong.is_number() ? wrong : member(row, "unverified_elements");
  const std::string verdict = wrong.is_number() ? "wrong" : text_of(row, "status");
  return count.is_number() ? verdict + " in " + plain(count) + " elements" : verdict;
}

std::string verification_part(const Case& of) {
  const Json& rows = list_of(of.summary, "verification");
  const Json& figures = list_of(of.summary, "figures");
  const Json& races = list_of(of.summary, "races");
  std::string html;
  if (!rows.empty()) {
    html += open_section("Verification",
                         "Against the reference that the host computes; of bound: the largest error as "
                         "a part of what its element was allowed.");
    html +=
        "<table><thead><tr><th>tensor</th><th>dtype</th><th>shape</th><th class=\"n\">largest error</th><th "
        "class=\"n\">of bound</th><th>result</th></tr></thead><tbody>\n";
    for (std::size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
      const Json& row = rows[i];
      const bool ok = member(row, "ok") == Json(true);
      html += fmt::format(
          "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{:.4g}</td><td class=\"n\">{}</td><td "
          "class=\"{}\">{}</td></tr>\n",
          escaped(text_of(row, "tensor")), escaped(text_of(row, "dtype")), escaped(plain(member(row, "shape"))),
          number_of(row, "max_abs"),
          member(row, "max_of_bound").is_number() ? fmt::format("{:.3g}", number_of(row, "max_of_bound")) : "",
          ok ? "good" : "bad", ok ? "right" : escaped(verdict_text(row)));
    }
    html += "</tbody></table>\n" + left_out(rows.size()) + kCloseSection;
  }
  const double not_compared = number_of(of.summary, "races_not_compared");
  if (!races.empty() || not_compared > 0) {
    html += open_section("Races", "Bytes that two commands use at once, one of them writing.");
    if (not_compared > 0) {
      html += fmt::format("<p>{:.0f} indexed accesses were not compared: data mode off does not know their rows.</p>\n",
                          not_compared);
    }
    html += "<ol>\n";
    for (std::size_t i = 0; i < std::min(races.size(), kMaxRows); ++i) {
      html += "<li>" + escaped(text_of(races[i], "text")) + "</li>\n";
    }
    html += "</ol>\n" + left_out(races.size()) + kCloseSection;
  }
  if (figures.empty()) return html;
  html += open_section("Figures", "");
  html += "<table><tbody>\n";
  for (std::size_t i = 0; i < std::min(figures.size(), kMaxRows); ++i) {
    html += fmt::format("<tr><th>{}</th><td>{} {}</td></tr>\n", escaped(text_of(figures[i], "name")),
                        figure_text(number_of(figures[i], "value")), escaped(text_of(figures[i], "unit")));
  }
  return html + "</tbody></table>\n" + left_out(figures.size()) + kCloseSection;
}

}  // namespace kb::html
