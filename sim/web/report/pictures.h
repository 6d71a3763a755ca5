// The machine and the roofline of a run's longest launch, as platform/views draws them.
#pragma once

#include <string>

#include "sim/analysis/recorded/run_folder.h"
#include "sim/web/report/answers.h"

namespace kb::web {

// Markup; empty where the run has no record, or its machine is unknown. `answers` gives what was computed.
std::string pictures_of(const analysis::RunFolder& run, Answers& answers);

}  // namespace kb::web
