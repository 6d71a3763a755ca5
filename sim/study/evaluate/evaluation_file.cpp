#include "sim/study/evaluate/evaluation_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

#include "platform/topology/input_file.h"
#include "platform/topology/spec_reader.h"
#include "sim/study/files/files.h"

namespace kb::evaluate {
namespace {

using topology::MapReader;
namespace fs = std::filesystem;

constexpr const char* kFile = "evaluation.yaml";
constexpr std::size_t kMaxEntries = 1000;
constexpr double kLeastPixels = 100, kMaxPixels = 10000;

bool is_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), fits);
}

class Reader {
 public:
  Reader(MapReader& top, std::string folder) : top_(top), folder_(std::move(folder)) {}

  EvaluationSpec read() {
    EvaluationSpec spec;
    spec.folder = folder_;
    spec.name = name_of(top_, "evaluation", fs::path(folder_).filename().string());
    spec.about = top_.text("about", "");
    read_sweeps(spec);
    if (top_.has("may_fail")) spec.may_fail = top_.words("may_fail");
    top_.allow("may_fail");
    MapReader data = top_.map("data");
    for (const std::string& table : data.keys()) {
      spec.data.push_back({table, path_of(data.text(table, std::nullopt))});
      take_table_name(data, table);
    }
    data.done();
    if (top_.has("tables")) {
      for (const std::string& name : top_.words("tables")) spec.tables.push_back(script("tables", name));
    }
    top_.allow("tables");
    spec.results = top_.words("results");
    check_results(spec.results);
    for (MapReader& check : top_.list_of_maps("checks", kMaxEntries, "checks are more than")) {
      Check read{check.text("rule", std::nullopt), query(check, "violations")};
      if (read.violations.text.empty()) check.report("violations", "a check needs a query", "SELECT ... AS text");
      spec.checks.push_back(std::move(read));
      check.done();
    }
    spec.notes = query(top_, "notes");
    spec.style = contents(top_, "style");
    for (MapReader& figure : top_.list_of_maps("figures", kMaxEntries, "figures are more than")) {
      spec.figures.push_back(read_figure(figure));
    }
    top_.done();
    return spec;
  }

 private:
  std::string path_of(const std::string& name) const { return (fs::path(folder_) / name).lexically_normal().string(); }

  static std::string name_of(MapReader& reader, const char* key, const std::optional<std::string>& fallback) {
    const std::string name = reader.text(key, fallback);
    if (!is_name(name)) {
      reader.report(key, fmt::format("'{}' cannot be the name of a file", name), "use letters, digits, - and _");
    }
    return name;
  }

  std::string contents(MapReader& reader, const char* key) const {
    const std::string name = reader.text(key, "");
    return name.empty() ? std::string() : contents_of(reader, key, name);
  }

  std::string contents_of(MapReader& reader, const char* key, const std::string& name) const {
    std::vector<Diagnostic> problems;
    const std::optional<std::string> text =
        topology::read_file(path_of(name), "names of files are relative to the folder of the evaluation", problems);
    for (const Diagnostic& problem : problems) reader.report(key, problem.message, problem.remedy);
    return text.value_or("");
  }

  static Query query(MapReader& reader, const std::string& key) {
    return {reader.text(key, ""), reader.context().place({reader.path(key)})};
  }
  Query script(const char* key, const std::string& name) const {
    return {contents_of(top_, key, name), {path_of(name), 0, 0, key, "", ""}};
  }

