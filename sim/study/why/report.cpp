#include "sim/study/why/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/version.h"
#include "platform/observe/text_table.h"
#include "platform/topology/sha256.h"
#include "sim/result/why.h"
#include "sim/study/why/relief.h"
#include "sim/study/why/report_parts.h"

namespace kb::why {
namespace {

using observe::TextTable;

constexpr std::size_t kMostTrials = 5;

std::string factor(TimeFs before, TimeFs after) {
  const double ratio = after > 0_fs ? static_cast<double>(before.fs()) / static_cast<double>(after.fs()) : 0.0;
  return observe::fixed(ratio, 2) + "x";
}

std::string steps_table(const Ladder& ladder) {
  TextTable table({{"step", TextTable::Align::right},
                   {"time ns", TextTable::Align::right},
                   {"gain", TextTable::Align::right},
                   {"so far", TextTable::Align::right},
                   {"taken away", TextTable::Align::left, true},
                   {"what limits now", TextTable::Align::left, true}});
  table.add({"0", ns(ladder.base), "", "", "nothing: the run as it is", ladder.limiter});
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const Step& step = ladder.steps[i];
    std::string text = step.text;
    if (step.chosen_again) {
      text += fmt::format(" [{} ns when routes and algorithms are chosen again]", ns(*step.chosen_again));
    }
    table.add({std::to_string(i + 1), ns(step.time), factor(step.before, step.time), factor(ladder.base, step.time),
               text, step.limiter});
  }
  return table.render("  ", kReportWidth);
}

std::string end_of(const Ladder& ladder, std::size_t steps) {
  if (ladder.out_of_budget) return "  Cut: the budget is spent. The runs are kept, and the same command goes on.\n";
  if (ladder.cut) {
    return fmt::format("  Cut after {} steps; --top {} goes on from here.\n", steps, 2 * steps);
  }
  std::string text = "  No relief gains another 1 %, and no two of the best five do.";
  if (!ladder.bound_name.empty()) {
    // The formula of a collective is that of the run's own machine, and may take longer than the last step.
    const TimeFs last = ladder.steps.empty() ? ladder.base : ladder.steps.back().time;
    text += fmt::format(" {}: {}, {} ns.", ladder.bound <= last ? "Beside it" : "For comparison", ladder.bound_name,
                        ns(ladder.bound));
  }
  return text + "\n";
}

std::string trials_table(const std::vector<Trial>& trials, const Ladder& ladder, const Repeat& repeat, bool options) {
  TextTable table({{"gain", TextTable::Align::right}, {"time ns", TextTable::Align::right}, {"change"}, {"option"}});
  if (!options)
    table = TextTable({{"gain", TextTable::Align::right}, {"time ns", TextTable::Align::right}, {"taken away"}});
  for (std::size_t i = 0; i < std::min(trials.size(), kMostTrials); ++i) {
    std::vector<std::string> row{factor(ladder.base, trials[i].time), ns(trials[i].time), trials[i].text};
    if (options) row.push_back(options_of(trials[i].point, repeat.replacements(), repeat.folder()));
    table.add(row);
  }
  std::string text = table.render("  ", kReportWidth);
  if (trials.size() > kMostTrials) text += fmt::format("  ... and {} more in why.json\n", trials.size() - kMostTrials);
  return text;
}

// The options of a step begin with those of the step before.
std::string commands_of(const Ladder& ladder, const Repeat& repeat) {
  std::string text = "\nThe command of a step is that of the step before with more options; why.json has them whole\n";
  std::string before = options_of(Point{}, repeat.replacements(), repeat.folder());
  text += "  0  " + repeat.command(Point{}) + "\n";
  for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
    const std::string options = options_of(ladder.steps[i].point, repeat.replacements(), repeat.folder());
    text += fmt::format("  {} {}\n", i + 1, options.substr(before.size()));
    before = options;
  }
  return text;
}

result::WhyTrial record_of(const Trial& trial, const Repeat& repeat) {
  return {trial.text, trial.time, trial.point.pinned, repeat.command(trial.point)};
}

// The first words of a relief's name, or of the names of the two reliefs of a pair.
std::vector<std::string> families_of(const std::string& relief) {
  std::vector<std::string> families;
  for (std::size_t at = 0; at != std::string::npos;) {
    families.push_back(relief.substr(at, relief.find(' ', at) - at));
    const std::size_t next = relief.find(" + ", at);
    at = next == std::string::npos ? next : next + 3;
  }
  families.erase(std::unique(families.begin(), families.end()), families.end());
  return families;
}

result::WhyStep record_of(const Step& step, const Repeat& repeat) {
  return {
      step.id,           families_of(step.id),      step.text, step.before, step.time, step.chosen_again, step.limiter,
      step.point.pinned, repeat.command(step.point)};
}

// The words of the families that steps have, in their order.
result::Members<std::string> family_texts(const std::vector<result::WhyStep>& steps) {
  result::Members<std::string> texts;
  for (const ReliefFamily& family : relief_families()) {
    const bool used = std::any_of(steps.begin(), steps.end(), [&](const result::WhyStep& step) {
      return std::find(step.families.begin(), step.families.end(), family.name) != step.families.end();
    });
    if (used) texts.emplace_back(family.name, family.text);
  }
  return texts;
}

}  // namespace

std::string ns(TimeFs time) {
  return observe::fixed(fs_to_ns(time), 3);
}

std::string render_text(const Ladder& ladder, const Repeat& repeat, std::size_t steps) {
  std::string text = fmt::format("Why {} takes {} ns: each step takes one more cause away and runs again\n",
                                 repeat.inputs().workload, ns(ladder.base));
  text += steps_table(ladder) + end_of(ladder, steps);
  if (!ladder.others.empty()) {
    text += "\nOther first steps\n" + trials_table(ladder.others, ladder, repeat, false);
  }
  text += "\nWhat you can change; routes, algorithms and tiles are chosen again\n";
  text += ladder.out_of_budget      ? "  Not tried: the budget is spent.\n"
          : ladder.remedies.empty() ? "  No neighbour of a parameter gains 1 %.\n"
                                    : trials_table(ladder.remedies, ladder, repeat, true);
  if (!ladder.steps.empty()) text += commands_of(ladder, repeat);
  return text;
}

std::string render_json(const Ladder& ladder, const Repeat& repeat) {
  result::Why why;
  why.version = kVersion;
  why.inputs_sha256 = topology::sha256_hex(result::render(repeat.inputs()));
  why.workload = repeat.inputs().workload;
  why.command = repeat.command();
  why.time = ladder.base;
  why.limiter = ladder.limiter;
  why.cut = ladder.cut;
  why.out_of_budget = ladder.out_of_budget;
  why.bound = ladder.bound_name;
  why.bound_time = ladder.bound;
  why.points = ladder.points;
  why.failed_points = ladder.failed;
  why.unknown_accesses = ladder.unknown_accesses;
  for (const Step& step : ladder.steps) why.steps.push_back(record_of(step, repeat));
  why.families = family_texts(why.steps);
  for (const Trial& trial : ladder.others) why.others.push_back(record_of(trial, repeat));
  for (const Trial& trial : ladder.remedies) why.remedies.push_back(record_of(trial, repeat));
  return result::render(why);
}

}  // namespace kb::why
