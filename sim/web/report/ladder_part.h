// The ladder of `kernbench why` without scripts.
#pragma once

#include <string>

#include "sim/analysis/recorded/run_why.h"

namespace kb::web {

// Markup in the form of web/src/ladder.tsx; empty without a ladder.
std::string ladder_part(const analysis::RunWhy& why);

}  // namespace kb::web
