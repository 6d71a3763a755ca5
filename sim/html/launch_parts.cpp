// Where the time of launches and of their PEs went.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "sim/analysis/recorded/resource_use.h"
#include "sim/html/case.h"
#include "sim/html/markup.h"

namespace kb::html {
namespace {

constexpr std::size_t kMaxLaunches = 24, kMaxColumns = 1024;

double part_ns(const LaunchView& launch, const Part& part) {
  return number_of(member(*launch.json, "breakdown"), (std::string(part.name) + "_ns").c_str());
}

// The longest, in the order of the file.
std::vector<const LaunchView*> shown_launches(const Case& of) {
  std::vector<const LaunchView*> shown;
  for (const LaunchView& launch : of.launches) shown.push_back(&launch);
  if (shown.size() <= kMaxLaunches) return shown;
  std::stable_sort(shown.begin(), shown.end(),
                   [](const LaunchView* a, const LaunchView* b) { return a->total_ns > b->total_ns; });
  shown.resize(kMaxLaunches);
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::string swatch(const Part& part, const std::string& figure) {
  return fmt::format("<span title=\"{}\"><i style=\"background:{}\"></i>{}{}</span>\n", escaped(part.meaning),
                     part.colour, part.label, figure);
}

std::string bars(const std::vector<const LaunchView*>& launches, double longest_ns) {
  constexpr double kLine = 24, kBar = 16, kNames = 270, kTimes = 90;
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kPageWidth,
                                kLine * static_cast<double>(launches.size()));
  double y = 0;
  for (const LaunchView* launch : launches) {
    constexpr std::size_t kLongestName = 44;
    std::string name = launch->name;
    if (name.size() > kLongestName) name = name.substr(0, kLongestName - 2) + "..";
    svg += fmt::format("<text x=\"0\" y=\"{:.0f}\">{}<title>{}</title></text>\n", y + 13, escaped(name),
                       escaped(launch->name));
    double x = kNames;
    const double scale = (kPageWidth - kNames - kTimes) / longest_ns;
    svg += fmt::format("<rect x=\"{}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#e8ebee\"/>\n", kNames, y + 1,
                       scale * launch->total_ns, kBar);
    for (const Part& part : parts()) {
      const double ns = std::clamp(part_ns(*launch, part), 0.0, launch->total_ns);
      if (ns == 0) continue;
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"><title>{}: {}, "
          "{}</title></rect>\n",
          x, y + 1, scale * ns, kBar, part.colour, part.label, duration_text(ns), percent_text(ns / launch->total_ns));
      x += scale * ns;
    }
    svg += fmt::format("<text class=\"e\" x=\"{}\" y=\"{:.0f}\">{}</text>\n", kPageWidth, y + 13,
                       duration_text(launch->total_ns));
    y += kLine;
  }
  return svg + "</svg>\n";
}

struct PeTimes {
  std::string pe;
  std::vector<double> ns = std::vector<double>(parts().size());
};

std::vector<PeTimes> pe_times(const Case& of) {
  std::vector<PeTimes> pes;
  std::map<std::string, std::size_t> place;
  const std::size_t none = parts().size();
  // States are recorded while a kernel runs: over the whole launch they are exact, whatever the bins at its edges hold.
  const auto uses = of.run.activity().uses(of.longest->whole.begin_fs, of.longest->whole.end_fs);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const auto& series = of.run.activity().series()[i];
    if (series.kind != "state" || !of.part().has(series.component, series.coord)) continue;
    std::size_t part = 0;
    while (part < none && series.name != parts()[part].name) ++part;
    if (part == none || uses[i].busy_fs <= 0) continue;
    const std::string pe = analysis::cell_of(series);
    const auto [at, is_new] = place.emplace(pe, pes.size());
    if (is_new) {
      pes.emplace_back();
      pes.back().pe = pe;
    }
    pes[at->second].ns[part] += uses[i].busy_fs / kFsInNs;
  }
  return pes;
}

}  // namespace

