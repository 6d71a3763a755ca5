// A run as one HTML file: nothing is loaded, nothing is executed.
#pragma once

#include <string>

#include "sim/analysis/compare/comparison.h"
#include "sim/analysis/recorded/run_folder.h"

namespace kb::html {

// Equal runs give equal bytes: what the run cost on this computer, and where its folder lies, is left out.
// Configuration Error when the activity or the operations of the folder are damaged.
// `against`: with what differs from another run; `run` is the second one of the comparison.
std::string render_report(const analysis::RunFolder& run, const sim::Comparison* against = nullptr);

}  // namespace kb::html
