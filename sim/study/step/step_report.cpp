#include "sim/study/step/step_report.h"

#include <algorithm>

namespace kb::step {

double StepReport::tokens_per_second() const {
  const double tokens = static_cast<double>(model.batch.tokens() * model.plan.dp);
  return tokens / (fs_to_ns(step()) * 1e-9);
}

double StepReport::flop() const {
  double flop = 0;
  for (const StepRow& row : rows) flop += row.work.flop() * static_cast<double>(row.count * program.ranks);
  return flop;
}

void add_energy(const energy::Table& table, StepReport& report) {
  if (!report.times.events) return;
  std::vector<std::vector<std::size_t>> rows;
  for (const StepRow& row : report.rows) rows.push_back(row.launches);
  report.energy = price_step(table, *report.times.events, rows, report.step());
}

StepReport make_step_report(const model::ModelReport& model, const sw::Program& program, const StepTimes& times) {
  StepReport report{model, program, times, {}, {}};
  const std::vector<Span>& spans = times.launches[times.slowest()];
  const model::Graph& graph = model.stages.front();
  for (std::size_t at = 0; at < program.launches.size(); ++at) {
    const sw::ProgramLaunch& launch = program.launches[at];
    auto row = std::find_if(report.rows.begin(), report.rows.end(),
                            [&](const StepRow& one) { return one.name == launch.name && one.kernel == launch.kernel; });
    const bool is_new = row == report.rows.end();
    if (is_new) row = report.rows.insert(row, StepRow());
    row->name = launch.name;
    row->kernel = launch.kernel;
    const TimeFs time = spans[at].end - spans[at].start;
    row->least = is_new ? time : std::min(row->least, time);
    row->most = std::max(row->most, time);
    row->all += time;
    row->each.push_back(time);
    row->launches.push_back(at);
    ++row->count;
    if (!launch.ops.empty()) {
      const model::Work work = model::work_together(graph, launch.ops);
      const model::RoofTime roof = model::roof_time(work, model.roofs);
      row->roof_all += roof.all();
      report.roof += roof.all();
      if (is_new) {
        row->roof = roof;
        row->work = work;
      }
    }
    if (at > 0) report.gaps += spans[at].start - spans[at - 1].end;
  }
  return report;
}

}  // namespace kb::step
