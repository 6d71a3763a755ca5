// The part of a report that needs no scripts: verdict, ladder, findings, races, launches, figures, what was run, the
// machine and the roofline.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/analysis/recorded/run_why.h"
#include "sim/result/result.h"

namespace kb::web {

// Returns markup in which all texts of the run are escaped. `machine` says how large it is, "" when unknown;
// `comparison` is null without another run; `pictures` is markup.
std::string static_part(const result::Result& result, const analysis::RunWhy& why, const std::string& machine,
                        const nlohmann::ordered_json& comparison, const std::string& pictures);

// "118.94 µs": five significant digits, with the unit.
std::string duration_text(double ns);

}  // namespace kb::web
