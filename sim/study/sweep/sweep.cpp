#include "sim/study/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "platform/base/error.h"
#include "platform/observe/output_set.h"
#include "sim/result/sweep_document.h"
#include "sim/study/sweep/checks.h"
#include "sim/study/sweep/engine.h"
#include "sim/study/sweep/front.h"
#include "sim/study/sweep/journal.h"
#include "sim/study/sweep/objective_plots.h"
#include "sim/study/sweep/summary.h"

namespace kb::sweep {
namespace {

PointKeys checked_keys(const SweepSpec& spec, const Space& space, const PointRunner& runner) {
  check_axes(spec, space, runner);
  return {spec, runner.load_machine(space.assignments(0)),
          [&runner](const std::string& name) { return runner.machine_file(name); }};
}

// What helps against a column that no result has.
std::string correction(const Column& column, const std::string& cause) {
  if (column.sql) return "correct the query";
  if (cause.find("has no 'energy'") == std::string::npos) return "correct the pointer";
  return "results have energies with machine: {energy.defaults: hbm2_7nm}";
}

}  // namespace

Sweep::Sweep(const SweepSpec& spec, const Catalogs& catalogs, std::string folder, std::uint64_t most_points)
    : spec_(spec),
      folder_(std::move(folder)),
      runner_(spec, catalogs),
      space_(spec, most_points),
      keys_(checked_keys(spec, space_, runner_)) {
  for (std::uint64_t point = 0; point < space_.size(); ++point) key_of_.push_back(keys_.of(space_.assignments(point)));
}

void Sweep::read_journal() {
  known_ = Journal::read(folder_ + "/journal");
}

std::vector<const Answer*> Sweep::answers() const {
  std::vector<const Answer*> list;
  for (const std::string& key : key_of_) {
    const auto found = known_.find(key);
    list.push_back(found == known_.end() ? nullptr : &found->second);
  }
  return list;
}

// Looks up points by key, because their numbers change with the file.
std::string Sweep::kept_of(std::uint64_t point) const {
  if (spec_.keep == Keep::columns) return "";
  return spec_.keep == Keep::results ? "results/" + key_of_[point] + ".json" : "runs/" + key_of_[point];
}

std::vector<std::string> Sweep::kept() const {
  std::vector<std::string> names;
  for (std::uint64_t point = 0; point < key_of_.size(); ++point) names.push_back(kept_of(point));
  return names;
}

SweepCounts Sweep::counts() const {
  SweepCounts counts;
  for (const Answer* answer : answers()) {
    ++counts.points;
    ++(answer == nullptr ? counts.missing : answer->ok ? counts.ok : counts.failed);
    if (answer == nullptr || answer->unknown_accesses == 0) continue;
    ++counts.unknown;
    counts.unknown_accesses += answer->unknown_accesses;
  }
  return counts;
}

std::string Sweep::first_failure() const {
  const std::vector<const Answer*> list = answers();
  for (std::size_t point = 0; point < list.size(); ++point) {
    const Answer* const answer = list[point];
    if (answer != nullptr && !answer->ok) return fmt::format("point {}: {}: {}", point, answer->code, answer->cause);
  }
  return {};
}

std::uint64_t Sweep::last_attempt() const {
  std::uint64_t last = 1;
  for (const Answer* answer : answers()) {
    if (answer != nullptr && !answer->ok) last = std::max(last, answer->attempt);
  }
  return last;
}

std::vector<std::uint64_t> Sweep::missing(std::uint64_t attempt) const {
  std::vector<std::uint64_t> points;
  const std::vector<const Answer*> list = answers();
  for (std::uint64_t point = 0; point < list.size(); ++point) {
    const Answer* const answer = list[point];
    if (answer == nullptr || (!answer->ok && answer->attempt < attempt)) points.push_back(point);
  }
  return points;
}

std::vector<std::uint64_t> Sweep::failed_otherwise(const std::vector<std::string>& codes) const {
  std::vector<std::uint64_t> points;
  const std::vector<const Answer*> list = answers();
  for (std::uint64_t point = 0; point < list.size(); ++point) {
    const Answer* const answer = list[point];
    if (answer != nullptr && !answer->ok && std::count(codes.begin(), codes.end(), answer->code) == 0) {
      points.push_back(point);
    }
  }
  return points;
}

// Orders points by machine, so that each machine is loaded once.
std::vector<std::uint64_t> Sweep::by_machine(const std::vector<std::uint64_t>& points) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::pair<std::size_t, std::uint64_t>> order;
  for (const std::uint64_t point : points) {
    const std::string key = runner_.machine_key(space_.assignments(point));
    order.emplace_back(numbers.emplace(key, numbers.size()).first->second, point);
  }
  std::stable_sort(order.begin(), order.end());
  shares_machine_.assign(space_.size(), false);
  std::vector<std::uint64_t> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.push_back(order[i].second);
    if (i > 0 && order[i].first == order[i - 1].first) {
      shares_machine_[order[i].second] = shares_machine_[order[i - 1].second] = true;
    }
  }
  return sorted;
}

