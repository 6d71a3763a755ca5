// Computes the work of operations from their parameters.
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "platform/data/op_log_database.h"
#include "platform/engine/engine_catalog.h"

namespace kb::data {
namespace {

// Shapes have at most four dimensions that are not 1. A composite stands for the tiles that are counted. Parameters are
// looked up only where they count: each look into the JSON of millions of operations is time.
// Names or stages, quoted, of the built-in engines that count in `unit`, or of all; a tile passes no others.
std::string stages_of(std::string_view unit, std::string_view head, bool names) {
  const engine::EngineCatalog& engines = *engine::built_in_engines();
  std::string list;
  for (const engine::EngineId id : engines.ids()) {
    if (!unit.empty() && engines.row(id).roof.unit != unit) continue;
    list += list.empty() ? "'" : ",'";
    list += head;
    list += names ? std::string_view(engines.row(id).name) : engine::engine_stage(id);
    list += "'";
  }
  return list;
}

std::string kinds_sql() {
  return "WITH kinds AS MATERIALIZED (SELECT id, kind IN (" + stages_of("MAC", "", true) + ") OR name IN (" +
         stages_of("MAC", "TileToken/", false) +
         ") AS product FROM operation WHERE (kind NOT IN ('memory', 'unknown') AND name NOT LIKE 'composite_%') OR "
         "name IN (" +
         stages_of("", "TileToken/", false) + "))";
}

constexpr const char* kWorkHead = R"(
  SELECT operation_id, count(*), total(t_end_fs - t_start_fs),
         total(CASE WHEN product THEN
           coalesce(params ->> '$.macs', (params ->> '$.m') * (params ->> '$.k') * (params ->> '$.n')) END),
         total(CASE WHEN product THEN
           coalesce(params ->> '$.useful_macs', (params ->> '$.m') * (params ->> '$.k') * (params ->> '$.n')) END),
         total(CASE WHEN NOT product THEN coalesce(params ->> '$.elements',
           coalesce(params ->> '$.passes', 1) * max(
             coalesce(params ->> '$.shape_out[0]', 1) * coalesce(params ->> '$.shape_out[1]', 1) *
             coalesce(params ->> '$.shape_out[2]', 1) * coalesce(params ->> '$.shape_out[3]', 1),
             coalesce(params ->> '$.input_shapes[0][0]', 1) * coalesce(params ->> '$.input_shapes[0][1]', 1) *
             coalesce(params ->> '$.input_shapes[0][2]', 1) * coalesce(params ->> '$.input_shapes[0][3]', 1))) END)
  FROM op INDEXED BY )";
constexpr const char* kWorkTail = R"( CROSS JOIN kinds ON kinds.id = op.operation_id
  WHERE t_start_fs >= ?1 AND t_start_fs < ?2
    AND component_id IN (SELECT id FROM component WHERE (?3 IS NULL OR sip = ?3) AND (?4 IS NULL OR io = ?4) AND
                                                        (?5 IS NULL OR cube = ?5) AND (?6 IS NULL OR pe = ?6))
  GROUP BY operation_id ORDER BY operation_id)";

}  // namespace

std::optional<std::vector<OpWork>> OpLogDatabase::work(std::int64_t from_fs, std::int64_t to_fs, const NodeCoord& part,
                                                       double seconds) {
  const std::lock_guard lock(mutex_);
  // Rows are stored approximately in the order of time. An index by component finds the operations of a PE quickly; for
  // many components, it would read every row from another page.
  constexpr std::ptrdiff_t kFew = 16;
  const auto below = std::count_if(names_.components.begin(), names_.components.end(),
                                   [&](const auto& component) { return is_within(component.node.coord, part); });
  const char* const index = below <= kFew ? "op_by_component" : "op_by_start";
  Statement rows = prepare(kinds_sql() + kWorkHead + index + kWorkTail);
  sqlite3_bind_int64(rows.get(), 1, from_fs);
  sqlite3_bind_int64(rows.get(), 2, to_fs);
  const auto bind = [&](int number, auto id) {
    if (id.valid()) sqlite3_bind_int64(rows.get(), number, id.value);
  };
  bind(3, part.sip);
  if (!part.io.empty()) sqlite3_bind_text(rows.get(), 4, part.io.c_str(), -1, SQLITE_TRANSIENT);
  bind(5, part.cube);
  bind(6, part.pe);
  const Deadline deadline(*this, seconds);
  std::vector<OpWork> work;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(rows.get())) == SQLITE_ROW) {
    const auto real = [&](int column) { return sqlite3_column_double(rows.get(), column); };
    work.push_back(
        {sqlite3_column_int64(rows.get(), 0), sqlite3_column_int64(rows.get(), 1), real(2), real(3), real(4), real(5)});
  }
  if (code == SQLITE_INTERRUPT) return std::nullopt;
  if (code != SQLITE_DONE) refuse(code, sqlite3_errmsg(database_.get()));
  return work;
}

}  // namespace kb::data
