#include "sim/study/sweep/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/topology/input_file.h"

namespace kb::sweep {
namespace {

const std::string kOption = "--set ";  // before the name of a parameter in problems of a workload

// Matches the key or one that contains it, because the reader of a machine may name either one for an override.
bool same_key(const std::string& override_key, const std::string& reported) {
  const auto begins = [](const std::string& text, const std::string& part) {
    return text.compare(0, part.size(), part) == 0 &&
           (text.size() == part.size() || text[part.size()] == '.' || text[part.size()] == '[');
  };
  return begins(reported, override_key) || begins(override_key, reported);
}

class Checker {
 public:
  Checker(const SweepSpec& spec, const Space& space, const PointRunner& runner)
      : spec_(spec), space_(space), runner_(runner), first_(spec.axes.size(), 0) {}

  void run();

 private:
  std::string configuration(const std::vector<std::size_t>& steps) const {
    return runner_.configuration(space_.assignments_of(steps));
  }

  // Returns the place in the sweep file that the message is about.
  Diagnostic placed(const Diagnostic& problem, const Axis* axis) const {
    if (problem.file != "--set" && !problem.file.empty()) return problem;
    const std::string key = problem.key.rfind(kOption, 0) == 0 ? problem.key.substr(kOption.size()) : problem.key;
    Diagnostic place{spec_.file, 0, 0, problem.key, "", ""};
    const auto fixed = std::find_if(spec_.fixed_places.begin(), spec_.fixed_places.end(),
                                    [&](const auto& entry) { return same_key(entry.first, key); });
    const bool is_fixed = fixed != spec_.fixed_places.end();
    if (is_fixed) place = fixed->second;
    for (const Axis& one : spec_.axes) {
      if (axis != nullptr && axis != &one) continue;
      for (const AxisColumn& column : one.columns) {
        if (same_key(column.key, key) || (axis != nullptr && !is_fixed)) place = column.place;
        if (same_key(column.key, key)) break;
      }
    }
    place.message = problem.message;
    place.remedy = problem.remedy;
    return place;
  }

  // Runs `body`, and adds to its Errors the place in the sweep file that caused them.
  template <typename Body>
  auto at_place(Body body, const Axis* axis) const {
    try {
      return body();
    } catch (const Error& error) {
      if (error.family() != ErrorFamily::configuration) throw;
      std::vector<Diagnostic> problems;
      for (const Diagnostic& one : error.diagnostics()) problems.push_back(placed(one, axis));
      if (problems.empty()) {
        Diagnostic place{spec_.file, 0, 0, "", "", ""};
        if (axis != nullptr) place = axis->columns.front().place;
        place.message = error.what();
        problems.push_back(std::move(place));
      }
      throw Error(std::move(problems));
    }
  }

  // False when the workload that all points have does not exist: then nothing is known of its parameters.
  bool check_workload() {
    if (spec_.workload.empty()) return true;
    try {
      runner_.check_workload(spec_.workload);
    } catch (const Error& error) {
      report(spec_.fixed_places.at("workload"), error.what(), "");
      return false;
    }
    return true;
  }

  // Checks each value of a parameter by itself; otherwise a wrong one is only detected after hours.
  void check_parameters(std::size_t axis) {
    const Axis& one = spec_.axes[axis];
    std::vector<std::size_t> steps = first_;
    const auto machine = [](const AxisColumn& column) { return column.target == Target::machine; };
    const std::size_t end = std::all_of(one.columns.begin(), one.columns.end(), machine) ? 1 : one.size();
    for (steps[axis] = 0; steps[axis] < end; ++steps[axis]) {
      try {
        at_place([&] { runner_.check_parameters(space_.assignments_of(steps)); }, &one);
      } catch (const Error& error) {
        problems_.insert(problems_.end(), error.diagnostics().begin(), error.diagnostics().end());
        return;
      }
    }
  }

