// Renders a view as SVG.
#pragma once

#include <string>

#include "platform/views/view.h"

namespace kb::views {

// SVG 1.1 with heading, notes and a legend; equal views give equal bytes (T-65). Elements have the ids of their nodes,
// and titles with all attributes.
std::string to_svg(const View& view);

}  // namespace kb::views
