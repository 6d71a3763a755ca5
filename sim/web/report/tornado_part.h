// The tornado of `kernbench why --machine` without scripts.
#pragma once

#include <string>

#include "sim/analysis/recorded/run_why.h"

namespace kb::web {

// Markup in the form of web/src/tornado.tsx; empty without ladder and tornado.
std::string tornado_part(const analysis::RunWhy& why);

}  // namespace kb::web
