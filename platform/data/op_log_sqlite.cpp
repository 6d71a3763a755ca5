#include "platform/data/op_log_sqlite.h"

#include <sqlite3.h>

#include <utility>

#include "platform/base/error.h"
#include "platform/data/op_log_format.h"
#include "platform/engine/engine_catalog.h"
#include "platform/record/activity_recorder.h"

namespace kb::data {
namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE component (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, node_kind TEXT NOT NULL, label TEXT NOT NULL,
  sip INTEGER, io TEXT, cube INTEGER, pe INTEGER);
CREATE TABLE operation (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL);
CREATE TABLE engine (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, node TEXT NOT NULL, stage TEXT NOT NULL, label TEXT NOT NULL,
  sentence TEXT NOT NULL, colour TEXT NOT NULL, rate TEXT NOT NULL, unit TEXT NOT NULL, operations_per_unit REAL NOT NULL);
CREATE TABLE op (
  seq INTEGER PRIMARY KEY,
  id INTEGER NOT NULL,
  t_start_fs INTEGER NOT NULL,
  t_end_fs INTEGER NOT NULL,
  component_id INTEGER NOT NULL REFERENCES component (id),
  operation_id INTEGER NOT NULL REFERENCES operation (id),
  place_id INTEGER NOT NULL,
  params TEXT NOT NULL
);
CREATE VIEW ops AS
  SELECT op.seq, op.id, op.t_start_fs / 1e6 AS t_start_ns, op.t_end_fs / 1e6 AS t_end_ns,
         (op.t_end_fs - op.t_start_fs) / 1e6 AS duration_ns, component.name AS component,
         operation.kind AS op_kind, operation.name AS op_name, op.params
  FROM op JOIN component ON component.id = op.component_id JOIN operation ON operation.id = op.operation_id;
)sql";

constexpr const char* kActivityTables = R"sql(
CREATE TABLE epoch (
  id INTEGER PRIMARY KEY, sip INTEGER, launch_id INTEGER, t0_fs INTEGER NOT NULL, t1_fs INTEGER NOT NULL,
  bin_fs INTEGER NOT NULL);
CREATE TABLE series (
  id INTEGER PRIMARY KEY, component_id INTEGER NOT NULL REFERENCES component (id), kind TEXT NOT NULL,
  name TEXT NOT NULL, units INTEGER NOT NULL, peer_id INTEGER REFERENCES component (id), resource TEXT NOT NULL);
CREATE TABLE activity (
  epoch_id INTEGER NOT NULL REFERENCES epoch (id), series_id INTEGER NOT NULL REFERENCES series (id),
  busy_fs INTEGER NOT NULL, wait_fs INTEGER NOT NULL, bytes INTEGER NOT NULL, queue_max INTEGER NOT NULL,
  data BLOB NOT NULL, PRIMARY KEY (epoch_id, series_id)) WITHOUT ROWID;
CREATE VIEW activities AS
  SELECT epoch.launch_id, epoch.sip, component.name AS component, series.kind, series.name,
         activity.busy_fs / 1e6 AS busy_ns, activity.wait_fs / 1e6 AS wait_ns, activity.bytes, activity.queue_max,
         1.0 * activity.busy_fs / series.units / (epoch.t1_fs - epoch.t0_fs) AS used
  FROM activity JOIN epoch ON epoch.id = activity.epoch_id JOIN series ON series.id = activity.series_id
       JOIN component ON component.id = series.component_id;
)sql";

constexpr const char* kIndices = R"sql(
CREATE INDEX op_by_start ON op (t_start_fs);
CREATE INDEX op_by_component ON op (component_id, t_start_fs);
)sql";

constexpr std::int64_t kHostId = -1;
constexpr std::size_t kRowsPerStatement = 16;  // starting a statement costs as much as half a row

// With OR FAIL, SQLite needs no state for undoing a part of the rows.
std::string insert_sql(std::size_t rows) {
  std::string sql = "INSERT OR FAIL INTO op VALUES ";
  for (std::size_t i = 0; i < rows; ++i) sql += i == 0 ? "(?,?,?,?,?,?,?,?)" : ",(?,?,?,?,?,?,?,?)";
  return sql;
}

}  // namespace