std::string launches_part(const Case& of) {
  if (of.longest == nullptr) return "";
  const std::vector<const LaunchView*> shown = shown_launches(of);
  std::string html = open_section(
      "Launches", "From submission to completion, at the PE that ended last. Its parts add up to the launch.");
  html += bars(shown, of.longest->total_ns);
  html += "<p class=\"legend\">";
  for (const Part& part : parts()) {
    const bool used =
        std::any_of(shown.begin(), shown.end(), [&](const LaunchView* l) { return part_ns(*l, part) > 0; });
    if (used) html += swatch(part, "");
  }
  html += "</p>\n";
  const double all = number_of(of.summary, "launch_count");
  if (all > static_cast<double>(shown.size())) {
    html += fmt::format("<p class=\"hint\">The {} longest of {}.</p>\n", shown.size(), count_text(all));
  }
  const Json& breakdown = member(*of.longest->json, "breakdown");
  if (!breakdown.is_object()) return html + kCloseSection;
  html += "<h3>The longest, " + escaped(of.longest->name) + ", at " + escaped(text_of(breakdown, "pe")) + "</h3>\n";
  html +=
      "<table><thead><tr><th>part</th><th class=\"n\">time</th><th class=\"n\">of the "
      "launch</th><th></th></tr></thead><tbody>\n";
  for (const Part& part : parts()) {
    const double ns = part_ns(*of.longest, part);
    if (ns <= 0) continue;
    html += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td>{}<td class=\"dim\">{}</td></tr>\n", part.label,
                        duration_text(ns), meter_cell(ns / of.longest->total_ns), part.meaning);
  }
  html += "</tbody></table>\n";
  const std::string limits = text_of(breakdown, "limiter_text");
  if (!limits.empty()) html += "<p>Limiter: <b>" + escaped(limits) + "</b> of the kernel's time.</p>\n";
  const Json& busy = member(breakdown, "busy");
  const double exec = number_of(member(*of.longest->json, "pe_exec_ns"), "max");
  if (!busy.is_object() || exec <= 0) return html + kCloseSection;
  const std::string limiter = text_of(breakdown, "limiter");
  html +=
      "<h3>Resources of that PE while the kernel ran</h3>\n<p class=\"hint\">The kernel cannot be faster than the "
      "busiest of "
      "them.</p>\n<table><tbody>\n";
  for (const auto& [key, value] : busy.items()) {
    const double ns = value.is_number() ? value.get<double>() : 0;
    if (ns <= 0) continue;
    std::string name = key.substr(0, key.rfind("_ns"));
    const bool is_limiter = name == limiter;
    std::replace(name.begin(), name.end(), '_', ' ');
    html += fmt::format("<tr><td>{}{}</td><td class=\"n\">{}</td>{}</tr>\n", escaped(name),
                        is_limiter ? " <b>(limiter)</b>" : "", duration_text(ns), meter_cell(ns / exec));
  }
  return html + "</tbody></table>\n" + kCloseSection;
}

std::string pes_part(const Case& of) {
  if (!of.has_activity()) return "";
  std::vector<PeTimes> pes = pe_times(of);
  if (pes.empty()) return "";
  const double length = of.longest->kernel.span() / kFsInNs;
  std::string html =
      open_section(fmt::format("Where the time of each PE went, {} {}", pes.size(), pes.size() == 1 ? "PE" : "PEs"),
                   "A column is a PE of the longest launch; its whole height is the time from the start "
                   "of the kernel to its last end. A PE that "
                   "ended early has a low column.");
  html += "<p class=\"legend\">";
  for (std::size_t part = 0; part < parts().size(); ++part) {
    double sum = 0;
    for (const PeTimes& pe : pes) sum += pe.ns[part];
    if (sum > 0) html += swatch(parts()[part], " " + percent_text(sum / static_cast<double>(pes.size()) / length));
  }
  html += "</p>\n";
  if (pes.size() > kMaxColumns) {
    html += fmt::format("<p class=\"hint\">The first {} of {}.</p>\n", kMaxColumns, pes.size());
    pes.resize(kMaxColumns);
  }
  constexpr double kHeight = 200, kRoomy = 4;
  const double step = std::min(40.0, kPageWidth / static_cast<double>(pes.size()));
  html +=
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n<rect width=\"{:.1f}\" height=\"{}\" fill=\"#eef1f4\"/>\n",
                  kPageWidth, kHeight + 16, step * static_cast<double>(pes.size()), kHeight);
  std::vector<double> top(pes.size(), kHeight);
  for (std::size_t part = 0; part < parts().size(); ++part) {
    std::string path;
    for (std::size_t i = 0; i < pes.size(); ++i) {
      const double height = pes[i].ns[part] / length * kHeight;
      if (height <= 0) continue;
      top[i] -= height;
      path += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", step * static_cast<double>(i), top[i],
                          step - (step > kRoomy ? 0.6 : 0), height, step - (step > kRoomy ? 0.6 : 0));
    }
    if (!path.empty()) html += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", parts()[part].colour, path);
  }
  for (std::size_t i = 0; i < pes.size(); ++i) {
    std::string figures;
    for (std::size_t part = 0; part < parts().size(); ++part) {
      if (pes[i].ns[part] <= 0) continue;
      figures += fmt::format("\n{} {}, {}", parts()[part].label, duration_text(pes[i].ns[part]),
                             percent_text(pes[i].ns[part] / length));
    }
    html += fmt::format(
        "<rect x=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"transparent\"><title>{}{}</title></rect>\n",
        step * static_cast<double>(i), step, kHeight, escaped(pes[i].pe), figures);
  }
  html +=
      fmt::format("<text x=\"0\" y=\"{0}\">{1}</text><text class=\"e\" x=\"{2:.1f}\" y=\"{0}\">{3}</text>\n</svg>\n",
                  kHeight + 13, escaped(pes.front().pe), std::max(step * static_cast<double>(pes.size()), 200.0),
                  pes.size() > 1 ? escaped(pes.back().pe) : "");
  return html + kCloseSection;
}

