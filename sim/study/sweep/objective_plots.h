// Plots of the objectives of a sweep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/objectives.h"
#include "sim/study/sweep/plots.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Returns no value for a column that is not an objective.
std::optional<Goal> goal_of(const std::vector<Objective>& objectives, const std::string& column);

std::string heat_map_name(const std::string& column);

// Returns the plots of the file, then a Pareto front for each pair of objectives, and a heat map over the first two
// axes that vary for each objective that is not an axis. A plot of the file replaces one of these with its name. The
// values of all axes must be known.
std::vector<Plot> all_plots(const SweepSpec& spec);

}  // namespace kb::sweep
