#include "sim/evaluate/validation/outside_figures.h"

#include <cstdlib>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "sim/evaluate/validation/built_in_data.h"

namespace kb::evaluate {
namespace {

constexpr const char* kHeader = "source,scenario,parameter,parameter_value,figure,value,unit,lowest,highest";
constexpr std::size_t kColumns = 9;

double number(const std::string& text, const std::string& line) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw Error::model("no number '" + text + "' in the outside figure " + line);
  return value;
}

}  // namespace

std::vector<OutsideFigure> parse_outside_figures(const std::string& text) {
  std::vector<OutsideFigure> figures;
  bool header = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    if (!header) {
      if (line != kHeader) throw Error::model("the outside figures begin with " + line);
      header = true;
      continue;
    }
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != kColumns) throw Error::model("the outside figure " + line + " has not 9 columns");
    if (cells[7].empty()) continue;
    figures.push_back({cells[0], cells[1], cells[2], number(cells[3], line), cells[4], number(cells[5], line), cells[6],
                       number(cells[7], line), number(cells[8], line)});
  }
  return figures;
}

std::vector<OutsideFigure> outside_figures(const std::string& start) {
  std::vector<OutsideFigure> all;
  for (OutsideFigure& figure : parse_outside_figures(kOutsideFigures)) {
    if (figure.scenario.rfind(start, 0) == 0) all.push_back(std::move(figure));
  }
  return all;
}

Measured beside(const OutsideFigure& outside, const std::string& section, double value) {
  return {section,
          outside.scenario,
          outside.parameter,
          outside.parameter_value,
          outside.quantity,
          value,
          outside.unit,
          outside.source,
          outside.value,
          outside.lowest * outside.value,
          outside.highest * outside.value};
}

}  // namespace kb::evaluate