std::string profile_part(const Case& of) {
  if (!of.has_activity()) return "";
  struct Line {
    const char *name, *colour, *dashes;
  };
  // In the order of analysis::Activity::kProfiled.
  constexpr std::array<Line, analysis::Activity::kProfiled.size()> kLines = {{{"engines", "#d9822b", ""},
                                                                              {"DMA channels", "#1f5f9a", "7 3"},
                                                                              {"HBM channels", "#c2559b", "2 2"},
                                                                              {"wires", "#6b7385", "9 3 2 3"}}};
  constexpr std::size_t kColumns = 210;
  constexpr double kLeft = 44, kHeight = 150, kTop = 8;
  const Window& window = of.longest->whole;
  const auto shares = of.run.activity().profile(window.begin_fs, window.end_fs, kColumns, of.part());
  std::string html =
      open_section("Over the time of the launch",
                   "Mean share of the resources of the SIP that were used at all; a flat line near 100 % is a bound.");
  html += fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kPageWidth, kHeight + kTop + 18);
  for (int percent = 0; percent <= 100; percent += 25) {
    const double y = kTop + kHeight * (1 - percent / 100.0);
    html += fmt::format(
        "<path class=\"g\" d=\"M{0} {1:.1f}H{2}\"/><text class=\"e\" x=\"{3}\" y=\"{4:.1f}\">{5} %</text>\n", kLeft, y,
        kPageWidth, kLeft - 5, y + 4, percent);
  }
  const double span = window.span();
  const Window& kernel = of.longest->kernel;
  for (const auto& [at, label] :
       {std::pair(kernel.begin_fs, "kernel starts"), std::pair(kernel.end_fs, "kernel ends")}) {
    const double x = kLeft + (kPageWidth - kLeft) * static_cast<double>(at - window.begin_fs) / span;
    const bool right = x > kPageWidth - 90;
    html += fmt::format(
        "<path stroke=\"#9aa3b2\" stroke-dasharray=\"3 3\" d=\"M{0:.1f} {1}V{2}\"/><text{3} x=\"{4:.1f}\" "
        "y=\"{5}\">{6}</text>\n",
        x, kTop, kTop + kHeight, right ? " class=\"e\"" : "", right ? x - 3 : x + 3, kTop + 10, label);
  }
  for (std::size_t kind = 0; kind < shares.size(); ++kind) {
    std::string points;
    for (std::size_t i = 0; i < kColumns; ++i) {
      points += fmt::format("{:.1f},{:.1f} ", kLeft + (kPageWidth - kLeft) * (static_cast<double>(i) + 0.5) / kColumns,
                            kTop + kHeight * (1 - std::min(1.0, shares[kind][i])));
    }
    html += fmt::format(
        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" stroke-dasharray=\"{}\" points=\"{}\"/>\n",
        kLines[kind].colour, kLines[kind].dashes, points);
  }
  html += fmt::format(
      "<text x=\"{0}\" y=\"{1}\">0</text><text class=\"e\" x=\"{2}\" y=\"{1}\">{3}</text>\n</svg>\n<p "
      "class=\"legend\">",
      kLeft, kTop + kHeight + 14, kPageWidth, duration_text(of.longest->total_ns));
  for (const Line& line : kLines) {
    html += fmt::format(
        "<span><svg style=\"display:inline;width:2.2em;height:.7em;margin:0\" viewBox=\"0 0 30 8\"><path stroke=\"{}\" "
        "stroke-width=\"2.5\" "
        "stroke-dasharray=\"{}\" d=\"M0 4H30\"/></svg> {}</span>\n",
        line.colour, line.dashes, line.name);
  }
  return html + "</p>\n" + kCloseSection;
}

}  // namespace kb::html
