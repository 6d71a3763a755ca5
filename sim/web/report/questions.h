// What the page asks for at first sight, page by page: the one place that knows it for a report.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/analysis/recorded/run_folder.h"
#include "sim/analysis/recorded/timeline.h"
#include "sim/web/report/answers.h"

namespace kb::web {

struct QuestionsFor {
  const analysis::RunFolder& run;
  const analysis::Timeline* timeline;        // null without operations
  const analysis::RunFolder* against;        // null without another run
  const nlohmann::ordered_json& comparison;  // with that run; null without it
};

// Asks everything that the pages show of the whole run and of its longest launch before anything is searched, zoomed or
// chosen; and of the longest launch of other kernels as long as the answers stay below kEnough bytes.
inline constexpr std::size_t kEnough = 450'000;
void ask_questions(const QuestionsFor& what, Answers& answers);

}  // namespace kb::web