  void check_changes(std::size_t axis, const std::string& base) {
    const Axis& one = spec_.axes[axis];
    if (one.size() < 2) return;
    std::vector<std::size_t> steps = first_;
    std::vector<Diagnostic> failed;
    bool same = false;
    for (steps[axis] = 1; steps[axis] < one.size(); ++steps[axis]) {
      try {
        if (at_place([&] { return configuration(steps); }, &one) != base) return;
        same = true;
      } catch (const Error& error) {
        if (failed.empty()) failed = error.diagnostics();
      }
    }
    if (!same) {
      problems_.insert(problems_.end(), failed.begin(), failed.end());
      return;
    }
    report(one.columns.front().place,
           fmt::format("this axis changes nothing: all of its {} values give one configuration", one.size()),
           "vary something else, or remove the axis");
  }

  void report(Diagnostic place, std::string message, std::string remedy) {
    place.message = std::move(message);
    place.remedy = std::move(remedy);
    problems_.push_back(std::move(place));
  }

  // Texts have no better or worse.
  void check_objectives() {
    for (const Objective& one : spec_.objectives) {
      const AxisColumn* const column = axis_column(one.column);
      if (column == nullptr) continue;
      const std::vector<std::string>& values = column->values;
      const auto text = std::find_if_not(values.begin(), values.end(), is_number_of_axis);
      if (text == values.end()) continue;
      report(one.place, fmt::format("the axis '{}' has the value '{}', which is not a number", one.column, *text),
             "name an axis or a column of numbers");
    }
  }

  // A line that no point can be on is otherwise only detected when all points have run.
  void check_where(const Plot& plot) {
    for (std::size_t i = 0; i < plot.where.size(); ++i) {
      const auto& [name, wanted] = plot.where[i];
      const AxisColumn* const column = axis_column(name);
      if (column == nullptr) continue;
      const std::vector<std::string>& values = column->values;
      const auto is_wanted = [&, &text = wanted](const std::string& value) { return is_value_of_axis(value, text); };
      if (std::any_of(values.begin(), values.end(), is_wanted)) continue;
      report(plot.where_places[i],
             fmt::format("the axis '{}' has no value '{}', so that plot '{}' would be empty", name, wanted, plot.name),
             suggest(wanted, values));
    }
  }

  // Several points in one cell of a heat map are otherwise only detected when all points have run.
  void check_cells(const Plot& plot) {
    if (plot.kind != Plot::Kind::heat || plot.best) return;
    for (const Axis& axis : spec_.axes) {
      const auto chosen = [&](const AxisColumn& column) {
        const auto named = [&](const auto& condition) { return condition.first == column.name; };
        return column.name == plot.x || column.name == plot.y ||
               std::any_of(plot.where.begin(), plot.where.end(), named);
      };
      if (axis.size() < 2 || std::any_of(axis.columns.begin(), axis.columns.end(), chosen)) continue;
      report(plot.place,
             fmt::format("the axis '{}' varies, too, so that points of plot '{}' share cells", axis.name, plot.name),
             fmt::format("choose one of its values with where: {{{}: ...}}, or make '{}' an objective, of which a cell "
                         "shows the best",
                         axis.columns.front().name, plot.value));
    }
  }

  const AxisColumn* axis_column(const std::string& name) const {
    for (const Axis& axis : spec_.axes) {
      for (const AxisColumn& column : axis.columns) {
        if (column.name == name) return &column;
      }
    }
    return nullptr;
  }

  const SweepSpec& spec_;
  const Space& space_;
  const PointRunner& runner_;
  const std::vector<std::size_t> first_;
  std::vector<Diagnostic> problems_;
};

void Checker::run() {
  check_objectives();
  for (const Plot& plot : spec_.plots) {
    check_where(plot);
    check_cells(plot);
  }
  for (std::size_t axis = 0, end = check_workload() ? spec_.axes.size() : 0; axis < end; ++axis) check_parameters(axis);
  topology::throw_if_any(std::move(problems_));
  const std::string base = at_place([&] { return configuration(first_); }, nullptr);
  for (std::size_t axis = 0; axis < spec_.axes.size(); ++axis) check_changes(axis, base);
  topology::throw_if_any(std::move(problems_));
}

}  // namespace

void check_axes(const SweepSpec& spec, const Space& space, const PointRunner& runner) {
  Checker(spec, space, runner).run();
}

}  // namespace kb::sweep
