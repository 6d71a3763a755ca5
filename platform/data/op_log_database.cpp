#include "platform/data/op_log_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "platform/base/error.h"
#include "platform/data/op_log_sqlite.h"

namespace kb::data {
namespace {

constexpr int kStepsBetweenLooks = 20'000;  // instructions of SQLite's virtual machine; about 0.1 ms

// `immutable`: a left-over journal is not replayed, and the folder may be read-only.
std::string read_only_uri(const std::string& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = c == '/' || c == '.' || c == '_' || c == '-' || (byte < 128 && std::isalnum(byte) != 0);
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri + "?immutable=1";
}

OpRow row_of(sqlite3_stmt* statement) {
  return {sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1), sqlite3_column_int64(statement, 2),
          sqlite3_column_int64(statement, 3), sqlite3_column_int64(statement, 4), sqlite3_column_int64(statement, 5)};
}

constexpr const char* kRowSql = "SELECT seq, t_start_fs, t_end_fs, component_id, operation_id, place_id";

const char* order_sql(OpQuery::Order order) {
  switch (order) {
    case OpQuery::Order::start:
      return "t_start_fs";
    case OpQuery::Order::end:
      return "t_end_fs";
    case OpQuery::Order::duration:
      return "t_end_fs - t_start_fs";
    case OpQuery::Order::sequence:
      break;
  }
  return "seq";
}

// The numbers are bound parameters, so that the SQL text depends only on their count.
void add_set(std::string& sql, const char* column, const std::optional<std::vector<std::int64_t>>& set,
             std::vector<std::int64_t>& bound) {
  if (!set) return;
  sql += fmt::format(" AND {} IN (", column);
  for (std::size_t i = 0; i < set->size(); ++i) sql += i == 0 ? "?" : ",?";
  sql += ")";
  bound.insert(bound.end(), set->begin(), set->end());
}

}  // namespace

OpLogDatabase::Deadline::Deadline(OpLogDatabase& owner, double seconds)
    : owner_(owner), end_(std::chrono::steady_clock::now() + std::chrono::duration_cast<Clock>(Seconds(seconds))) {
  sqlite3_progress_handler(owner_.database_.get(), kStepsBetweenLooks, &Deadline::passed, this);
}
OpLogDatabase::Deadline::~Deadline() {
  sqlite3_progress_handler(owner_.database_.get(), 0, nullptr, nullptr);
}
int OpLogDatabase::Deadline::passed(void* self) {
  const auto* deadline = static_cast<const Deadline*>(self);
  return deadline->owner_.stopped_ || std::chrono::steady_clock::now() > deadline->end_ ? 1 : 0;
}

