// What `kernbench model requests` prints of a run, or of one run per rate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/requests/rate_sweep.h"
#include "sim/study/requests/serving_run.h"

namespace kb::requests {

struct Summary {
  std::string trace, trace_format, profile;  // files and format as given
  std::string model, hardware;
  ServingSetup setup;
  std::optional<double> rate;  // other than that of the trace
  double trace_rate = 0;       // requests per second; 0: all at once
  std::size_t requests = 0, skipped = 0;
  std::vector<std::string> warnings;
  const Served* served = nullptr;    // of one run
  const RateSweep* sweep = nullptr;  // of several
};

std::string summary_text(const Summary& summary);
std::string summary_json(const Summary& summary);

}  // namespace kb::requests
