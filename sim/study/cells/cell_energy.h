// What the events of cells cost in joules.
#pragma once

#include <cstddef>
#include <vector>

#include "platform/energy/events.h"
#include "sim/study/step/answer.h"
#include "sim/study/step/step_times.h"
#include "sw/profile/launch_cell.h"
#include "sw/profile/launch_joules.h"

namespace kb::cells {

// Static power of a machine, in W.
serving::Joules static_watts(const energy::Table& table);

// The events of `parts` are those of `batches` batches together, which are averaged. Adds them as joules, and the names
// of those that have no coefficient.
void add_joules(const energy::Table& table, const profile::Cell& cell, const std::vector<step::Events>& parts,
                std::size_t batches, double work, profile::LaunchJoules& joules);

// Events of a step, which were counted, without static power.
serving::Joules joules_of(const energy::Table& table, const step::StepTimes& step);

}  // namespace kb::cells
