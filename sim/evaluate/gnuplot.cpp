#include "sim/evaluate/gnuplot.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "platform/base/error.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/process_pool.h"

namespace kb::evaluate {
namespace {

struct Format {
  const char* ending;
  const char* terminal;
};
constexpr Format kFormats[] = {{"png", "pngcairo noenhanced font 'DejaVu Sans,11'"},
                               {"svg", "svg noenhanced font 'DejaVu Sans,13' background '#ffffff'"}};

}  // namespace

std::string plot_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    c == '\n' ? quoted += "\\n" : quoted += c;
  }
  return quoted + "\"";
}

std::string plot_number(double value) {
  return fmt::format("{:.9g}", value);
}

void draw(const std::vector<Figure>& figures, const std::string& folder, const std::string& work, int jobs) {
  std::vector<ProcessJob> processes;
  std::vector<std::string> names;
  for (const Figure& figure : figures) {
    for (const Format& format : kFormats) {
      const std::string name = figure.name + "." + format.ending;
      const std::string picture = work + "/" + name;
      write_file(picture + ".gp",
                 fmt::format("set terminal {} size {},{}\nset output {}\n{}", format.terminal, figure.width,
                             figure.height, plot_text(picture), figure.script),
                 "the script of a figure");
      processes.push_back({{"gnuplot", picture + ".gp"}, picture + ".log"});
      names.push_back(name);
    }
  }
  const std::vector<ProcessEnd> ends = run_processes(processes, jobs);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string made = work + "/" + names[i], target = folder + "/" + names[i];
    const std::string said = read_file(made + ".log");
    std::string problem;
    if (ends[i].code == 127) {
      problem = "gnuplot cannot be started (" + said + "); install it (Debian: gnuplot-nox)";
    } else if (ends[i].code != 0) {
      problem = "gnuplot failed to draw " + names[i] + ": " + said;
    } else if (std::rename(made.c_str(), target.c_str()) != 0) {
      problem = "cannot write " + target + ": " + std::strerror(errno);
    }
    if (!problem.empty()) throw Error::configuration(problem + "; the data file is complete, --fast draws from it");
  }
}

}  // namespace kb::evaluate
