// The initial requests of each page, which a report must answer.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/analysis/recorded/run_folder.h"
#include "sim/analysis/recorded/timeline.h"
#include "sim/web/report/answers.h"

namespace kb::web {

struct RequestContext {
  const analysis::RunFolder& run;
  const analysis::Timeline* timeline;        // null without operations
  const analysis::RunFolder* against;        // null without another run
  const nlohmann::ordered_json& comparison;  // comparison with that run; null without it
};

// Makes all requests of the pages for the whole run and for its longest launch before the user searches, zooms or
// selects; also for the longest launch of other kernels while the answers stay below kEnough bytes.
inline constexpr std::size_t kEnough = 450'000;
void make_requests(const RequestContext& what, Answers& answers);

}  // namespace kb::web