// An unknown column in the first answer is unknown in all.
void Sweep::refuse_column(const Answer& answer) const {
  if (counts().ok > 0) return;
  for (const char* what : {"sql", "traffic"}) {
    const std::string begin = std::string(what) + ": ";
    if (answer.cause.compare(0, begin.size(), begin) != 0) continue;
    throw Error({Diagnostic{spec_.file, 0, 0, what, answer.cause.substr(begin.size()), "correct the SQL"}});
  }
  for (const Column& column : spec_.columns) {
    if (column.formula || answer.cause.compare(0, column.text.size() + 1, column.text + ":") != 0) continue;
    Diagnostic place = column.place;
    place.message = "no result has this column: " + answer.cause.substr(column.text.size() + 2);
    place.remedy = correction(column, answer.cause) + "; where only some results have it, write {of: \"" + column.text +
                   "\", optional: true}";
    throw Error({std::move(place)});
  }
}

// A column of texts has no best value; only answers show that it has texts.
void Sweep::check_objectives() const {
  const Table made = table();
  for (const Objective& one : spec_.objectives) {
    const std::size_t column = column_index(made, one.column);
    const Json* text = nullptr;
    for (const std::vector<Json>& row : made.rows) {
      if (row[column].is_number()) {
        text = nullptr;
        break;
      }
      if (!row[column].is_null()) text = &row[column];
    }
    if (text == nullptr) continue;
    Diagnostic place = one.place;
    place.message = fmt::format("the objective '{}' is not a number: a point has {}", one.column, text->dump());
    place.remedy = "name a column of numbers";
    throw Error({std::move(place)});
  }
}

void Sweep::keep(std::uint64_t point, const Answer& answer, Journal& journal) {
  if (answer.code == kNoSuchResult) refuse_column(answer);
  journal.append(key_of_[point], answer);
  known_[key_of_[point]] = answer;
  if (!answer.ok || objectives_checked_) return;
  objectives_checked_ = true;
  check_objectives();
}

void Sweep::run(const std::vector<std::uint64_t>& points, std::uint64_t attempt, int jobs, sim::Progress progress) {
  check_objectives();
  const std::vector<std::uint64_t> order = by_machine(points);
  Journal journal(folder_ + "/journal");
  if (spec_.keep == Keep::results) observe::make_folder(folder_ + "/results");
  sim::ProgressLine line(progress);
  line.stage(nullptr);
  std::size_t done = 0, failed = 0;
  EngineWork work;
  work.prepare = [&](std::uint64_t point) {
    if (shares_machine_[point]) runner_.keep_machine(space_.assignments(point));
  };
  work.run = [&](std::uint64_t point) {
    const std::string kept = kept_of(point);
    return runner_.run(space_.assignments(point), kept.empty() ? "" : folder_ + "/" + kept);
  };
  work.finished = [&](std::uint64_t point, Answer answer) {
    answer.attempt = attempt;
    keep(point, answer, journal);
    ++done;
    if (!answer.ok) ++failed;
  };
  work.tick = [&] {
    if (line.due()) line.update_text(sim::points_text(done, points.size(), failed, line.seconds()));
  };
  run_points(order, work, spec_.limits, jobs);
}

Table Sweep::table() const {
  return make_table(spec_, space_, answers(), kept());
}

std::vector<std::string> Sweep::write_table() const {
  const Table made = table();
  const Front front = front_of(spec_, made);
  observe::make_folder(folder_);
  observe::OutputSet files;
  std::vector<std::string> names;
  using Written = observe::OutputFile::Target;
  const auto add = [&](const char* name, const char* purpose, Written target = Written::any) -> observe::OutputFile& {
    names.push_back(folder_ + "/" + name);
    return files.add(names.back(), purpose, target);
  };
  add(result::kSweepTable, "the table of the sweep").write(render_csv(made));
  write_database(made, spec_, add(result::kSweepDatabase, "the database of the sweep", Written::regular_file));
  add(result::kSweepFile, "the description of the table").write(render_summary(spec_, made, front));
  if (!spec_.objectives.empty()) add("pareto.csv", "the Pareto front").write(front_csv(made, front));
  files.commit();
  return names;
}

std::string Sweep::front() const {
  if (spec_.objectives.empty()) return "";
  const Table made = table();
  return front_text(spec_, made, front_of(spec_, made));
}

std::vector<std::string> Sweep::draw() const {
  return draw_plots(all_plots(spec_), table(), folder_ + "/plots");
}

}  // namespace kb::sweep
