// What a report shows where scripts are off: verdict, findings, launches, the machine and the roofline.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/result/result.h"

namespace kb::web {

// Markup in which nothing of the run is markup. `comparison` is null without another run; `pictures` is markup already.
std::string static_part(const result::Result& result, const nlohmann::ordered_json& comparison,
                        const std::string& pictures);

// "118.94 µs": five significant digits, with the unit.
std::string duration_text(double ns);

}  // namespace kb::web
