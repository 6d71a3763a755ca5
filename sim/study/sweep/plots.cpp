#include "sim/study/sweep/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "platform/base/error.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/output_set.h"
#include "platform/topology/sha256.h"
#include "sim/result/write.h"
#include "sim/study/files/files.h"
#include "sim/study/files/gnuplot.h"
#include "sim/study/sweep/outside_program.h"
#include "sim/study/sweep/table.h"

namespace kb::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMark = "# kernbench: ";
constexpr std::size_t kScriptSumDigits = 16;

std::size_t index_of(const std::vector<std::string>& columns, const std::string& name) {
  return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
}

std::string shown(const Json& cell) {
  if (cell.is_number_float()) return Json(observe::tidy(cell.get<double>())).dump();
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

// Equal as numbers or as texts: 16 is 16.0.
bool is_value(const Json& cell, const std::string& value) {
  return !cell.is_null() && (shown(cell) == value || cell == Json::parse(value, nullptr, false));
}

}  // namespace

bool is_value_of_axis(const std::string& value, const std::string& wanted) {
  return is_value(Json::parse(result::json_scalar(value)), wanted);
}

namespace {

// Points of one line.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct Drawing {
  std::vector<Series> series;
  std::vector<std::string> words;  // of an x that is text: its places are 0, 1, ...
  bool repeated = false;           // a series has several points of one x
};

Drawing collect(const Plot& plot, const Table& table) {
  const std::size_t x = index_of(table.columns, plot.x), y = index_of(table.columns, plot.y);
  const bool split = !plot.series.empty();
  const std::size_t by = split ? index_of(table.columns, plot.series) : 0;
  const bool text =
      std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[x].is_string(); });
  Drawing drawing;
  std::map<std::string, std::size_t> places;
  for (const std::vector<Json>& row : table.rows) {
    if (!row[y].is_number() || row[x].is_null()) continue;
    const bool wanted = std::all_of(plot.where.begin(), plot.where.end(), [&](const auto& condition) {
      return is_value(row[index_of(table.columns, condition.first)], condition.second);
    });
    if (!wanted) continue;
    const std::string name = split ? shown(row[by]) : "";
    const auto found =
        std::find_if(drawing.series.begin(), drawing.series.end(), [&](const Series& one) { return one.name == name; });
    Series& series = found != drawing.series.end() ? *found : drawing.series.emplace_back(Series{name, {}});
    double at = 0.0;
    if (text) {
      const auto place = places.emplace(shown(row[x]), places.size());
      if (place.second) drawing.words.push_back(shown(row[x]));
      at = static_cast<double>(place.first->second);
    } else {
      at = row[x].get<double>();
    }
    series.points.emplace_back(at, row[y].get<double>());
  }
  for (Series& series : drawing.series) {
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < series.points.size(); ++i) {
      drawing.repeated = drawing.repeated || series.points[i].first == series.points[i - 1].first;
    }
  }
  return drawing;
}

std::string data_of(const Plot& plot, const Drawing& drawing) {
  std::string text =
      fmt::format("# {} {}: one block per line of the figure; made again by every call\n", plot.x, plot.y);
  for (std::size_t i = 0; i < drawing.series.size(); ++i) {
    if (i > 0) text += "\n\n";
    for (const auto& [x, y] : drawing.series[i].points) {
      text += files::plot_number(x) + " " + files::plot_number(y) + "\n";
    }
  }
  return text;
}

std::string script_of(const Plot& plot, const Drawing& drawing) {
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
  text += "set xlabel " + plot_text(plot.x) + "\nset ylabel " + plot_text(plot.y) + "\nset grid\n";
  if (plot.log_x) text += "set logscale x 2\n";
  if (plot.log_y) text += "set logscale y\n";
  if (!plot.log_y) text += "set yrange [0:*]\n";
  if (!drawing.words.empty()) {
    text += fmt::format("set xrange [-0.5:{}.5]\nset xtics (", drawing.words.size() - 1);
    for (std::size_t i = 0; i < drawing.words.size(); ++i) {
      text += (i > 0 ? ", " : "") + files::tic_text(drawing.words[i]) + " " + std::to_string(i);
    }
    text += ")\n";
  }
  text += plot.series.empty() ? "unset key\n" : "set key outside right title " + plot_text(plot.series) + "\n";
  for (std::size_t i = 0; i < drawing.series.size(); ++i) {
    text += i == 0 ? "plot " : ", \\\n     ";
    text += fmt::format("'{}.dat' index {} using 1:2 with {} pointtype 7 {}", plot.name, i,
                        drawing.repeated ? "points" : "linespoints", files::plot_title(drawing.series[i].name));
  }
  return text + "\n";
}

// Draws in `folder`, where the script's names lead to.
void draw(const Plot& plot, const char* format, const std::string& folder, observe::OutputFile& picture) {
  const std::string commands =
      fmt::format("format = {}; file = {}", files::plot_text(format), files::plot_text(picture.working_path()));
  const Said said =
      run_program({"env", "--chdir=" + folder, "LC_ALL=C.UTF-8", "gnuplot", "-d", "-e", commands, plot.name + ".gp"});
  constexpr int kNoProgram = 127;
  if (said.code == kNoProgram || !said.not_started.empty()) {
    throw Error::configuration("gnuplot cannot be started; install it (Debian: gnuplot-nox)");
  }
  if (said.code != 0)
    throw Error::configuration(fmt::format("gnuplot cannot draw {}/{}.gp: {}", folder, plot.name, said.words()));
  std::error_code ignored;
  if (std::filesystem::file_size(picture.working_path(), ignored) == 0) {
    throw Error::configuration(
        fmt::format("{}/{}.gp draws nothing into the file that the variable 'file' names", folder, plot.name));
  }
}

}  // namespace

PlotFiles plot_files(const Plot& plot, const Table& table) {
  const Drawing drawing = collect(plot, table);
  if (drawing.series.empty()) {
    throw Error::program("NOTHING_TO_DRAW",
                         "no point that the plot '" + plot.name + "' shows has a number for '" + plot.y + "'");
  }
  const std::string script = script_of(plot, drawing);
  return {data_of(plot, drawing), kMark + topology::sha256_hex(script).substr(0, kScriptSumDigits) + "\n" + script};
}

bool is_own_script(const std::string& script) {
  const std::size_t end = script.find('\n');
  if (end == std::string::npos || script.compare(0, std::string(kMark).size(), kMark) != 0) return false;
  const std::string sum = script.substr(std::string(kMark).size(), end - std::string(kMark).size());
  return sum == topology::sha256_hex(script.substr(end + 1)).substr(0, kScriptSumDigits);
}

std::vector<std::string> draw_plots(const std::vector<Plot>& plots, const Table& table, const std::string& folder) {
  observe::make_folder(folder);
  std::vector<std::string> names;
  for (const Plot& plot : plots) {
    const PlotFiles made = plot_files(plot, table);
    const std::string base = folder + "/" + plot.name;
    observe::OutputSet sources;
    const std::string before = files::read_file(base + ".gp");
    sources.add(base + ".dat", "the data of a figure").write(made.data);
    if (before.empty() || is_own_script(before)) sources.add(base + ".gp", "the script of a figure").write(made.script);
    sources.commit();
    observe::OutputSet pictures;
    for (const char* format : {"svg", "png"}) {
      draw(plot, format, folder,
           pictures.add(base + "." + format, "a figure", observe::OutputFile::Target::regular_file));
      names.push_back(base + "." + format);
    }
    pictures.commit();
    names.push_back(base + ".gp");
  }
  return names;
}

}  // namespace kb::sweep
