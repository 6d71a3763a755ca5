#include "sim/ports/traffic/trace_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "platform/base/nearest.h"
#include "platform/observe/packed_file.h"
#include "platform/topology/input_file.h"
#include "sim/ports/traffic/trace_parser.h"

namespace kb::sim {
namespace {

// The first row is the default. A format that is named takes its row with the file's ending, else its first row.
constexpr TraceFormat kFormats[] = {
    {"csv", ".csv", true, false, make_csv_parser},
    {"dramsys", ".stl", false, true, make_stl_parser},
    {"dramsys", ".rstl", false, true, make_relative_stl_parser},
    {"ramulator", "", false, false, make_load_store_parser},
};

bool ends_with(std::string_view text, std::string_view ending) {
  return !ending.empty() && text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

// The problem concerns the whole file, so that there is no line number.
[[noreturn]] void refuse(const std::string& message, const std::string& remedy) {
  throw Error({Diagnostic{"", 0, 0, "", message, remedy}});
}

[[noreturn]] void refuse_unreadable(const std::string& file, int error) {
  const std::string name = "'" + file + "'";
  if (error == ENOENT) refuse("there is no traffic file " + name, "check the path given to --trace");
  if (error == EISDIR) refuse(name + " is a directory", "name a file in it");
  refuse(name + " cannot be read: " + std::strerror(error), topology::remedy_of(error));
}

}  // namespace

const TraceFormat& trace_format(const std::string& name, const std::string& file) {
  std::string_view plain = file;
  if (observe::is_packed_name(plain)) plain.remove_suffix(3);
  const auto named = [&](const TraceFormat& format) { return name.empty() || format.name == name; };
  const TraceFormat* first = nullptr;
  for (const TraceFormat& format : kFormats) {
    if (named(format) && ends_with(plain, format.ending)) return format;
    if (named(format) && first == nullptr) first = &format;
  }
  if (first != nullptr) return *first;
  std::vector<std::string> names;
  for (const TraceFormat& format : kFormats) {
    if (names.empty() || names.back() != format.name) names.emplace_back(format.name);
  }
  throw Error({Diagnostic{"", 0, 0, "--format", "there is no format '" + name + "'", suggest(name, names)}});
}

Trace parse_trace(std::string_view text, const std::string& name, const topology::Graph& graph,
                  const TraceFormat& format, const AccessOptions& options) {
  const std::unique_ptr<TraceParser> parser = format.make(name, graph, options);
  parser->take(text);
  return parser->finish();
}

Trace parse_trace(std::string_view text, const std::string& name, const topology::Graph& graph) {
  return parse_trace(text, name, graph, kFormats[0]);
}

// Reads piece by piece, because the file may be a pipe or endless.
Trace read_trace(const std::string& file, const topology::Graph& graph, const TraceFormat& format,
                 const AccessOptions& options) {
  const std::unique_ptr<TraceParser> parser = format.make(file, graph, options);
  try {
    observe::PackedInput input(file);
    for (std::string_view piece = input.next(); !piece.empty() && parser->take(piece);) piece = input.next();
  } catch (const std::system_error& error) {
    refuse_unreadable(file, error.code().value());
  }
  return parser->finish();
}

}  // namespace kb::sim
