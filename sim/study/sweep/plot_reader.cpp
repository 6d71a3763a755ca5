#include "sim/study/sweep/plot_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "platform/base/nearest.h"
#include "sim/study/sweep/objective_plots.h"

namespace kb::sweep {
namespace {

using topology::MapReader;

constexpr std::size_t kMaxPlots = 1000;

// Returns the column that a key names; "" when the key is left out.
std::string read_column(MapReader& reader, const char* key, bool mandatory, const std::vector<std::string>& names,
                        const char* what) {
  std::string name = reader.text(key, mandatory ? std::nullopt : std::optional<std::string>(""));
  if (!name.empty() && std::count(names.begin(), names.end(), name) == 0) {
    reader.report(key, fmt::format("there is no {} '{}'", what, name), suggest(name, names));
  }
  return name;
}

void read_lines(MapReader& reader, Plot& plot, const std::vector<std::string>& names) {
  plot.x = read_column(reader, "x", true, names, "column");
  plot.y = read_column(reader, "y", true, names, "column");
  plot.series = read_column(reader, "series", false, names, "column");
  plot.name = reader.text("name", plot.y + "_over_" + plot.x + (plot.series.empty() ? "" : "_by_" + plot.series));
  plot.log_x = reader.flag("log_x", false);
  plot.log_y = reader.flag("log_y", false);
}

void read_heat_map(MapReader& reader, Plot& plot, const SweepSpec& spec, const std::vector<std::string>& names) {
  const std::vector<std::string> axes = column_names(spec.axes, {});
  plot.kind = Plot::Kind::heat;
  plot.value = read_column(reader, "heat", true, names, "column");
  plot.x = read_column(reader, "x", true, axes, "axis");
  plot.y = read_column(reader, "y", true, axes, "axis");
  if (!plot.y.empty() && plot.x == plot.y) reader.report("y", "x and y are the same axis", "take another axis");
  plot.name = reader.text("name", heat_map_name(plot.value));
  plot.best = goal_of(spec.objectives, plot.value);
}

void read_where(MapReader where, Plot& plot, const std::vector<std::string>& names) {
  for (const std::string& name : where.keys()) {
    plot.where.emplace_back(name, where.text(name, std::nullopt));
    plot.where_places.push_back(where.context().place({where.path(name)}));
    if (std::count(names.begin(), names.end(), name) == 0) {
      where.report(name, fmt::format("there is no column '{}'", name), suggest(name, names));
    }
  }
}

void check_name(MapReader& reader, const Plot& plot, const std::vector<Plot>& others) {
  const auto same = [&](const Plot& other) { return other.name == plot.name; };
  if (std::any_of(others.begin(), others.end(), same)) {
    reader.report("name", fmt::format("there are two plots '{}'", plot.name), "give each a name of its own");
  }
  if (!is_file_name(plot.name)) {
    reader.report("name", fmt::format("'{}' cannot be the name of a file", plot.name), "use letters, digits, - and _");
  }
}

}  // namespace

bool is_file_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), fits);
}

std::vector<Plot> read_plots(MapReader& top, const SweepSpec& spec) {
  const std::vector<std::string> names = column_names(spec.axes, spec.columns);
  std::vector<Plot> plots;
  for (MapReader& reader : top.list_of_maps("plots", kMaxPlots, "plots are more than")) {
    Plot plot;
    if (reader.has("heat")) {
      read_heat_map(reader, plot, spec, names);
    } else {
      read_lines(reader, plot, names);
      reader.allow("heat");
    }
    plot.place = reader.context().place({reader.path("x")});
    plot.title = reader.text("title", "");
    read_where(reader.map("where"), plot, names);
    reader.done();
    check_name(reader, plot, plots);
    plots.push_back(std::move(plot));
  }
  return plots;
}

}  // namespace kb::sweep
