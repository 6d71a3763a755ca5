#include "sim/study/sweep/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "platform/base/nearest.h"
#include "platform/topology/input_file.h"
#include "platform/topology/scalar_text.h"
#include "platform/topology/spec_reader.h"
#include "sim/study/sweep/axis_reader.h"
#include "sim/study/sweep/plot_reader.h"

namespace kb::sweep {
namespace {

using topology::MapReader;

constexpr double kMaxPoints = 1e8;
constexpr double kMaxRetries = 100;
constexpr double kMaxTimeNs = 1e12;

struct Unit {
  const char* name;
  double factor;
};
const std::vector<Unit> kTimes{{"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}};
const std::vector<Unit> kSizes{{"MB", 1.0}, {"GB", 1024.0}};

// Reads "60 s" or "2GB"; 0 when the key is missing.
double quantity(MapReader& limits, const std::string& key, const std::vector<Unit>& units, const char* example) {
  if (!limits.has(key)) {
    limits.allow(key);
    return 0.0;
  }
  const std::string text = limits.text(key, std::nullopt);
  for (const Unit& unit : units) {
    const std::string name = unit.name;
    if (text.size() <= name.size() || text.compare(text.size() - name.size(), name.size(), name) != 0) continue;
    std::string number = text.substr(0, text.size() - name.size());
    number.erase(number.find_last_not_of(' ') + 1);
    const std::optional<double> value = topology::to_real(number);
    if (value && std::isfinite(*value) && *value > 0.0) return *value * unit.factor;
  }
  if (!text.empty()) {
    std::string names;
    for (const Unit& unit : units) names += (names.empty() ? "" : ", ") + std::string(unit.name);
    limits.report(key, fmt::format("expected a number greater than 0 with a unit ({}), found '{}'", names, text),
                  fmt::format("for example {}", example));
  }
  return 0.0;
}

Limits read_limits(MapReader limits) {
  Limits read;
  read.time_s = quantity(limits, "time", kTimes, "60 s");
  read.memory_mb = quantity(limits, "memory", kSizes, "2 GB");
  read.retries = static_cast<int>(limits.whole("retries", read.retries, at_least(0, kMaxRetries)));
  read.points = static_cast<std::uint64_t>(
      limits.whole("points", static_cast<std::int64_t>(read.points), at_least(1, kMaxPoints)));
  limits.done();
  return read;
}

std::optional<Sample> read_sample(MapReader& top) {
  if (!top.has("sample")) {
    top.allow("sample");
    return std::nullopt;
  }
  MapReader sample = top.map("sample");
  Sample read;
  read.count = static_cast<std::uint64_t>(sample.whole("count", std::nullopt, at_least(1, kMaxPoints)));
  read.seed = static_cast<std::uint64_t>(sample.whole("seed", 1, at_least(0, 9e15)));
  sample.done();
  return read;
}

// Reads `set` and `machine`: names with values.
void read_fixed(MapReader& top, const char* key, Target target, SweepSpec& spec) {
  MapReader map = top.map(key);
  for (const std::string& name : map.keys()) {
    spec.fixed.push_back({target, name, map.text(name, std::nullopt)});
    spec.fixed_places[name] = map.context().place({map.path(name)});
  }
  map.done();
}

// Contents of the file that a key names; "" when the key is missing.
std::string sql_file(MapReader& top, const char* key, const std::string& folder) {
  const std::string name = top.text(key, "");
  if (name.empty()) return {};
  std::vector<Diagnostic> problems;
  const std::optional<std::string> text =
      topology::read_file((std::filesystem::path(folder) / name).string(),
                          "names of files are relative to the folder of the sweep file", problems);
  for (const Diagnostic& problem : problems) top.report(key, problem.message, problem.remedy);
  return text.value_or("");
}

void read_run(MapReader& top, SweepSpec& spec) {
  const bool varied = std::any_of(spec.axes.begin(), spec.axes.end(), [](const Axis& axis) {
    return std::any_of(axis.columns.begin(), axis.columns.end(), [](const AxisColumn& column) {
      return column.target == Target::run && column.key == "workload";
    });
  });
  spec.traffic = sql_file(top, "traffic", spec.folder);
  spec.script = sql_file(top, "sql", spec.folder);
  const bool mandatory = !varied && !top.has("traffic");
  spec.workload = top.text("workload", mandatory ? std::nullopt : std::optional<std::string>(""));
  if (!spec.workload.empty() && top.has("traffic")) {
    top.report("traffic", "traffic takes the place of a workload", "leave one of workload and traffic out");
  }
  spec.fixed_places["workload"] = top.context().place({"workload"});
  spec.topology = top.text("topology", "");
  spec.fixed_places["topology"] = top.context().place({"topology"});
  for (const char* const key : {"plugin", "plugins"}) {
    if (!top.has(key)) top.allow(key);
  }
  if (top.has("plugin")) spec.plugins = {top.text("plugin", std::nullopt)};
  if (top.has("plugins")) spec.plugins = top.words("plugins", "./libmine.so, ./libother.so");
  spec.fixed_places["plugins"] = top.context().place({top.has("plugins") ? "plugins" : "plugin"});
  spec.device = top.text("device", spec.device);
  static const std::vector<std::string> kModes{"off", "replay", "eager"};
  const bool mode = top.has("data");
  spec.data = kModes[top.choice("data", 0, kModes)];
  spec.verify = top.flag("verify", false);
  if (spec.verify && spec.data == "off") {
    if (mode) top.report("data", "verify needs the data that data: off leaves out", "leave data out");
    spec.data = "replay";
  }
  spec.strict = top.flag("strict", false);
  spec.seed = static_cast<std::uint64_t>(top.whole("seed", 1, at_least(0, 9e15)));
  const std::optional<double> limit = top.given_real("time_limit_ns", positive(kMaxTimeNs));
  spec.time_limit_ns = limit.value_or(0.0);
  read_fixed(top, "set", Target::parameter, spec);
  read_fixed(top, "machine", Target::machine, spec);
}

Keep read_keep(MapReader& top) {
  static const std::vector<std::string> kWords{"columns", "results", "runs"};
  const Keep keep = static_cast<Keep>(top.choice("keep", 0, kWords));
  if (keep != Keep::columns && top.has("traffic")) {
    top.report("keep", "traffic has no result that could be kept", "leave keep out");
  }
  return keep;
}

}  // namespace

const char* kept_column(Keep keep) {
  return keep == Keep::runs ? "run_folder" : "result";
}

SweepSpec parse_sweep(const std::string& text, const std::string& file, const std::string& folder) {
  topology::ReadContext context(file);
  const topology::yaml::ValuePtr root = topology::yaml::parse(text, file, context.diagnostics());
  if (!root) topology::throw_if_any(context.problems());
  SweepSpec spec;
  spec.file = file;
  spec.folder = folder;
  MapReader top(context, root);
  spec.name = top.text("sweep", std::filesystem::path(file).stem().string());
  if (!is_file_name(spec.name)) {
    top.report("sweep", fmt::format("'{}' cannot be the name of a folder", spec.name), "use letters, digits, - and _");
  }
  spec.axes = read_axes(top, folder);
  read_run(top, spec);
  spec.sample = read_sample(top);
  spec.columns = read_columns(top, spec.axes);
  spec.limits = read_limits(top.map("limits"));
  spec.objectives = read_objectives(top, spec.axes, spec.columns);
  spec.plots = read_plots(top, spec);
  spec.keep = read_keep(top);
  top.done();
  context.finish_unknown();
  topology::throw_if_any(context.problems());
  return spec;
}

SweepSpec read_sweep(const std::string& file) {
  std::vector<Diagnostic> problems;
  const std::optional<std::string> text = topology::read_file(file, "check the path of the sweep file", problems);
  topology::throw_if_any(std::move(problems));
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return parse_sweep(*text, file, folder.empty() ? "." : folder);
}

}  // namespace kb::sweep
