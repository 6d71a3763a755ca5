#include "sim/study/cells/cell_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "platform/base/error.h"
#include "platform/topology/sha256.h"
#include "sim/study/cells/cell_energy.h"
#include "sim/study/files/files.h"
#include "sim/study/process/isolate.h"
#include "sim/study/step/answer.h"
#include "sim/study/step/step_machine.h"
#include "sim/study/step/step_sample.h"

namespace kb::cells {
namespace {

using profile::Cell;

constexpr std::size_t kKeyDigits = 32;
constexpr const char *kPart = "part", *kUsed = "used";  // no keys

// A line for the cell, then one for the events of each part, one for each launch, key and times, and one for each key
// that was used.
std::string text_of(const CellAnswer& answer) {
  std::string text = step::answer_text({answer.times, std::nullopt});
  for (std::size_t part = 0; part < answer.events.size(); ++part) {
    text += fmt::format("\n{} {}", kPart, step::answer_text({{answer.times[part]}, answer.events[part]}));
  }
  for (const auto& [key, launch] : answer.launches) {
    text += fmt::format("\n{} {}", key, step::stored_text(launch.answer, launch.subject));
  }
  for (const std::string& key : answer.used) text += fmt::format("\n{} {}", kUsed, key);
  return text;
}

step::Answer answered(const std::string& text) {
  return step::answers_of(text).at(0);
}

CellAnswer answer_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  CellAnswer answer{answered(line).times, {}, {}, {}};
  while (std::getline(lines, line)) {
    const std::size_t blank = line.find(' ');
    if (line.compare(0, blank, kUsed) == 0) {
      answer.used.insert(line.substr(blank + 1));
      continue;
    }
    std::optional<step::StoredAnswer> launch = step::stored_answer(line.substr(blank + 1));
    if (!launch) throw Error::model("a simulation of a cell answered without times");
    if (line.compare(0, blank, kPart) == 0) {
      answer.events.push_back(launch->answer.events.value());
      continue;
    }
    answer.launches.emplace_back(line.substr(0, blank), std::move(*launch));
  }
  return answer;
}

// Long ones first, so that no process is left alone with one at the end.
std::int64_t cost_of(const Cell& cell) {
  return cell.kind == profile::CellKind::products ? 8 * cell.a : cell.a;
}

}  // namespace

CellSimulator::CellSimulator(const CellSetup& setup, step::Memo& memo, int jobs)
    : setup_(setup),
      memo_(memo),
      jobs_(jobs),
      model_key_(fmt::format("{} {} {} tp {}", step::machine_key(setup.machines.all, true, setup.identity),
                             topology::sha256_hex(files::read_file(setup.spec.file)), dtype_name(setup.dtype),
                             setup.plan.tp)) {}

std::string CellSimulator::key_of(const Cell& cell, const std::string& part) const {
  const bool pattern = cell.kind == profile::CellKind::decodes && cell.a > 1;
  return topology::sha256_hex(fmt::format("{} cell {} {} {} {}{}", model_key_, cell_kind_name(cell.kind), cell.a,
                                          fitting_key(setup_, cell), pattern ? setup_.pattern.text() : "", part))
      .substr(0, kKeyDigits);
}

std::string CellSimulator::part_key(const Cell& cell, std::size_t part) const {
  return key_of(cell, fmt::format(" events of part {}", part));
}

std::optional<CellAnswer> CellSimulator::known_cell(const Cell& cell, bool with_events) const {
  const step::Answer* const times = memo_.find(key_of(cell));
  if (times == nullptr) return std::nullopt;
  CellAnswer answer{times->times, {}, {}, {}};
  for (std::size_t part = 0; with_events && part < times->times.size(); ++part) {
    const step::Answer* const known = memo_.find(part_key(cell, part));
    if (known == nullptr || !known->events) return std::nullopt;
    answer.events.push_back(*known->events);
  }
  return answer;
}

void CellSimulator::keep(const Cell& cell, CellAnswer answer) {
  for (const std::string& key : answer.used) memo_.find(key);  // notes the use
  for (auto& [key, launch] : answer.launches) memo_.add(key, std::move(launch.answer), launch.subject.kernel);
  const std::string kind = cell_kind_name(cell.kind);
  for (std::size_t part = 0; part < answer.events.size(); ++part) {
    memo_.add(part_key(cell, part), {{answer.times[part]}, std::move(answer.events[part])}, "events of cell " + kind);
  }
  if (memo_.find(key_of(cell)) == nullptr) {
    memo_.add(key_of(cell), {std::move(answer.times), std::nullopt}, "cell " + kind);
  }
}

TimeFs CellSimulator::gap() {
  const sw::Program program = program_of(setup_, {model::Phase::decode, {{1, 0, 1}}});
  const step::LaunchKeys keys(program, setup_.machines.one, setup_.machines.all, setup_.identity);
  const std::string key = keys.figure("gap");
  if (memo_.find(key) == nullptr) {
    memo_.add(
        key,
        answered(sim::run_isolated({[&] {
                   return step::answer_text({{step::simulate_gap(setup_.machines.one, setup_.catalogs)}, std::nullopt});
                 }}).at(0)),
        "gap");
  }
  return memo_.find(key)->times.at(0);
}

void CellSimulator::fill(const std::vector<Cell>& cells, profile::LaunchTables& tables, profile::LaunchJoules* joules,
                         const Progress& on_progress) {
  const bool with_events = joules != nullptr;
  const auto take = [&](const Cell& cell, const CellAnswer& answer) {
    const double work = work_of(setup_, cell);
    tables.add(cell, answer.times, work);
    if (with_events) add_joules(coefficients(), cell, answer.events, batch_count(cell), work, *joules);
  };
  std::vector<Cell> missing;
  for (const Cell& cell : cells) {
    if (tables.has(cell)) continue;
    if (const std::optional<CellAnswer> known = known_cell(cell, with_events)) {
      take(cell, *known);
      ++known_;
    } else {
      missing.push_back(cell);
    }
  }
  if (missing.empty()) return;
  std::stable_sort(missing.begin(), missing.end(),
                   [](const Cell& x, const Cell& y) { return cost_of(x) > cost_of(y); });
  const TimeFs between = gap();
  std::vector<std::function<std::string()>> jobs;
  for (const Cell& cell : missing) {
    jobs.emplace_back(
        [this, cell, between, with_events] { return text_of(run_cell(setup_, memo_, cell, between, with_events)); });
  }
  std::size_t done = 0;
  sim::IsolatedRun run;
  run.at_once = jobs_;
  run.on_result = [&](std::size_t job, const std::string& text) {
    CellAnswer answer = answer_of(text);
    take(missing[job], answer);
    keep(missing[job], std::move(answer));
    ++simulated_;
    if (on_progress) on_progress(++done, missing.size());
  };
  sim::run_isolated(jobs, run);
}

ExactStep CellSimulator::exact_step(const model::Batch& batch) {
  const sw::Program program = program_of(setup_, batch);
  const step::LaunchKeys keys(program, setup_.machines.one, setup_.machines.all, setup_.identity);
  const step::StepRun run{program, setup_.machines, keys, setup_.catalogs, jobs_};
  const step::StepTimes times = step::hidden_state(setup_.machines.one)
                                    ? step::simulate_sample(run, step::kSampledLayers).times
                                    : step::compose_step(run, memo_);
  ExactStep step{time_sum(times.span(), times.host)};
  if (times.events) step.energy = serving::StepEnergy{joules_of(coefficients(), times), static_watts(coefficients())};
  return step;
}

}  // namespace kb::cells
