#include "sim/study/sweep/plot_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "sim/result/write.h"
#include "sim/study/files/gnuplot.h"
#include "sim/study/sweep/selector.h"

namespace kb::sweep {
namespace {

// Equal as numbers or as texts: 16 is 16.0.
bool is_value(const Json& cell, const std::string& value) {
  return !cell.is_null() && (cell_text(cell) == value || cell == Json::parse(value, nullptr, false));
}

}  // namespace

bool is_value_of_axis(const std::string& value, const std::string& wanted) {
  return is_value(Json::parse(result::json_scalar(value)), wanted);
}

bool is_number_of_axis(const std::string& value) {
  return Json::parse(result::json_scalar(value)).is_number();
}

bool is_wanted(const Plot& plot, const Table& table, const std::vector<Json>& row) {
  return std::all_of(plot.where.begin(), plot.where.end(), [&](const auto& condition) {
    return is_value(row[column_index(table, condition.first)], condition.second);
  });
}

void fail_empty(const Plot& plot, const std::string& column) {
  throw Error::program("NOTHING_TO_DRAW",
                       "no point that the plot '" + plot.name + "' shows has a number for '" + column + "'");
}

std::string script_head(const Plot& plot) {
  using files::plot_text;
  std::string text =
      "# Edit this as you like: an edited script is kept, and the next call draws it.\n"
      "# By hand, in this folder: gnuplot " +
      plot.name +
      ".gp\n"
      "if (!exists(\"format\")) format = \"svg\"\n"
      "if (!exists(\"file\")) file = \"" +
      plot.name +
      ".\".format\n"
      "if (format eq \"png\") {\n"
      "  set terminal pngcairo noenhanced font 'DejaVu Sans,11' size 900,560\n"
      "} else {\n"
      "  set terminal svg noenhanced font 'DejaVu Sans,13' size 900,560 background '#ffffff'\n"
      "}\n"
      "set output file\n";
  if (!plot.title.empty()) text += "set title " + plot_text(plot.title) + "\n";
  return text + "set xlabel " + plot_text(plot.x) + "\nset ylabel " + plot_text(plot.y) + "\n";
}

std::string word_tics(const char* axis, const std::vector<std::string>& words) {
  std::string text = fmt::format("set {}range [-0.5:{}.5]\nset {}tics (", axis, words.size() - 1, axis);
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i > 0 ? ", " : "") + files::tic_text(words[i]) + " " + std::to_string(i);
  }
  return text + ")\n";
}

}  // namespace kb::sweep
