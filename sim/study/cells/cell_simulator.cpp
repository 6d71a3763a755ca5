#include "sim/study/cells/cell_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "platform/base/error.h"
#include "platform/topology/sha256.h"
#include "sim/study/files/files.h"
#include "sim/study/process/isolate.h"
#include "sim/study/step/answer.h"

namespace kb::cells {
namespace {

using profile::Cell;

constexpr std::size_t kKeyDigits = 32;

// A line for the cell, then one for each launch: key and times.
std::string text_of(const CellAnswer& answer) {
  std::string text = step::answer_text({answer.times, std::nullopt});
  for (const auto& [key, launch] : answer.launches) {
    text += fmt::format("\n{} {}", key, step::stored_text(launch.answer, launch.subject));
  }
  return text;
}

step::Answer answered(const std::string& text) {
  return step::answers_of(text).at(0);
}

CellAnswer answer_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  CellAnswer answer{answered(line).times, {}};
  while (std::getline(lines, line)) {
    const std::size_t blank = line.find(' ');
    std::optional<step::StoredAnswer> launch = step::stored_answer(line.substr(blank + 1));
    if (!launch) throw Error::model("a simulation of a cell answered without times");
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

std::string CellSimulator::key_of(const Cell& cell) const {
  const bool pattern = cell.kind == profile::CellKind::decodes && cell.a > 1;
  return topology::sha256_hex(fmt::format("{} cell {} {} {} {}", model_key_, cell_kind_name(cell.kind), cell.a,
                                          fitting_key(setup_, cell), pattern ? setup_.pattern.text() : ""))
      .substr(0, kKeyDigits);
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

void CellSimulator::fill(const std::vector<Cell>& cells, profile::LaunchTables& tables, const Progress& on_progress) {
  std::vector<Cell> missing;
  for (const Cell& cell : cells) {
    if (tables.has(cell)) continue;
    if (const step::Answer* const known = memo_.find(key_of(cell))) {
      tables.add(cell, known->times, work_of(setup_, cell));
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
    jobs.emplace_back([this, cell, between] { return text_of(run_cell(setup_, memo_, cell, between)); });
  }
  std::size_t done = 0;
  sim::IsolatedRun run;
  run.at_once = jobs_;
  run.on_result = [&](std::size_t job, const std::string& text) {
    CellAnswer answer = answer_of(text);
    tables.add(missing[job], answer.times, work_of(setup_, missing[job]));
    for (auto& [key, launch] : answer.launches) {
      memo_.add(key, std::move(launch.answer), launch.subject.kernel);
    }
    memo_.add(key_of(missing[job]), {std::move(answer.times), std::nullopt},
              fmt::format("cell {}", cell_kind_name(missing[job].kind)));
    ++simulated_;
    if (on_progress) on_progress(++done, missing.size());
  };
  sim::run_isolated(jobs, run);
}

TimeFs CellSimulator::exact_step(const model::Batch& batch) {
  const sw::Program program = program_of(setup_, batch);
  const step::LaunchKeys keys(program, setup_.machines.one, setup_.machines.all, setup_.identity);
  const step::StepTimes times = step::compose_step({program, setup_.machines, keys, setup_.catalogs, jobs_}, memo_);
  return time_sum(times.span(), times.host);
}

}  // namespace kb::cells