OpLogSqlite::OpLogSqlite(observe::OutputFile& file, OpLog::Options options)
    : options_(std::move(options)), database_(file) {
  database_.run(kTables);
  write_engines();
  insert_rows_ = database_.prepare(insert_sql(kRowsPerStatement));
}

OpLogSqlite::~OpLogSqlite() = default;

void OpLogSqlite::write_engines() {
  SqliteFile::Statement insert = database_.prepare("INSERT INTO engine VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)");
  for (const engine::EngineId id : options_.engines->ids()) {
    const engine::EngineRow& row = options_.engines->row(id);
    sqlite3_bind_int64(insert.get(), 1, static_cast<std::int64_t>(engine::index_of(id)));
    int column = 1;
    const std::string_view texts[] = {row.name,
                                      engine::engine_node(id),
                                      engine::engine_stage(id),
                                      row.label,
                                      row.sentence,
                                      row.colour,
                                      row.roof.rate,
                                      row.roof.unit};
    for (const std::string_view text : texts) bind_text(insert.get(), ++column, text);
    sqlite3_bind_double(insert.get(), ++column, row.roof.operations_per_unit);
    database_.execute(insert);
  }
}

void OpLogSqlite::record(std::uint64_t sequence, const OpRecord& record) {
  if (finished_ || !database_.is_open()) throw Error::model("operation log: a record after finish()");
  format_params(params_, record, options_);
  rows_.push_back(
      {{static_cast<std::int64_t>(sequence), static_cast<std::int64_t>(record.id), record.start.fs(), record.end.fs(),
        component_id(record.component), operation_id(record.kind(), record.name()), place_id(record.place)},
       params_.size()});
  if (rows_.size() == kRowsPerStatement) write_rows();
}

std::int64_t OpLogSqlite::place_id(account::PlaceId place) const {
  return options_.activity == nullptr ? 0 : std::int64_t{options_.activity->places().site(place).value};
}

void OpLogSqlite::write_rows() {
  int column = 0;
  std::size_t begin = 0;
  for (const Row& row : rows_) {
    for (const std::int64_t number : row.numbers) sqlite3_bind_int64(insert_rows_.get(), ++column, number);
    bind_text(insert_rows_.get(), ++column, {params_.data() + begin, row.params_end - begin});
    begin = row.params_end;
  }
  database_.execute(insert_rows_);
  rows_.clear();
  params_.clear();
}

void OpLogSqlite::finish() {
  if (finished_ || !database_.is_open()) return;
  finished_ = true;
  if (!rows_.empty()) {
    insert_rows_ = database_.prepare(insert_sql(rows_.size()));
    write_rows();
  }
  insert_rows_.reset();
  SqliteFile::Statement fact = database_.prepare("INSERT INTO meta VALUES (?1, ?2)");
  const auto put = [&](std::string_view key, std::string_view value) {
    bind_text(fact.get(), 1, key);
    bind_text(fact.get(), 2, value);
    database_.execute(fact);
  };
  put("schema_version", std::to_string(kSchemaVersion));
  for (const auto& [key, value] : options_.facts) put(key, value);
  fact.reset();
  if (options_.activity != nullptr) write_activity(*options_.activity);
  database_.run_sorting(kIndices);
  database_.finish();
}

