// Pictures of the machine and the roofline of a run's longest launch, drawn by platform/views.
#pragma once

#include <string>

#include "sim/analysis/recorded/run_folder.h"
#include "sim/web/report/answers.h"

namespace kb::web {

// Returns markup; empty when the run has no record or its machine is unknown. `answers` provides the computed data.
std::string pictures_of(const analysis::RunFolder& run, Answers& answers);

}  // namespace kb::web
