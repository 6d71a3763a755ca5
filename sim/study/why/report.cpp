#include "sim/study/why/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/version.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/text_table.h"
#include "platform/topology/sha256.h"
#include "sim/study/why/report_parts.h"

namespace kb::why {
namespace {

using observe::TextTable;

constexpr std::size_t kWidth = 150;
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
  return table.render("  ", kWidth);
}

std::string end_of(const Ladder& ladder, std::size_t steps) {
  if (ladder.out_of_budget) return "  Cut: the budget is spent. The runs are kept, and the same command goes on.\n";
  if (ladder.cut) {
    return fmt::format("  Cut after {} steps; --top {} goes on from here.\n", steps, 2 * steps);
  }
  std::string text = "  No relief gains another 1 %, and no two of the best five do.";
  if (!ladder.bound_name.empty()) {
    text += fmt::format(" Beside it: {}, {} ns.", ladder.bound_name, ns(ladder.bound));
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
  std::string text = table.render("  ", kWidth);
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

void write_point(observe::JsonWriter& json, const Point& point, const Repeat& repeat) {
  json.key("pinned").boolean(point.pinned);
  json.key("command").text(repeat.command(point));
}

void write_trials(observe::JsonWriter& json, const char* name, const std::vector<Trial>& trials, const Repeat& repeat) {
  json.key(name).begin_array();
  for (const Trial& trial : trials) {
    json.begin_object();
    json.key("text").text(trial.text);
    json.key("time_ns").time_ns(trial.time);
    write_point(json, trial.point, repeat);
    json.end_object();
  }
  json.end_array();
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
  observe::JsonWriter json;
  json.begin_object();
  json.key("schema").text(kWhySchema);
  json.key("version").text(kVersion);
  json.key("inputs_sha256").text(topology::sha256_hex(result::render(repeat.inputs())));
  json.key("workload").text(repeat.inputs().workload);
  json.key("command").text(repeat.command());
  json.key("time_ns").time_ns(ladder.base);
  json.key("limiter").text(ladder.limiter);
  json.key("cut").boolean(ladder.cut);
  json.key("bound").text(ladder.bound_name);
  json.key("bound_ns").time_ns(ladder.bound);
  json.key("points").unsigned_integer(ladder.points);
  json.key("failed_points").unsigned_integer(ladder.failed);
  json.key("steps").begin_array();
  for (const Step& step : ladder.steps) {
    json.begin_object();
    json.key("relief").text(step.id);
    json.key("text").text(step.text);
    json.key("before_ns").time_ns(step.before);
    json.key("time_ns").time_ns(step.time);
    json.key("chosen_again_ns");
    step.chosen_again ? json.time_ns(*step.chosen_again) : json.null();
    json.key("limiter").text(step.limiter);
    write_point(json, step.point, repeat);
    json.end_object();
  }
  json.end_array();
  write_trials(json, "others", ladder.others, repeat);
  write_trials(json, "remedies", ladder.remedies, repeat);
  json.end_object();
  return json.str() + "\n";
}

}  // namespace kb::why
