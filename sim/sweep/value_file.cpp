#include "sim/sweep/value_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/topology/input_file.h"

namespace kb::sweep {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  std::string cell;
  while (std::getline(stream, cell, ',')) cells.push_back(trimmed(cell));
  if (!line.empty() && line.back() == ',') cells.emplace_back();
  return cells;
}

std::string read(const std::string& folder, const std::string& file) {
  std::vector<Diagnostic> problems;
  const std::string path = (std::filesystem::path(folder) / file).string();
  const std::optional<std::string> text =
      topology::read_file(path, "names of files are relative to the folder of the sweep file", problems);
  topology::throw_if_any(std::move(problems));
  return *text;
}

}  // namespace

std::vector<std::string> values_of_file(const std::string& folder, const std::string& file, const std::string& column) {
  std::stringstream lines(read(folder, file));
  std::vector<std::string> values;
  std::optional<std::size_t> index;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    if (column.empty()) {
      values.push_back(line);
      continue;
    }
    const std::vector<std::string> cells = cells_of(line);
    if (!index) {
      const auto found = std::find(cells.begin(), cells.end(), column);
      if (found == cells.end()) {
        throw Error::configuration(
            fmt::format("{}:{}: there is no column '{}'; {}", file, number, column, suggest(column, cells)));
      }
      index = static_cast<std::size_t>(found - cells.begin());
    } else if (*index >= cells.size() || cells[*index].empty()) {
      throw Error::configuration(fmt::format("{}:{}: the column '{}' has no value here", file, number, column));
    } else {
      values.push_back(cells[*index]);
    }
  }
  return values;
}

}  // namespace kb::sweep
