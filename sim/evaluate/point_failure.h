// What went wrong with the run of a point, and whose fault it is.
#pragma once

#include <string>

#include "platform/base/error.h"
#include "sim/evaluate/evaluation.h"
#include "sim/process/process_pool.h"

namespace kb::evaluate {

// `said`: what the run printed, or a part of it. The family is the run's own when it ended by itself, configuration
// when the system did not let it run, and model when it crashed.
Error failure_of(const Point& point, const sim::ProcessEnd& end, const std::string& said);

}  // namespace kb::evaluate
