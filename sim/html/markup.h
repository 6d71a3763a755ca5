// Texts and figures in HTML and SVG.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kb::html {

// Text for elements and quoted attributes: no markup, no control characters, UTF-8 throughout.
std::string escaped(std::string_view text);

std::string percent_text(double share);  // "33.2 %"
std::string duration_text(double ns);    // "1662.3 ns", "118.94 µs"
std::string bytes_text(double bytes);    // "4 MiB"
std::string rate_text(double gbs);       // "128 GB/s"
std::string count_text(double count);    // "12 345"
std::string digits_text(double value);   // three significant digits

// Lightness falls all the way from idle to full, so that prints without colours can be read, too.
constexpr int kHeatSteps = 20;
int heat_step(double share);        // 0 to kHeatSteps
std::string heat_colour(int step);  // "#dd5a1d"

// A table cell that shows a share as a bar below its figure.
std::string meter_cell(double share);

// The beginning and the end of a part of the page.
std::string open_section(std::string_view title, std::string_view hint);
inline constexpr const char* kCloseSection = "</section>\n";

}  // namespace kb::html
