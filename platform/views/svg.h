// Renders a view as SVG.
#pragma once

#include <string>
#include <string_view>

#include "platform/views/view.h"

namespace kb::views {

// SVG 1.1 with heading, notes and a legend; equal views give equal bytes (T-65). Elements have the ids of their nodes,
// and titles with all attributes.
std::string to_svg(const View& view);

// The content of the element <style> in every picture of this folder: a page with pictures allows it by its hash.
std::string_view svg_style();

// Text between tags or in an attribute. Bytes that XML does not have become U+FFFD.
std::string escaped(std::string_view text);

// The colour of a utilisation from 0 to 1; lightness decreases monotonically.
std::string heat_colour(double share);

}  // namespace kb::views
