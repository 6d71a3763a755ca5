#include "sim/web/report/ladder_part.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/units.h"
#include "platform/views/svg.h"
#include "sim/web/report/static_part.h"

namespace kb::web {
namespace {

using result::Why;
using result::WhyStep;
using result::WhyTrial;
using views::escaped;

constexpr std::size_t kMostTrials = 24;

std::string time_text(TimeFs time) {
  return duration_text(fs_to_ns(time));
}

std::string gain_text(TimeFs before, TimeFs after) {
  return after > 0_fs ? fmt::format("{:.2f}x", fs_to_ns(before) / fs_to_ns(after)) : "";
}

std::string number_cell(const std::string& text, const char* label = "") {
  return fmt::format("<td class=\"number\"{}>{}</td>", *label == '\0' ? "" : fmt::format(" data-label=\"{}\"", label),
                     text);
}

std::string command_fold(const std::string& command) {
  return command.empty() ? ""
                         : "<details class=\"commandline\"><summary>command</summary><code class=\"command\">" +
                               escaped(command) + "</code></details>";
}

// What is left of the time of the run, what the step took away, and the bound.
std::string left_cell(const Why& why, TimeFs before, TimeFs time) {
  constexpr double kWidth = 1000, kMark = 6;
  const double whole = std::max(fs_to_ns(why.time), 1e-6);
  const auto at = [&](TimeFs end) { return kWidth * std::min(1.0, fs_to_ns(end) / whole); };
  std::string bar = fmt::format("<rect class=\"fill\" width=\"{:.1f}\" height=\"24\"/>", at(time));
  if (before > time) {
    bar += fmt::format("<rect class=\"less\" x=\"{:.1f}\" width=\"{:.1f}\" height=\"24\"/>", at(time),
                       at(before) - at(time));
  }
  if (!why.bound.empty()) {
    bar += fmt::format("<rect class=\"boundmark\" x=\"{:.1f}\" width=\"{}\" height=\"24\"/>",
                       std::min(at(why.bound_time), kWidth - kMark), kMark);
  }
  return "<td class=\"left\"><svg class=\"bar\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\">" + bar +
         "</svg></td>";
}

// A row of the steps; `text` is markup.
struct Row {
  std::string number;
  TimeFs before = 0_fs, time = 0_fs;
  std::string gain, so_far, text, command, limiter;
};

std::string markup_of(const Row& row, const Why& why) {
  return "<tr><th scope=\"row\" class=\"number step\">" + row.number + "</th>" + left_cell(why, row.before, row.time) +
         number_cell(time_text(row.time)) + number_cell(row.gain, "gain") + number_cell(row.so_far, "so far") +
         "<td class=\"wrap taken\">" + row.text + command_fold(row.command) +
         "</td><td class=\"wrap limits\" data-label=\"limits now:\">" + escaped(row.limiter) + "</td></tr>\n";
}

std::string text_of(const WhyStep& step) {
  std::string text = escaped(step.text);
  for (const std::string& family : step.families) text += "<span class=\"family\">" + escaped(family) + "</span>";
  if (step.chosen_again) {
    text += "<p class=\"hint\">" + time_text(*step.chosen_again) + " when routes and algorithms are chosen again</p>";
  }
  return text;
}

std::string steps(const Why& why) {
  std::string html =
      "<div class=\"scrollx\"><table class=\"data ladder\"><thead><tr><th class=\"number\">step</th><th "
      "class=\"left\">left of the time</th><th class=\"number\">time</th><th class=\"number\">gain</th><th "
      "class=\"number\">so far</th><th>taken away</th><th>what limits now</th></tr></thead><tbody>\n";
  html += markup_of({"0", why.time, why.time, "", "", "nothing: the run as it is", why.command, why.limiter}, why);
  for (std::size_t i = 0; i < why.steps.size(); ++i) {
    const WhyStep& step = why.steps[i];
    html += markup_of({std::to_string(i + 1), step.before, step.time, gain_text(step.before, step.time),
                       gain_text(why.time, step.time), text_of(step), step.command, step.limiter},
                      why);
  }
  if (!why.bound.empty()) {
    // The formula of a collective is that of the run's own machine, and may take longer than the last step.
    const TimeFs last = why.steps.empty() ? why.time : why.steps.back().time;
    html += markup_of({"", why.bound_time, why.bound_time, "", gain_text(why.time, why.bound_time),
                       (why.bound_time <= last ? "bound: " : "for comparison: ") + escaped(why.bound), "", ""},
                      why);
  }
  return html + "</tbody></table></div>\n";
}

std::string trials(const char* title, const Why& why, const std::vector<WhyTrial>& all) {
  if (all.empty()) return "";
  std::string html = fmt::format("<h3>{}</h3>\n<table class=\"facts trials\"><tbody>\n", title);
  for (std::size_t i = 0; i < std::min(all.size(), kMostTrials); ++i) {
    html += "<tr>" + number_cell(gain_text(why.time, all[i].time)) + number_cell(time_text(all[i].time)) + "<td>" +
            escaped(all[i].text) + command_fold(all[i].command) + "</td></tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string end_of(const Why& why) {
  if (why.out_of_budget) return "Cut: the budget is spent. What you can change was not tried.";
  if (why.cut) return fmt::format("Cut after {} {}.", why.steps.size(), why.steps.size() == 1 ? "step" : "steps");
  return "No relief gains another 1 %, and no two of the best five do.";
}

std::string note(const Why& why) {
  if (why.unknown_accesses == 0) return "";
  return fmt::format(
      "<p class=\"warn\">{} accesses have indices or masks that the data mode of the run does not know; their times "
      "are "
      "assumed. For the times of the contents run with --data eager.</p>\n",
      why.unknown_accesses);
}

}  // namespace

std::string ladder_part(const analysis::RunWhy& found) {
  if (!found.problem.empty()) {
    return "<p class=\"message warn\">The ladder is not shown: " + escaped(found.problem) + ".</p>\n";
  }
  if (!found.ladder) return "";
  const Why& why = *found.ladder;
  return "<section>\n<h2>What it waits for, measured</h2>\n<p class=\"hint\">Each step takes one more cause away and "
         "runs again; routes, algorithms and tiles stay as they are. Blue: what is left; green: what the step takes "
         "away; "
         "line: the bound.</p>\n" +
         steps(why) + "<p class=\"hint\">" + end_of(why) + "</p>\n" + note(why) +
         trials("What you can change; routes, algorithms and tiles are chosen again", why, why.remedies) +
         trials("Other first steps", why, why.others) + "</section>\n";
}

}  // namespace kb::web
