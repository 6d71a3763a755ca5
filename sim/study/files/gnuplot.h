// Figures as self-contained gnuplot scripts.
#pragma once

#include <string>
#include <vector>

namespace kb::files {

struct Figure {
  std::string name;    // file name without suffix
  std::string script;  // gnuplot commands without terminal and output
  int width = 1000;    // pixels
  int height = 560;
  // Also draws NAME.pdf for a printed column of 88 mm, with the variable `printed` set to 1 in the same script. This is
  // its height; 0: no PDF.
  int print_height_mm = 0;
};

// These functions are the only way to insert text into a script: as a quoted string in which gnuplot executes,
// substitutes and marks up nothing. Unprintable characters are escaped (platform/base/printable.h), and very long texts
// are cut.
std::string plot_text(const std::string& text);
std::string plot_title(const std::string& text);  // "title ..." of a plot, in the legend
std::string tic_text(const std::string& text);    // text of a tic on an axis

// Configuration Error unless the value is finite.
std::string plot_number(double value);

// Writes FOLDER/NAME.png and .svg (and .pdf) of all figures or of none: they are drawn and checked in memory first.
// Configuration Error when gnuplot is missing or fails. Equal scripts give equal files with one version of gnuplot,
// independent of the user's gnuplot settings.
void draw(const std::vector<Figure>& figures, const std::string& folder, int jobs);

}  // namespace kb::files