void OpLogSqlite::write_activity(const record::ActivityRecorder& recorder) {
  database_.run(kActivityTables);
  const auto put = [](SqliteFile::Statement& row, std::initializer_list<std::int64_t> numbers, int column = 1) {
    for (const std::int64_t number : numbers) sqlite3_bind_int64(row.get(), column++, number);
  };
  SqliteFile::Statement row = database_.prepare("INSERT INTO epoch VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  std::int64_t id = 0;
  for (const record::Epoch& epoch : recorder.epochs()) {
    put(row, {id++, epoch.group, 0, epoch.begin.fs(), epoch.end.fs(), std::int64_t{1} << epoch.shift});
    if (epoch.group == record::ActivityRecorder::kOutside) sqlite3_bind_null(row.get(), 2);
    sqlite3_bind_null(row.get(), 3);
    if (epoch.launch) put(row, {static_cast<std::int64_t>(*epoch.launch)}, 3);
    database_.execute(row);
  }
  std::vector<bool> used(recorder.series().size());
  row = database_.prepare("INSERT INTO activity VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  for (std::size_t epoch = 0; epoch < recorder.epochs().size(); ++epoch) {
    for (const record::Activity& activity : recorder.activities_of(epoch)) {
      used[activity.series] = true;
      put(row, {static_cast<std::int64_t>(epoch), activity.series, activity.sum.busy.fs(), activity.sum.wait.fs(),
                static_cast<std::int64_t>(activity.sum.bytes), static_cast<std::int64_t>(activity.sum.queue)});
      const std::string data = activity.bins.varints();
      sqlite3_bind_blob(row.get(), 7, data.data(), static_cast<int>(data.size()), SQLITE_STATIC);
      database_.execute(row);
    }
  }
  row = database_.prepare("INSERT INTO series VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const record::SeriesInfo& series = recorder.series()[i];
    put(row, {static_cast<std::int64_t>(i), component_id(series.node)});
    bind_text(row.get(), 3, record::word_of(series.role).name);
    const std::string label = options_.series_label(series);
    bind_text(row.get(), 4, label);
    put(row, {series.units}, 5);
    sqlite3_bind_null(row.get(), 6);
    if (series.peer.valid()) put(row, {component_id(series.peer)}, 6);
    bind_text(row.get(), 7, series.name);
    database_.execute(row);
  }
}

void OpLogSqlite::insert_name(const char* sql, std::int64_t id, std::string_view kind, std::string_view name) {
  SqliteFile::Statement statement = database_.prepare(sql);
  sqlite3_bind_int64(statement.get(), 1, id);
  bind_text(statement.get(), 2, kind);
  bind_text(statement.get(), 3, name);
  database_.execute(statement);
}

void OpLogSqlite::insert_component(std::int64_t id, NodeId component) {
  const bool known = component.valid() && component.value < options_.nodes.size();
  const std::string name = component_name(component, options_);
  const NodeEntry node =
      known ? options_.nodes[component.value] : NodeEntry{name, component.valid() ? "" : name, name, {}};
  SqliteFile::Statement row = database_.prepare("INSERT INTO component VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  sqlite3_bind_int64(row.get(), 1, id);
  bind_text(row.get(), 2, node.id);
  bind_text(row.get(), 3, node.kind);
  bind_text(row.get(), 4, node.label);
  const auto put = [&](int column, auto part) {
    if (part.valid()) sqlite3_bind_int64(row.get(), column, part.value);
  };
  put(5, node.coord.sip);
  if (!node.coord.io.empty()) bind_text(row.get(), 6, node.coord.io);
  put(7, node.coord.cube);
  put(8, node.coord.pe);
  database_.execute(row);
}

std::int64_t OpLogSqlite::component_id(NodeId component) {
  const bool host = !component.valid();
  const std::size_t index = host ? 0 : component.value + std::size_t{1};
  if (index >= known_components_.size()) known_components_.resize(index + 1);
  const std::int64_t id = host ? kHostId : static_cast<std::int64_t>(component.value);
  if (!known_components_[index]) {
    known_components_[index] = true;
    insert_component(id, component);
  }
  return id;
}

std::int64_t OpLogSqlite::operation_id(std::string_view kind, std::string_view name) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (operations_[i].second == name && operations_[i].first == kind) return static_cast<std::int64_t>(i);
  }
  operations_.emplace_back(kind, name);
  const auto id = static_cast<std::int64_t>(operations_.size() - 1);
  insert_name("INSERT INTO operation VALUES (?1, ?2, ?3)", id, kind, name);
  return id;
}

}  // namespace kb::data