std::optional<std::int64_t> OpLogDatabase::number_of(sqlite3_stmt* statement, int column) {
  if (sqlite3_column_type(statement, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_int64(statement, column);
}

std::string OpLogDatabase::text_of(sqlite3_stmt* statement, int column) {
  const unsigned char* text = sqlite3_column_text(statement, column);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

NodeEntry OpLogDatabase::node_of(sqlite3_stmt* row, int column) {
  const auto number = [&](int at) {
    constexpr std::int64_t kLast = Id<NodeEntry>::kNone - 1;  // the file may come from anybody
    const std::int64_t value = sqlite3_column_int64(row, at);
    const bool there = sqlite3_column_type(row, at) == SQLITE_INTEGER && value >= 0 && value <= kLast;
    return there ? static_cast<std::uint32_t>(value) : Id<NodeEntry>::kNone;
  };
  return {text_of(row, column),
          text_of(row, column + 1),
          text_of(row, column + 2),
          {SipId(number(column + 3)), text_of(row, column + 4), CubeId(number(column + 5)), PeId(number(column + 6))}};
}

OpLogDatabase::OpLogDatabase(std::string file) : file_(std::move(file)) {
  open();
  check_schema();
  read_names();
  read_places();
  Statement last = prepare("SELECT max(seq) FROM op");
  if (step(last) && sqlite3_column_type(last.get(), 0) != SQLITE_NULL) {
    end_seq_ = sqlite3_column_int64(last.get(), 0) + 1;
  }
}

OpLogDatabase::~OpLogDatabase() = default;

void OpLogDatabase::open() {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file_, ignored)) refuse(SQLITE_OK, "it is not a regular file");
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(read_only_uri(file_).c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) refuse(code, sqlite3_errstr(code));
  // The file is untrusted: functions in its schema must not be called.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
}

void OpLogDatabase::check_schema() {
  Statement tables = prepare(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('meta', 'component', 'operation', 'op')");
  constexpr int kTables = 4;
  if (!step(tables) || sqlite3_column_int(tables.get(), 0) != kTables) {
    refuse(SQLITE_OK, "it is a database of another program; give one that `kernbench run --oplog` wrote");
  }
  Statement version = prepare("SELECT value FROM meta WHERE key = 'schema_version'");
  if (!step(version)) refuse(SQLITE_OK, "it does not say its schema version; write it again");
  const std::string found = text_of(version.get(), 0);
  if (found == "1") {
    refuse(SQLITE_OK,
           "an older kernbench wrote it, which did not say where its components stand; run it again with --record DIR "
           "or --oplog FILE, or use the kernbench that wrote it");
  }
  if (found != std::to_string(OpLogSqlite::kSchemaVersion)) {
    refuse(SQLITE_OK,
           fmt::format("it has schema version {}, and this program reads {}; use the kernbench that wrote it", found,
                       OpLogSqlite::kSchemaVersion));
  }
}

void OpLogDatabase::read_names() {
  Statement components = prepare(
      "SELECT id, name, node_kind, label, sip, io, cube, pe FROM component WHERE EXISTS (SELECT 1 FROM op WHERE "
      "component_id = component.id) ORDER BY id");
  while (step(components)) {
    names_.components.push_back({sqlite3_column_int64(components.get(), 0), node_of(components.get(), 1)});
  }
  Statement operations = prepare("SELECT id, kind, name FROM operation ORDER BY id");
  while (step(operations)) {
    names_.operations.push_back(
        {sqlite3_column_int64(operations.get(), 0), text_of(operations.get(), 1), text_of(operations.get(), 2)});
  }
}

std::vector<NodeEntry> OpLogDatabase::nodes() {
  const std::lock_guard lock(mutex_);
  Statement rows = prepare("SELECT name, node_kind, label, sip, io, cube, pe FROM component ORDER BY id");
  std::vector<NodeEntry> nodes;
  while (step(rows)) nodes.push_back(node_of(rows.get(), 0));
  return nodes;
}

void OpLogDatabase::scan(std::int64_t from, std::int64_t to, const std::function<bool(const OpRow&)>& take) {
  const std::lock_guard lock(mutex_);
  Statement rows = prepare(std::string(kRowSql) + " FROM op WHERE seq >= ? AND seq < ?");
  sqlite3_bind_int64(rows.get(), 1, from);
  sqlite3_bind_int64(rows.get(), 2, to);
  while (step(rows)) {
    if (!take(row_of(rows.get()))) return;
  }
}

void OpLogDatabase::scan_in_time(const std::vector<std::int64_t>& kinds,
                                 const std::function<bool(const OpRow&, std::string_view)>& take) {
  const std::lock_guard lock(mutex_);
  std::string sql = kRowSql;
  if (!kinds.empty()) {
    sql += ", CASE WHEN operation_id IN (";
    for (std::size_t i = 0; i < kinds.size(); ++i) sql += (i == 0 ? "" : ",") + std::to_string(kinds[i]);
    sql += ") THEN params END";
  }
  Statement rows = prepare(sql + " FROM op ORDER BY t_start_fs, seq");
  constexpr int kParams = 6;
  while (step(rows)) {
    std::string_view params;
    if (!kinds.empty() && sqlite3_column_type(rows.get(), kParams) == SQLITE_TEXT) {
      params = {reinterpret_cast<const char*>(sqlite3_column_text(rows.get(), kParams)),
                static_cast<std::size_t>(sqlite3_column_bytes(rows.get(), kParams))};
    }
    if (!take(row_of(rows.get()), params)) return;
  }
}

std::optional<std::vector<OpRow>> OpLogDatabase::select(const OpQuery& query, double seconds) {
  const std::lock_guard lock(mutex_);
  const std::string tail =
      fmt::format(" ORDER BY {} {}{} LIMIT ? OFFSET ?", order_sql(query.order), query.descending ? "DESC" : "ASC",
                  query.order == OpQuery::Order::sequence ? "" : ", seq");
  Statement rows = prepare(kRowSql, query, tail);
  const int bound = sqlite3_bind_parameter_count(rows.get());
  sqlite3_bind_int64(rows.get(), bound - 1, query.limit);
  sqlite3_bind_int64(rows.get(), bound, query.offset);
  const Deadline deadline(*this, seconds);
  std::vector<OpRow> found;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(rows.get())) == SQLITE_ROW) found.push_back(row_of(rows.get()));
  if (code == SQLITE_INTERRUPT) return std::nullopt;
  if (code != SQLITE_DONE) refuse(code, sqlite3_errmsg(database_.get()));
  return found;
}

