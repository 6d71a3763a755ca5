// Computes the work of operations from their parameters.
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "platform/data/op_log_database.h"

namespace kb::data {
namespace {

// Shapes have at most four dimensions other than 1. A composite is represented by its tiles. Parameters are only parsed
// where they count, because parsing the JSON of millions of operations takes long.
constexpr const char* kWorkHead = R"(
  WITH kinds AS MATERIALIZED (
    SELECT id, kind = 'gemm' OR name = 'TileToken/GEMM' AS product FROM operation
    WHERE (kind IN ('gemm', 'math') AND name NOT LIKE 'composite_%') OR name IN ('TileToken/GEMM', 'TileToken/MATH'))
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
    AND component_id IN (SELECT id FROM component WHERE substr(name, 1, length(?3)) = ?3)
  GROUP BY operation_id ORDER BY operation_id)";

}  // namespace

std::optional<std::vector<OpWork>> OpLogDatabase::work(std::int64_t from_fs, std::int64_t to_fs,
                                                       const std::string& under, double seconds) {
  const std::lock_guard lock(mutex_);
  // Rows are stored approximately in the order of time. An index by component finds the operations of a PE quickly; for
  // many components, it would read every row from another page.
  constexpr std::ptrdiff_t kFew = 16;
  const auto below = std::count_if(names_.components.begin(), names_.components.end(), [&](const auto& component) {
    return component.second.compare(0, under.size(), under) == 0;
  });
  const char* const index = below <= kFew ? "op_by_component" : "op_by_start";
  Statement rows = prepare(std::string(kWorkHead) + index + kWorkTail);
  sqlite3_bind_int64(rows.get(), 1, from_fs);
  sqlite3_bind_int64(rows.get(), 2, to_fs);
  sqlite3_bind_text(rows.get(), 3, under.c_str(), -1, SQLITE_TRANSIENT);
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
