// Figures as gnuplot scripts with their data inside.
#pragma once

#include <string>
#include <vector>

namespace kb::files {

struct Figure {
  std::string name;    // of the files, without ending
  std::string script;  // gnuplot, without terminal and output
  int width = 1000;    // pixels
  int height = 560;
  // Also as NAME.pdf for a printed column of 88 mm, by the same script with the variable `printed` set to 1. Its height
  // then; 0: no PDF.
  int print_height_mm = 0;
};

// The only ways of a text into a script: a string in quotes, in commands and in data blocks, in which nothing is
// executed, substituted or marked up. What cannot be shown is escaped (platform/base/printable.h), and very long texts
// are cut.
std::string plot_text(const std::string& text);
std::string plot_title(const std::string& text);  // "title ..." of a plot, in the legend
std::string tic_text(const std::string& text);    // of a tic on an axis

// Configuration Error unless it is finite.
std::string plot_number(double value);

// Writes FOLDER/NAME.png and .svg (and .pdf) of each, all of them or none: they are drawn and checked in memory.
// Configuration Error when gnuplot is missing or fails. Equal scripts give equal files on one version of gnuplot,
// whatever the user's settings of it.
void draw(const std::vector<Figure>& figures, const std::string& folder, int jobs);

}  // namespace kb::files
