#include "sim/study/sweep/plots.h"

#include <fmt/format.h>

#include <filesystem>

#include "platform/base/error.h"
#include "platform/observe/output_set.h"
#include "platform/topology/sha256.h"
#include "sim/study/files/files.h"
#include "sim/study/files/gnuplot.h"
#include "sim/study/sweep/outside_program.h"
#include "sim/study/sweep/plot_kinds.h"
#include "sim/study/sweep/table.h"

namespace kb::sweep {
namespace {

constexpr const char* kMark = "# kernbench: ";
constexpr std::size_t kScriptSumDigits = 16;

// Draws in `folder`, to which the paths in the script are relative.
void draw(const Plot& plot, const char* format, const std::string& folder, observe::OutputFile& picture) {
  const std::string commands =
      fmt::format("format = {}; file = {}", files::plot_text(format), files::plot_text(picture.working_path()));
  const ProgramOutput said =
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
  PlotFiles files = plot.kind == Plot::Kind::heat     ? heat_files(plot, table)
                    : plot.kind == Plot::Kind::pareto ? front_files(plot, table)
                                                      : line_files(plot, table);
  files.script = kMark + topology::sha256_hex(files.script).substr(0, kScriptSumDigits) + "\n" + files.script;
  return files;
}

bool is_generated_script(const std::string& script) {
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
    if (before.empty() || is_generated_script(before))
      sources.add(base + ".gp", "the script of a figure").write(made.script);
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
