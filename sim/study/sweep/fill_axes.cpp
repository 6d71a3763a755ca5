#include "sim/study/sweep/fill_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "platform/base/error.h"
#include "sim/study/sweep/point_sql.h"

namespace kb::sweep {
namespace {

[[noreturn]] void fail_at(Diagnostic place, const std::string& message, const std::string& remedy) {
  place.message = message;
  place.remedy = remedy;
  throw Error({std::move(place)});
}

void check_lengths(const Axis& axis) {
  for (const AxisColumn& column : axis.columns) {
    if (column.values.size() == axis.size()) continue;
    fail_at(axis.place,
            fmt::format("{} has {} values and {} has {}", axis.columns.front().name, axis.size(), column.name,
                        column.values.size()),
            "zipped parts advance together and need equally many");
  }
}

}  // namespace

void fill_axes(SweepSpec& spec, const Catalogs& catalogs) {
  std::optional<topology::LoadedTopology> machine;
  for (Axis& axis : spec.axes) {
    for (AxisColumn& column : axis.columns) {
      if (column.sql.empty()) continue;
      if (!machine) machine = PointRunner(spec, catalogs).load_machine({});
      try {
        column.values = values_of_query(column.sql, *machine);
      } catch (const Error& error) {
        fail_at(column.place, error.what(), "correct the query");
      }
    }
    check_lengths(axis);
  }
}

const Axis* empty_axis(const SweepSpec& spec) {
  const auto found =
      std::find_if(spec.axes.begin(), spec.axes.end(), [](const Axis& axis) { return axis.size() == 0; });
  return found == spec.axes.end() ? nullptr : &*found;
}

}  // namespace kb::sweep
