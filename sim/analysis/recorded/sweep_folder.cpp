#include "sim/analysis/recorded/sweep_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "platform/data/sql_database.h"
#include "platform/observe/json_writer.h"
#include "sim/analysis/recorded/document.h"
#include "sim/analysis/recorded/run_list.h"
#include "sim/result/sweep_document.h"
#include "sim/study/files/json_file.h"

namespace kb::analysis {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using observe::JsonWriter;

constexpr const char *kJournal = "journal", *kSweepOwner = "sweep";

std::string text_in(const Json& object, const char* member) {
  const auto found = object.is_object() ? object.find(member) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

const Json& list_in(const Json& object, const char* member) {
  static const Json nothing = Json::array();
  const auto found = object.is_object() ? object.find(member) : object.end();
  return found != object.end() && found->is_array() ? *found : nothing;
}

// Returns the entry of a list of objects that has this name, or null.
const Json* named(const Json& list, const std::string& name) {
  for (const Json& entry : list) {
    if (text_in(entry, "name") == name) return &entry;
  }
  return nullptr;
}

void write_cell(JsonWriter& writer, const data::TableCell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    writer.integer(*whole);
  } else if (const auto* number = std::get_if<double>(&cell)) {
    writer.real(*number);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    writer.text(*text);
  } else {
    writer.null();
  }
}

// Quotes the text so that a shell takes it as one word.
std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=.,:/@%") == std::string::npos;
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool has_journal(const fs::path& folder) {
  std::error_code failed;
  const fs::directory_iterator files(folder / kJournal, failed);
  return !failed && std::any_of(begin(files), end(files),
                                [](const fs::directory_entry& file) { return file.path().extension() == ".journal"; });
}

bool is_newer(const fs::path& journal, const fs::path& table) {
  std::error_code failed;
  const fs::file_time_type written = fs::last_write_time(table, failed);
  if (failed) return false;
  for (const auto& file : fs::directory_iterator(journal, failed)) {
    if (file.path().extension() == ".journal" && file.last_write_time(failed) > written && !failed) return true;
  }
  return false;
}

// Each line is the answer of a point; a point that was tried again has several lines.
std::size_t lines_of(const fs::path& journal) {
  std::size_t lines = 0;
  std::error_code failed;
  for (const auto& file : fs::directory_iterator(journal, failed)) {
    std::error_code ignored;
    if (file.path().extension() != ".journal" || !file.is_regular_file(ignored) || file.is_symlink(ignored)) continue;
    std::ifstream in(file.path(), std::ios::binary);
    lines += static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
  }
  return lines;
}

}  // namespace

struct SweepFolder::Table {
  data::SqlResult points;
  std::map<std::string, std::string> facts;  // of the sweep file
  Json description;                          // sweep.json; an empty object when there is none
  bool there = false;

  std::string fact(const std::string& name) const {
    const auto found = facts.find(name);
    return found == facts.end() ? "" : found->second;
  }
  std::string role(const std::string& column) const {
    static const std::map<std::string, std::string> fixed = {{"point", "point"},    {"status", "status"},
                                                             {"cause", "cause"},    {"result", "file"},
                                                             {"run_folder", "run"}, {"pareto", "pareto"}};
    if (facts.count("column." + column) != 0) return "result";
    if (named(list_in(description, "axes"), column) != nullptr) return "axis";
    const auto found = fixed.find(column);
    return found == fixed.end() ? "axis" : found->second;
  }
  // Describes what an axis varies or what a column shows.
  std::string meaning(const std::string& column) const {
    const Json* const axis = named(list_in(description, "axes"), column);
    return axis == nullptr ? fact("column." + column) : text_in(*axis, "varies") + " " + text_in(*axis, "key");
  }
  std::size_t count(const std::string& status) const {
    const auto at = column("status");
    return !at ? 0
               : static_cast<std::size_t>(
                     std::count_if(points.rows.begin(), points.rows.end(),
                                   [&](const data::TableRow& row) { return data::text_of(row[*at]) == status; }));
  }
  std::optional<std::size_t> column(const std::string& wanted_role) const {
    for (std::size_t i = 0; i < points.columns.size(); ++i) {
      if (role(points.columns[i]) == wanted_role) return i;
    }
    return std::nullopt;
  }
};

bool SweepFolder::is_one(const std::string& folder) {
  std::error_code ignored;
  const fs::path path(folder);
  return fs::exists(path / result::kSweepDatabase, ignored) || fs::exists(path / result::kSweepTable, ignored) ||
         fs::exists(path / result::kSweepFile, ignored) || has_journal(path);
}

Json SweepFolder::read_description() const {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(fs::path(folder_) / result::kSweepFile, ignored))) return Json::object();
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  Json read = files::read_json(checked_file(folder_, result::kSweepFile, kSweepOwner), kMostBytes);
  if (text_in(read, "schema") != result::kSweepSchema) {
    throw Error::configuration(fmt::format("{}/{}: its schema is not '{}'; use the kernbench that wrote it", folder_,
                                           result::kSweepFile, result::kSweepSchema));
  }
  return read;
}

SweepFolder::Table SweepFolder::read() const {
  Table table;
  table.description = read_description();
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(fs::path(folder_) / result::kSweepDatabase, ignored))) return table;
  const std::string file = checked_file(folder_, result::kSweepDatabase, kSweepOwner);
  try {
    data::SqlDatabase database;
    database.attach(file);
    table.points = database.query("SELECT * FROM log.points ORDER BY point");
    for (const data::TableRow& row : database.query("SELECT key, value FROM log.meta").rows) {
      table.facts[data::text_of(row[0])] = data::text_of(row[1]);
    }
  } catch (const Error& failure) {
    throw Error::configuration(
        fmt::format("{}: it is not the table of a sweep, or it is damaged ({}); `kernbench sweep "
                    "FILE --collect` makes it again",
                    file, failure.what()));
  }
  table.there = true;
  return table;
}