std::optional<std::int64_t> OpLogDatabase::count(const OpQuery& query, double seconds) {
  const std::lock_guard lock(mutex_);
  Statement rows = prepare("SELECT count(*)", query, "");
  const Deadline deadline(*this, seconds);
  const int code = sqlite3_step(rows.get());
  if (code == SQLITE_INTERRUPT) return std::nullopt;
  if (code != SQLITE_ROW) refuse(code, sqlite3_errmsg(database_.get()));
  return sqlite3_column_int64(rows.get(), 0);
}

std::optional<std::pair<OpRow, std::string>> OpLogDatabase::find(std::int64_t seq) {
  const std::lock_guard lock(mutex_);
  Statement row = prepare(std::string(kRowSql) + ", params FROM op WHERE seq = ?");
  sqlite3_bind_int64(row.get(), 1, seq);
  if (!step(row)) return std::nullopt;
  return std::pair(row_of(row.get()), text_of(row.get(), 6));
}

OpLogDatabase::Statement OpLogDatabase::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr);
  Statement owner(statement);
  if (code != SQLITE_OK) refuse(code, sqlite3_errmsg(database_.get()));
  return owner;
}

OpLogDatabase::Statement OpLogDatabase::prepare(const std::string& head, const OpQuery& query,
                                                const std::string& tail) {
  std::string sql = head + " FROM op WHERE seq > ?";
  std::vector<std::int64_t> bound = {query.after_seq};
  add_set(sql, "component_id", query.components, bound);
  add_set(sql, "operation_id", query.operations, bound);
  add_set(sql, "place_id", query.places, bound);
  if (query.to_fs) {
    sql += " AND t_start_fs < ?";
    bound.push_back(*query.to_fs);
  }
  if (query.from_fs) {
    sql += " AND t_end_fs > ?";
    bound.push_back(*query.from_fs);
  }
  Statement statement = prepare(sql + tail);
  for (std::size_t i = 0; i < bound.size(); ++i) sqlite3_bind_int64(statement.get(), static_cast<int>(i) + 1, bound[i]);
  return statement;
}

bool OpLogDatabase::step(Statement& statement) {
  const int code = sqlite3_step(statement.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) refuse(code, sqlite3_errmsg(database_.get()));
  return code == SQLITE_ROW;
}

void OpLogDatabase::refuse(int code, const std::string& reason) const {
  std::string why = reason;
  if ((code & 0xff) == SQLITE_NOTADB) why = "it is not a SQLite database";
  if ((code & 0xff) == SQLITE_CORRUPT) why = "it is truncated or damaged; write it again";
  throw Error::configuration("cannot read the operation log '" + file_ + "': " + why);
}

}  // namespace kb::data
