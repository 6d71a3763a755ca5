#include "sim/study/evaluate/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "platform/base/error.h"
#include "platform/base/printable.h"
#include "platform/observe/output_set.h"
#include "sim/study/evaluate/placed.h"

namespace kb::evaluate {
namespace {

using data::TableCell;
using Parameters = std::vector<std::pair<std::string, TableCell>>;

std::string plot_cell(const TableCell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return files::plot_number(static_cast<double>(*number));
  if (const auto* real = std::get_if<double>(&cell)) return files::plot_number(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return files::plot_text(*text);
  return "NaN";
}

// Writes the data blocks; `rows` counts their rows.
std::string blocks(const FigureEntry& entry, const data::SqlDatabase& database, const Parameters& parameters,
                   std::size_t& rows) {
  std::string script;
  for (const auto& [name, query] : entry.data) {
    const data::SqlResult found = placed(query, [&, text = query.text] { return database.query(text, parameters); });
    script += "$" + name + " << END\n";
    for (const data::TableRow& row : found.rows) {
      std::string line;
      for (const TableCell& cell : row) line += (line.empty() ? "" : " ") + plot_cell(cell);
      script += line + "\n";
    }
    script += "END\n" + fmt::format("{}_rows = {}\n", name, found.rows.size());
    rows += found.rows.size();
  }
  return script;
}

std::string variables(const Query& query, const data::SqlDatabase& database, const Parameters& parameters) {
  if (query.text.empty()) return {};
  const data::SqlResult found = placed(query, [&] { return database.query(query.text, parameters); });
  std::string script;
  for (std::size_t i = 0; !found.rows.empty() && i < found.columns.size(); ++i) {
    script += found.columns[i] + " = " + plot_cell(found.rows[0][i]) + "\n";
  }
  return script;
}

// In a narrow column, legends and axis labels take more of the height.
int print_height_mm(const FigureEntry& entry) {
  constexpr double kColumnMm = 88, kTaller = 1.3, kLeast = 0.75, kMax = 1.25;
  return static_cast<int>(kColumnMm * std::clamp(kTaller * entry.height / entry.width, kLeast, kMax));
}

// Leaves room for a suffix and the temporary file's mark within the file system's limit of 255 bytes.
constexpr std::size_t kMaxNameBytes = 200;

bool is_file_name(const std::string& name) {
  const auto forbidden = [](unsigned char c) { return c == '/' || std::iscntrl(c) != 0; };
  return name.size() <= kMaxNameBytes && std::none_of(name.begin(), name.end(), forbidden);
}

}  // namespace

std::vector<files::Figure> figures_of(const EvaluationSpec& spec, const data::SqlDatabase& database,
                                      const std::string& origin) {
  std::vector<files::Figure> figures;
  std::set<std::string> names;
  for (const FigureEntry& entry : spec.figures) {
    data::SqlResult each{{}, {{}}};
    if (!entry.each.text.empty()) each = placed(entry.each, [&] { return database.query(entry.each.text); });
    for (const data::TableRow& row : each.rows) {
      Parameters parameters;
      for (std::size_t i = 0; i < row.size(); ++i) parameters.emplace_back(each.columns[i], row[i]);
      std::size_t rows = 0;
      const std::string data = blocks(entry, database, parameters, rows);
      if (rows == 0 && !entry.data.empty()) continue;
      const std::string name = entry.name + (row.empty() ? "" : "_" + data::text_of(row.front()));
      if (!is_file_name(name) || !names.insert(name).second) {
        Diagnostic problem = entry.each.place;
        problem.message = fmt::format("'{}' cannot be the name of a figure", printable(name));
        problem.remedy = fmt::format(
            "the first column of the query names it: once, without / and control characters, "
            "in at most {} bytes",
            kMaxNameBytes);
        throw Error({std::move(problem)});
      }
      figures.push_back({name,
                         fmt::format("height = {}\norigin = {}\n", entry.height, files::plot_text(origin)) +
                             variables(entry.texts, database, parameters) + data + spec.style + entry.script,
                         entry.width, entry.height, print_height_mm(entry)});
    }
  }
  return figures;
}

std::vector<std::string> draw_figures(const std::vector<files::Figure>& figures, const std::string& folder, int jobs) {
  std::vector<std::string> names;
  observe::OutputSet scripts;
  for (const files::Figure& figure : figures) {
    for (const char* ending : {".svg", ".png", ".pdf", ".gp"}) names.push_back(folder + "/" + figure.name + ending);
    scripts.add(folder + "/" + figure.name + ".gp", "the script of a figure")
        .write(fmt::format("# By hand, in this folder: gnuplot {0}.gp\n"
                           "set terminal svg noenhanced font 'DejaVu Sans,13' size {1},{2} background '#ffffff'\n"
                           "set output {3}\n{4}",
                           figure.name, figure.width, figure.height, files::plot_text(figure.name + ".svg"),
                           figure.script));
  }
  scripts.commit();
  files::draw(figures, folder, jobs);
  return names;
}

}  // namespace kb::evaluate
