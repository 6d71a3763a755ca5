#include "sim/study/sweep/value_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/topology/input_file.h"
#include "sim/study/files/csv.h"

namespace kb::sweep {
namespace {

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
  const std::string text = read(folder, file);
  files::CsvReader reader(text);
  std::vector<std::string> values;
  std::optional<std::size_t> index;
  for (std::vector<files::CsvCell> record; reader.next(record);) {
    if (column.empty()) {
      values.emplace_back(reader.text());
    } else if (!index) {
      std::vector<std::string> names;
      for (const files::CsvCell& cell : record) names.push_back(cell.text);
      const auto found = std::find(names.begin(), names.end(), column);
      if (found == names.end()) {
        throw Error::configuration(
            fmt::format("{}:{}: there is no column '{}'; {}", file, reader.line(), column, suggest(column, names)));
      }
      index = static_cast<std::size_t>(found - names.begin());
    } else if (*index >= record.size() || record[*index].text.empty()) {
      throw Error::configuration(fmt::format("{}:{}: the column '{}' has no value here", file, reader.line(), column));
    } else {
      values.push_back(record[*index].text);
    }
  }
  return values;
}

}  // namespace kb::sweep