  // Sweeps, data and the tables of every evaluation share one database, in which names are case-insensitive.
  void take_table_name(MapReader& reader, const std::string& table) {
    std::string name = table;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name.rfind("sqlite_", 0) == 0) {
      reader.report(table, "names of tables that begin with sqlite_ belong to SQLite", "choose another name");
    } else if (!tables_.insert(name).second) {
      reader.report(table, fmt::format("there is a table '{}' already", name),
                    "choose another name; sweeps, data, evaluation, machine, node and edge share theirs");
    }
  }

  // Each result is a file.
  void check_results(const std::vector<std::string>& results) {
    std::set<std::string> seen;
    for (const std::string& name : results) {
      if (seen.insert(name).second) continue;
      top_.report("results", fmt::format("'{}' is named twice", name), "name each table once");
      return;
    }
  }

  void read_sweeps(EvaluationSpec& spec) {
    MapReader sweeps = top_.map("sweeps");
    if (sweeps.keys().empty()) top_.report("sweeps", "there is nothing to run", "for example {runs: runs.yaml}");
    for (const std::string& table : sweeps.keys()) {
      SweepEntry entry;
      entry.table = table;
      if (sweeps.has_map(table)) {
        MapReader one = sweeps.map(table);
        entry.file = one.text("file", std::nullopt);
        entry.on_request = one.flag("on_request", false);
        one.done();
      } else {
        entry.file = sweeps.text(table, std::nullopt);
      }
      entry.file = path_of(entry.file);
      if (!is_name(table)) sweeps.report(table, "this cannot be the name of a table", "use letters, digits and _");
      take_table_name(sweeps, table);
      spec.sweeps.push_back(std::move(entry));
    }
    sweeps.done();
  }

  FigureEntry read_figure(MapReader& reader) const {
    FigureEntry figure;
    figure.name = name_of(reader, "name", std::nullopt);
    figure.script = contents(reader, "script");
    if (figure.script.empty() && !reader.has("script")) {
      reader.report("script", "a figure needs a gnuplot script", "for example script: latency.gp");
    }
    figure.each = query(reader, "each");
    figure.texts = query(reader, "texts");
    MapReader data = reader.map("data");
    for (const std::string& block : data.keys()) figure.data.emplace_back(block, query(data, block));
    data.done();
    const Bounds pixels{kLeastPixels, kMaxPixels};
    figure.width = static_cast<int>(reader.whole("width", figure.width, pixels));
    figure.height = static_cast<int>(reader.whole("height", figure.height, pixels));
    reader.done();
    return figure;
  }

  MapReader& top_;
  std::string folder_;
  std::set<std::string> tables_{"evaluation", "machine", "node", "edge"};  // in lower case
};

}  // namespace

std::string EvaluationSpec::all_sql() const {
  std::string text = notes.text;
  for (const Query& script : tables) text += "\n" + script.text;
  for (const Check& check : checks) text += "\n" + check.violations.text;
  for (const FigureEntry& figure : figures) {
    text += "\n" + figure.each.text + "\n" + figure.texts.text;
    for (const auto& block : figure.data) text += "\n" + block.second.text;
  }
  return text;
}

EvaluationSpec read_evaluation(const std::string& folder) {
  const std::string file = (fs::path(folder) / kFile).lexically_normal().string();
  topology::ReadContext context(file);
  const std::optional<std::string> text =
      topology::read_file(file, "an evaluation is a folder with this file", context.diagnostics());
  const topology::yaml::ValuePtr root =
      text ? topology::yaml::parse(*text, file, context.diagnostics()) : topology::yaml::ValuePtr();
  if (!root) topology::throw_if_any(context.problems());
  MapReader top(context, root);
  EvaluationSpec spec = Reader(top, folder).read();
  context.finish_unknown();
  topology::throw_if_any(context.problems());
  return spec;
}

std::string about(const std::string& folder) {
  try {
    return read_evaluation(folder).about;
  } catch (const Error&) {
    return {};
  }
}

// Evaluations that are installed together share a style file beside their folders.
void copy_evaluation(const std::string& folder, const std::string& to) {
  constexpr const char* kShared = "../style.gp";
  try {
    fs::create_directories(to);
    fs::copy(folder, to, fs::copy_options::recursive);
    const std::string file = (fs::path(to) / kFile).string();
    std::string text = files::read_file(file);
    const std::size_t shared = text.find(kShared);
    if (shared == std::string::npos) return;
    fs::copy_file(fs::path(folder) / kShared, fs::path(to) / "style.gp");
    files::write_file(file, text.replace(shared, std::string(kShared).size(), "style.gp"), "the copy");
  } catch (const fs::filesystem_error& error) {
    throw Error::configuration("cannot copy " + folder + " to " + to + ": " + error.code().message());
  }
}

std::vector<std::pair<std::string, std::string>> installed_evaluations() {
  std::vector<std::pair<std::string, std::string>> list;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path() / "share" / "kernbench" / "evaluations";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (fs::is_regular_file(entry.path() / kFile, error)) {
      list.emplace_back(entry.path().filename().string(), entry.path().string());
    }
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace kb::evaluate
