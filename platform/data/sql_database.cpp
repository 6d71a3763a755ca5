#include "platform/data/sql_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::data {
namespace {

TableCell cell_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_value_int64(value)};
    case SQLITE_FLOAT:
      return sqlite3_value_double(value);
    case SQLITE_NULL:
      return std::monostate();
    default:
      return std::string(reinterpret_cast<const char*>(sqlite3_value_text(value)),
                         static_cast<std::size_t>(sqlite3_value_bytes(value)));
  }
}

void give(sqlite3_context* context, const TableCell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    sqlite3_result_int64(context, *number);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    sqlite3_result_double(context, *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    sqlite3_result_text(context, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  } else {
    sqlite3_result_null(context);
  }
}

void call(sqlite3_context* context, int count, sqlite3_value** values) {
  TableRow arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(cell_of(values[i]));
  try {
    give(context, (*static_cast<SqlDatabase::Function*>(sqlite3_user_data(context)))(arguments));
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

// State of covered(): SQLite keeps a pointer for each group of rows.
using Intervals = std::vector<std::pair<double, double>>;

void add_interval(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  auto** const kept = static_cast<Intervals**>(sqlite3_aggregate_context(context, sizeof(Intervals*)));
  if (kept == nullptr) return sqlite3_result_error_nomem(context);
  if (*kept == nullptr) *kept = new Intervals;  // freed by give_covered(), which SQLite always calls
  (*kept)->emplace_back(sqlite3_value_double(values[0]), sqlite3_value_double(values[1]));
}

void give_covered(sqlite3_context* context) {
  auto** const kept = static_cast<Intervals**>(sqlite3_aggregate_context(context, 0));
  if (kept == nullptr || *kept == nullptr) return sqlite3_result_double(context, 0.0);
  const std::unique_ptr<Intervals> intervals(*kept);
  std::sort(intervals->begin(), intervals->end());
  double length = 0.0, until = intervals->front().first;
  for (const auto& [start, end] : *intervals) {
    length += std::max(0.0, end - std::max(start, until));
    until = std::max(until, end);
  }
  sqlite3_result_double(context, length);
}

int refuse_files(void* attaching, int action, const char*, const char*, const char*, const char*) {
  const bool reaches = action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_PRAGMA;
  return reaches && !*static_cast<bool*>(attaching) ? SQLITE_DENY : SQLITE_OK;
}

bool is_blank(const char* text) {
  return std::all_of(text, text + std::char_traits<char>::length(text),
                     [](unsigned char c) { return std::isspace(c) != 0; });
}

}  // namespace

SqlDatabase::SqlDatabase() {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  check(code);
  check(sqlite3_set_authorizer(opened, refuse_files, &attaching_));
  check(sqlite3_create_function_v2(opened, "covered", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, nullptr,
                                   add_interval, give_covered, nullptr));
}

SqlDatabase::~SqlDatabase() = default;

void SqlDatabase::fail() const {
  const std::string message = sqlite3_errmsg(database_.get());
  for (const auto& [begin, query] :
       {std::pair("no such table: ", "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"),
        std::pair("no such column: ",
                  "SELECT DISTINCT c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c")}) {
    if (message.rfind(begin, 0) != 0) continue;
    std::string name = message.substr(std::string(begin).size());
    name = name.substr(name.rfind('.') + 1);
    const std::vector<std::string> names = names_of(query);
    if (names.empty()) break;
    const bool elsewhere = std::find(names.begin(), names.end(), name) != names.end();
    throw Error::configuration(
        message + "; " + (elsewhere ? "other tables have it, those that are read there do not" : suggest(name, names)));
  }
  throw Error::configuration(message);
}

std::vector<std::string> SqlDatabase::names_of(const char* query) const {
  sqlite3_stmt* prepared = nullptr;
  attaching_ = true;
  const int code = sqlite3_prepare_v2(database_.get(), query, -1, &prepared, nullptr);
  const SqliteStatement statement(prepared);
  std::vector<std::string> names;
  while (code == SQLITE_OK && sqlite3_step(prepared) == SQLITE_ROW) {
    names.push_back(text_of(cell_of(sqlite3_column_value(prepared, 0))));
  }
  attaching_ = false;
  return names;
}

void SqlDatabase::check(int code) const {
  if (code != SQLITE_OK) fail();
}

void SqlDatabase::attach(const std::string& path) {
  sqlite3_stmt* prepared = nullptr;
  attaching_ = true;
  const int code = sqlite3_prepare_v2(database_.get(), "ATTACH ?1 AS log", -1, &prepared, nullptr);
  const SqliteStatement statement(prepared);
  attaching_ = false;
  check(code);
  const TableCell file = std::filesystem::absolute(path).string();
  bind_cell(prepared, 1, file);
  if (sqlite3_step(prepared) != SQLITE_DONE) fail();
}

void SqlDatabase::add_table(const std::string& name, const std::vector<std::string>& columns,
                            const std::vector<TableRow>& rows) {
  std::string names, marks;
  for (const std::string& column : columns) {
    names += (names.empty() ? "" : ", ") + quoted_name(column);
    marks += marks.empty() ? "?" : ", ?";
  }
  run("BEGIN; CREATE TABLE " + quoted_name(name) + " (" + names + ")");
  sqlite3_stmt* prepared = nullptr;
  check(sqlite3_prepare_v2(database_.get(), ("INSERT INTO " + quoted_name(name) + " VALUES (" + marks + ")").c_str(),
                           -1, &prepared, nullptr));
  {
    const SqliteStatement insert(prepared);
    for (const TableRow& row : rows) {
      int column = 0;
      for (const TableCell& cell : row) bind_cell(prepared, ++column, cell);
      if (sqlite3_step(prepared) != SQLITE_DONE) fail();
      sqlite3_reset(prepared);
    }
  }
  run("COMMIT");
}

void SqlDatabase::add_function(const std::string& name, int arguments, Function function) {
  check(sqlite3_create_function_v2(database_.get(), name.c_str(), arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   new Function(std::move(function)), call, nullptr, nullptr,
                                   [](void* kept) { delete static_cast<Function*>(kept); }));
}

void SqlDatabase::run(const std::string& script) {
  const char* rest = script.c_str();
  while (!is_blank(rest)) {
    sqlite3_stmt* prepared = nullptr;
    check(sqlite3_prepare_v2(database_.get(), rest, -1, &prepared, &rest));
    const SqliteStatement statement(prepared);
    if (prepared == nullptr) continue;  // a comment
    int step = SQLITE_ROW;
    while ((step = sqlite3_step(prepared)) == SQLITE_ROW) {
    }
    if (step != SQLITE_DONE) fail();
  }
}

SqlResult SqlDatabase::query(const std::string& sql,
                             const std::vector<std::pair<std::string, TableCell>>& parameters) const {
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  check(sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &prepared, &rest));
  const SqliteStatement statement(prepared);
  if (prepared == nullptr) throw Error::configuration("there is no statement");
  if (!is_blank(rest)) throw Error::configuration("there is more than one statement");
  for (int i = 1; i <= sqlite3_bind_parameter_count(prepared); ++i) {
    const char* const name = sqlite3_bind_parameter_name(prepared, i);
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const auto& one) { return name != nullptr && one.first == name + 1; });
    if (found == parameters.end()) {
      throw Error::configuration(fmt::format("there is no value for {}", name == nullptr ? "?" : name));
    }
    bind_cell(prepared, i, found->second);
  }
  SqlResult result;
  const int columns = sqlite3_column_count(prepared);
  for (int i = 0; i < columns; ++i) result.columns.emplace_back(sqlite3_column_name(prepared, i));
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(prepared)) == SQLITE_ROW) {
    TableRow row;
    for (int i = 0; i < columns; ++i) row.push_back(cell_of(sqlite3_column_value(prepared, i)));
    result.rows.push_back(std::move(row));
  }
  if (step != SQLITE_DONE) fail();
  return result;
}

void SqlDatabase::save(observe::OutputFile& file) const {
  sqlite3* target = nullptr;
  const int code =
      sqlite3_open_v2(file.working_path().c_str(), &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  const SqliteHandle closing(target);
  // The file is committed as a whole or not at all, so that it needs no journal, which could be left behind.
  if (code == SQLITE_OK) sqlite3_exec(target, "PRAGMA journal_mode = OFF", nullptr, nullptr, nullptr);
  sqlite3_backup* const copy =
      code == SQLITE_OK ? sqlite3_backup_init(target, "main", database_.get(), "main") : nullptr;
  const int end = copy == nullptr ? SQLITE_ERROR : sqlite3_backup_step(copy, -1);
  if (copy != nullptr) sqlite3_backup_finish(copy);
  if (end != SQLITE_DONE) file.fail("write", sqlite3_errmsg(target));
  file.complete();
}

std::string text_of(const TableCell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return {};
}

bool has_word(const std::string& text, const std::string& word) {
  const auto joins = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !joins(at - 1)) && !joins(at + word.size())) return true;
  }
  return false;
}

}  // namespace kb::data
