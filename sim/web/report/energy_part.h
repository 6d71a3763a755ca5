// The energy of a run in the part of a report that needs no scripts.
#pragma once

#include <string>

#include "sim/result/result.h"

namespace kb::web {

// Markup in which all texts of the run are escaped; empty without coefficients.
std::string energy_part(const result::Result& result);

}  // namespace kb::web
