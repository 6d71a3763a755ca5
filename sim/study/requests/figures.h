// Figures of `kernbench model requests`.
#pragma once

#include <string>
#include <vector>

#include "sim/study/requests/rate_sweep.h"
#include "sw/serving/timeline.h"

namespace kb::requests {

// Draws FOLDER/knee.svg and .png: throughput against latency, a point per rate. Configuration Error without gnuplot.
void draw_knee(const RateSweep& sweep, const std::string& title, const std::string& folder);
// Draws FOLDER/timeline.svg and .png: running and waiting requests and the share of used blocks over time.
void draw_timeline(const std::vector<serving::Second>& seconds, const std::string& title, const std::string& folder);

}  // namespace kb::requests
