#include "sim/study/why/tornado_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "platform/base/version.h"
#include "platform/observe/text_table.h"
#include "platform/topology/sha256.h"
#include "platform/views/tornado_view.h"
#include "sim/result/tornado.h"
#include "sim/study/files/csv.h"
#include "sim/study/why/report_parts.h"

namespace kb::why {
namespace {

using observe::TextTable;

constexpr std::size_t kRows = 25;
constexpr std::size_t kListWidth = kReportWidth - 4;

// "+4.13 %"
std::string difference(TimeFs time, TimeFs base) {
  constexpr double kPercent = 100;
  return fmt::format("{:+.2f} %", kPercent * (fs_to_ns(time) / fs_to_ns(base) - 1));
}

std::string heading(const Tornado& tornado, const Repeat& repeat) {
  return fmt::format("What each key of the machine does to {}, {} ns", repeat.inputs().workload, ns(tornado.base));
}

// The trials with the smallest and the largest time; both are null when none has a time, and equal when one has.
std::pair<const KeyTrial*, const KeyTrial*> extremes(const KeyEffect& key) {
  const KeyTrial *least = nullptr, *most = nullptr;
  for (const KeyTrial& trial : key.trials) {
    if (!trial.problem.empty()) continue;
    if (least == nullptr || trial.time < least->time) least = &trial;
    if (most == nullptr || trial.time > most->time) most = &trial;
  }
  return {least, most};
}

void add_trial(std::vector<std::string>& row, const KeyTrial* trial, TimeFs base) {
  if (trial == nullptr) {
    row.insert(row.end(), {"", "", ""});
  } else {
    row.insert(row.end(), {trial->value, ns(trial->time), difference(trial->time, base)});
  }
}

std::string acting_table(const Tornado& tornado) {
  using Align = TextTable::Align;
  TextTable table({{"key"},
                   {"is"},
                   {"faster with"},
                   {"time ns", Align::right},
                   {"change", Align::right},
                   {"slower with"},
                   {"time ns", Align::right},
                   {"change", Align::right}});
  std::size_t acting = 0;
  for (const KeyEffect& key : tornado.keys) {
    if (!key.acts() || ++acting > kRows) continue;
    const auto [least, most] = extremes(key);
    std::vector<std::string> row{key.key, key.value};
    add_trial(row, least->time < tornado.base ? least : nullptr, tornado.base);
    add_trial(row, most->time > tornado.base ? most : nullptr, tornado.base);
    table.add(std::move(row));
  }
  if (acting == 0) return "  No key changes the time.\n";
  std::string text = table.render("  ");
  if (acting > kRows) text += fmt::format("  ... and {} more in tornado.csv\n", acting - kRows);
  return text;
}

std::string list(const std::string& title, const std::vector<std::string>& items, const char* separator) {
  if (items.empty()) return "";
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : separator) + item;
  std::string out = fmt::format("\n{} ({})\n", title, items.size());
  for (const std::string& line : observe::wrapped(text, kListWidth)) out += "  " + line + "\n";
  return out;
}

// The key stands in the column before.
std::string message_of(const KeyEffect& key, const KeyTrial& trial) {
  const std::string place = "--set: " + key.key + ": ";
  return trial.problem.rfind(place, 0) == 0 ? trial.problem.substr(place.size()) : trial.problem;
}

// A row per key, with the message of its first value.
std::string problems(const Tornado& tornado) {
  TextTable table({{"key"}, {"cannot be"}, {"message"}});
  for (const KeyEffect& key : tornado.keys) {
    std::string values, message;
    for (const KeyTrial& trial : key.trials) {
      if (trial.problem.empty() || trial.not_run) continue;
      values += (values.empty() ? "" : ", ") + trial.value;
      if (message.empty()) message = message_of(key, trial);
    }
    if (!values.empty()) table.add({key.key, values, message});
  }
  return table.empty() ? "" : "\nNot possible\n" + table.render("  ", kReportWidth);
}

result::TornadoKey record_of(const KeyEffect& key) {
  result::TornadoKey record{key.key, key.value, key.text, key.swing, {}};
  for (const KeyTrial& trial : key.trials) {
    record.trials.push_back({trial.value, trial.problem.empty() ? std::optional(trial.time) : std::nullopt,
                             trial.not_run, trial.not_run ? "" : trial.problem});
  }
  return record;
}

}  // namespace

std::string render_text(const Tornado& tornado, const Repeat& repeat) {
  std::vector<std::string> idle, not_run;
  for (const KeyEffect& key : tornado.keys) {
    if (key.measured() && !key.acts()) idle.push_back(key.key);
    for (const KeyTrial& trial : key.trials) {
      if (trial.not_run) not_run.push_back(key.key + "=" + trial.value);
    }
  }
  return heading(tornado, repeat) + ": changed alone; routes, algorithms and tiles are chosen again\n" +
         acting_table(tornado) + list("Change nothing here", idle, ", ") + problems(tornado) +
         list("Not run, because the budget is spent; the same command goes on", not_run, ", ") +
         list("Not tried: names, places, models, and what follows from other keys", tornado.kept, ", ");
}

std::string render_json(const Tornado& tornado, const Repeat& repeat) {
  result::Tornado document;
  document.version = kVersion;
  document.inputs_sha256 = topology::sha256_hex(result::render(repeat.inputs()));
  document.workload = repeat.inputs().workload;
  document.command = repeat.command();
  document.time = tornado.base;
  for (const KeyEffect& key : tornado.keys) document.keys.push_back(record_of(key));
  document.not_tried = tornado.kept;
  return result::render(document);
}

std::string render_csv(const Tornado& tornado) {
  std::string text = files::csv_line({"key", "value", "meaning", "trial", "time_ns", "change_percent", "problem"});
  for (const KeyEffect& key : tornado.keys) {
    for (const KeyTrial& trial : key.trials) {
      const bool ok = trial.problem.empty();
      const std::string change = ok ? difference(trial.time, tornado.base) : "";
      text += files::csv_line({key.key, key.value, key.text, trial.value, ok ? ns(trial.time) : "",
                               change.substr(0, change.find(' ')), trial.problem});
    }
  }
  return text;
}

std::string render_svg(const Tornado& tornado, const Repeat& repeat) {
  views::Tornado diagram{heading(tornado, repeat), "time in ns", fs_to_ns(tornado.base), {}};
  for (const KeyEffect& key : tornado.keys) {
    if (!key.acts() || diagram.bars.size() == kRows) continue;
    views::TornadoBar bar{key.key + " = " + key.value, {}};
    for (const KeyTrial& trial : key.trials) {
      if (trial.problem.empty()) bar.ends.push_back({trial.value, fs_to_ns(trial.time)});
    }
    diagram.bars.push_back(std::move(bar));
  }
  return views::to_svg(diagram);
}

}  // namespace kb::why
