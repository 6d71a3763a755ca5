// Figures as gnuplot scripts with their data inside.
#pragma once

#include <string>
#include <vector>

namespace kb::evaluate {

struct Figure {
  std::string name;    // of the files, without ending
  std::string script;  // gnuplot, without terminal and output
  int width = 1000;    // pixels
  int height = 560;
};

// Text inside gnuplot's double quotes, nothing in it marked up.
std::string plot_text(const std::string& text);
std::string plot_number(double value);

// Writes FOLDER/NAME.png and .svg of each, whole or not at all; `work` is a folder for files on the way, on the same
// file system. Configuration Error when gnuplot is missing or fails. Equal scripts give equal files on one version of
// gnuplot.
void draw(const std::vector<Figure>& figures, const std::string& folder, const std::string& work, int jobs);

}  // namespace kb::evaluate
