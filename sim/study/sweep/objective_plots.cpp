#include "sim/study/sweep/objective_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kb::sweep {
namespace {

bool is_axis(const SweepSpec& spec, const std::string& column) {
  const std::vector<std::string> axes = column_names(spec.axes, {});
  return std::count(axes.begin(), axes.end(), column) != 0;
}

void add_plot(std::vector<Plot>& plots, Plot plot) {
  const auto same = [&](const Plot& other) { return other.name == plot.name; };
  if (std::none_of(plots.begin(), plots.end(), same)) plots.push_back(std::move(plot));
}

Plot front_plot(const SweepSpec& spec, const Objective& x, const Objective& y) {
  Plot plot;
  plot.kind = Plot::Kind::pareto;
  plot.name = "pareto_" + x.column + "_" + y.column;
  plot.x = x.column;
  plot.y = y.column;
  plot.title = "Pareto front of " + objectives_text(spec.objectives);
  plot.edge = spec.objectives.size() > 2 ? Plot::Edge::none
              : x.goal == Goal::min      ? Plot::Edge::across_first
                                         : Plot::Edge::up_first;
  return plot;
}

// Returns the first column of each axis with more than one value.
std::vector<std::string> varying_axes(const SweepSpec& spec) {
  std::vector<std::string> names;
  for (const Axis& axis : spec.axes) {
    if (axis.size() > 1) names.push_back(axis.columns.front().name);
  }
  return names;
}

Plot heat_plot(const Objective& objective, const std::vector<std::string>& axes) {
  Plot plot;
  plot.kind = Plot::Kind::heat;
  plot.name = heat_map_name(objective.column);
  plot.x = axes[0];
  plot.y = axes[1];
  plot.value = objective.column;
  plot.best = objective.goal;
  plot.title = objective.column;
  if (axes.size() > 2) plot.title += fmt::format(", {} over the other axes", name_of(objective.goal));
  return plot;
}

}  // namespace

std::optional<Goal> goal_of(const std::vector<Objective>& objectives, const std::string& column) {
  for (const Objective& one : objectives) {
    if (one.column == column) return one.goal;
  }
  return std::nullopt;
}

std::string heat_map_name(const std::string& column) {
  return "heat_" + column;
}

std::vector<Plot> all_plots(const SweepSpec& spec) {
  std::vector<Plot> plots = spec.plots;
  for (std::size_t i = 0; i < spec.objectives.size(); ++i) {
    for (std::size_t j = i + 1; j < spec.objectives.size(); ++j) {
      add_plot(plots, front_plot(spec, spec.objectives[i], spec.objectives[j]));
    }
  }
  const std::vector<std::string> axes = varying_axes(spec);
  for (const Objective& one : spec.objectives) {
    if (axes.size() > 1 && !is_axis(spec, one.column)) add_plot(plots, heat_plot(one, axes));
  }
  return plots;
}

}  // namespace kb::sweep
