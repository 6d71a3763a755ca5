// What `kernbench why` left in the folder of a run.
#pragma once

#include <optional>
#include <string>

#include "sim/result/result.h"
#include "sim/result/tornado.h"
#include "sim/result/why.h"

namespace kb::analysis {

struct RunWhy {
  std::optional<result::Why> ladder;
  std::string problem;  // why there is a why.json and no ladder; names no folder
  std::optional<result::Tornado> tornado;
  std::string tornado_problem;  // the same for tornado.json
};

// Reads why/why.json and why/tornado.json of `folder`. What was measured with other inputs than those in inputs.json,
// or of another time than that of `result`, is not about this run and left out.
RunWhy read_run_why(const std::string& folder, const result::Result& result);

}  // namespace kb::analysis
