#include "sim/study/requests/table_errors.h"

#include <fmt/format.h>

#include <cmath>

#include "platform/observe/text_table.h"

namespace kb::requests {
namespace {

// "640" or, of a table with two keys, "8, 1024".
std::string place_text(const profile::Cell& cell) {
  const bool two = cell.kind == profile::CellKind::decodes || cell.kind == profile::CellKind::chunks;
  return two ? fmt::format("{}, {}", cell.a, cell.b) : fmt::format("{}", cell.a);
}

}  // namespace

std::string percent_text(double share) {
  constexpr double kLeast = 0.5e-4;  // that is not rounded to zero, which would have a sign
  return observe::fixed(std::abs(share) < kLeast ? 0.0 : 100.0 * share, 2) + " %";
}

std::string table_errors_text(const std::vector<profile::LeaveOneOut>& tables) {
  if (tables.empty()) return "";
  using observe::TextTable;
  constexpr auto right = TextTable::Align::right;
  TextTable table({{"table"}, {"cells", right}, {"mean", right}, {"most", right}, {"at", right}, {"of a step", right}});
  for (const profile::LeaveOneOut& one : tables) {
    table.add({one.table, std::to_string(one.cells), percent_text(one.mean), percent_text(one.most),
               place_text(one.worst), percent_text(one.of_step)});
  }
  return "each cell left out and interpolated from its neighbours: mean error, largest one, and the mean as a share "
         "of a step:\n" +
         table.render("  ");
}

void put_table_errors(observe::JsonWriter& json, const std::vector<profile::LeaveOneOut>& tables) {
  json.key("leave_one_out").begin_array();
  for (const profile::LeaveOneOut& one : tables) {
    json.begin_object(true).key("table").text(one.table).key("cells").unsigned_integer(one.cells);
    json.key("mean").real(observe::tidy(one.mean)).key("most").real(observe::tidy(one.most));
    json.key("of_step").real(observe::tidy(one.of_step));
    json.key("at").begin_array(true).integer(one.worst.a).integer(one.worst.b).end_array().end_object();
  }
  json.end_array();
}

}  // namespace kb::requests