// Returns the sentence about a sweep that has not finished.
std::string SweepFolder::state_of(const Table& table) const {
  const fs::path journal = fs::path(folder_) / kJournal;
  const std::string file = text_in(table.description, "file");
  const std::string collect = "`kernbench sweep " + (file.empty() ? "FILE" : shell_word(file)) + " --collect`";
  const bool journal_is_here = lies_below(folder_, journal);
  if (!table.there) {
    return fmt::format(
        "This sweep has no table yet; its journal has {} answers. {} makes the table of what is done, also "
        "while the sweep runs.",
        journal_is_here ? lines_of(journal) : 0, collect);
  }
  if (journal_is_here && is_newer(journal, fs::path(folder_) / result::kSweepDatabase)) {
    return "The sweep has gone on since this table was made: " + collect + " brings it up to date.";
  }
  const std::size_t missing = table.count("missing");
  if (missing == 0) return "";
  return fmt::format(
      "{} of {} points have not run yet: the command of the sweep goes on with them, and {} brings this "
      "table up to date.",
      missing, table.points.rows.size(), collect);
}

std::string SweepFolder::json() const {
  const Table table = read();
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("name").text(table.fact("sweep")).key("file").text(text_in(table.description, "file"));
  writer.key("workload").text(table.fact("workload")).key("topology").text(table.fact("topology"));
  writer.key("kernbench").text(table.fact("kernbench")).key("state").text(state_of(table));
  writer.key("failed").unsigned_integer(table.count("failed"));
  writer.key("missing").unsigned_integer(table.count("missing")).key("columns").begin_array();
  for (const std::string& column : table.points.columns) {
    writer.begin_object().key("name").text(column).key("role").text(table.role(column));
    writer.key("text").text(table.meaning(column)).end_object();
  }
  writer.end_array().key("objectives").begin_array();
  for (const Json& one : list_in(table.description, "objectives")) {
    writer.begin_object()
        .key("column")
        .text(text_in(one, "column"))
        .key("goal")
        .text(text_in(one, "goal"))
        .end_object();
  }
  writer.end_array().key("rows").begin_array();
  for (const data::TableRow& row : table.points.rows) {
    writer.begin_array();
    for (const data::TableCell& cell : row) write_cell(writer, cell);
    writer.end_array();
  }
  writer.end_array().end_object();
  return writer.str();
}

namespace {

// " --set NAME=VALUE", or the option that an axis varies.
std::string argument(const std::string& varies, const std::string& key, const std::string& value) {
  const std::string option = key == "workload" ? "bench" : key;
  if (varies == "run") return " --" + option + " " + shell_word(value);
  if (key != "*") return " --set " + shell_word(key + "=" + value);
  std::string all;
  for (const std::string& word : split(value, ' ')) {
    if (!word.empty()) all += " --set " + shell_word(word);
  }
  return all;
}

}  // namespace

// Returns the reason why no single command repeats the run of a point; empty when one does.
std::string SweepFolder::refusal(const Table& table) const {
  if (table.description.value("traffic", Json(false)) == Json(true) || !table.fact("traffic").empty()) {
    return "The points of this sweep are raw transactions, which `kernbench sweep` alone makes.";
  }
  return table.description.empty() ? "An older kernbench made this sweep; it did not say what the axes vary." : "";
}

std::string SweepFolder::command_of(const Table& table, std::size_t row) const {
  std::string varied;
  std::set<std::string> given;  // options that an axis varies
  for (std::size_t i = 0; i < table.points.columns.size(); ++i) {
    const Json* const axis = named(list_in(table.description, "axes"), table.points.columns[i]);
    if (axis == nullptr) continue;
    varied += argument(text_in(*axis, "varies"), text_in(*axis, "key"), data::text_of(table.points.rows[row][i]));
    if (text_in(*axis, "varies") == "run") given.insert(text_in(*axis, "key"));
  }
  std::string command = "kernbench run";
  for (const char* option : {"workload", "topology", "device", "seed", "data"}) {
    if (!table.fact(option).empty() && given.count(option) == 0) command += argument("run", option, table.fact(option));
  }
  if (table.fact("verify") == "true") command += " --verify-data";
  for (const auto& [name, value] : table.facts) {
    for (const std::string kind : {"machine.", "set."}) {
      if (name.rfind(kind, 0) == 0) command += argument("set", name.substr(kind.size()), value);
    }
    if (name.rfind("plugin", 0) == 0) command += " --plugin " + shell_word(value);
  }
  return command + varied + " --record point" + data::text_of(table.points.rows[row][0]);
}

std::string SweepFolder::point(std::int64_t number) const {
  const Table table = read();
  const std::vector<data::TableRow>& rows = table.points.rows;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const data::TableRow& row) {
    return data::text_of(row[0]) == std::to_string(number);
  });
  if (found == rows.end()) throw Error::configuration(fmt::format("there is no point {}", number));
  const std::string none = refusal(table);
  const auto run = table.column("run");
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("none").text(none).key("command");
  writer.text(none.empty() ? command_of(table, static_cast<std::size_t>(found - rows.begin())) : "");
  writer.key("run").text(run ? data::text_of((*found)[*run]) : "").end_object();
  return writer.str();
}

}  // namespace kb::analysis
