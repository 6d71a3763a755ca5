#include "sim/study/evaluate/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "platform/base/nearest.h"
#include "platform/base/printable.h"
#include "platform/base/version.h"
#include "platform/observe/output_set.h"
#include "platform/topology/sha256.h"
#include "sim/study/evaluate/csv_table.h"
#include "sim/study/evaluate/figures.h"
#include "sim/study/evaluate/placed.h"
#include "sim/study/files/csv.h"
#include "sim/study/files/gnuplot.h"
#include "sim/study/sweep/fill_axes.h"
#include "sim/study/sweep/machine_sql.h"
#include "sim/study/sweep/sweep.h"
#include "sim/study/sweep/sweep_file.h"

namespace kb::evaluate {
namespace {

using data::SqlDatabase;
using data::TableRow;
namespace fs = std::filesystem;

constexpr const char* kMeta = "evaluation";  // table: key, value
constexpr const char* kDrawn = "figure";     // table: name
constexpr const char* kPointRule = "points";

// Whether an assignment of a sweep sets this key. An assignment to any name lists its own: "a.b=1 c.d=2".
bool assigns(const std::string& assigned, const std::string& value, const std::string& key) {
  if (assigned != sweep::kAnyName) return assigned == key;
  return (" " + value).find(" " + key + "=") != std::string::npos;
}

class Evaluator {
 public:
  Evaluator(const EvaluationSpec& spec, const sweep::Catalogs& catalogs, const EvaluatorOptions& options)
      : spec_(spec),
        catalogs_(catalogs),
        options_(options),
        machine_(load_machine()),
        machine_sql_(machine_),
        database_file_(options.out + "/" + spec.name + ".sqlite") {}

  EvaluationSummary run();

 private:
  topology::LoadedTopology load_machine() const {
    if (!options_.topology.empty()) {
      return topology::load(options_.topology, options_.sets, *catalogs_.implementations);
    }
    return topology::load_text(catalogs_.machine_text, catalogs_.machine_name, options_.sets,
                               *catalogs_.implementations);
  }

  std::string digest() const;
  std::string origin() const;
  bool is_wanted(const SweepEntry& entry) const;
  sweep::SweepSpec sweep_of(const SweepEntry& entry) const;
  void check_names() const;
  void run_sweep(const SweepEntry& entry);
  void take_tables_of_earlier_call();
  void add_facts();
  void fail(const std::string& rule, const std::string& text) {
    ++summary_.failures;
    options_.failed({printable(rule), printable(text)});
  }
  void write_results();
  void check();
  void remove_old_figures(const std::vector<files::Figure>& drawn) const;
  void draw(const std::vector<files::Figure>& figures);

  const EvaluationSpec& spec_;
  const sweep::Catalogs& catalogs_;
  const EvaluatorOptions& options_;
  topology::LoadedTopology machine_;
  sweep::MachineSql machine_sql_;
  std::string database_file_;
  SqlDatabase database_;
  EvaluationSummary summary_;
};

// Digest of the machine and of all overrides.
std::string Evaluator::digest() const {
  std::string text = machine_.sha256 + "\n";
  for (const auto& [key, value] : machine_.config) text += key + "=" + value.value + "\n";
  return topology::sha256_hex(text);
}

std::string Evaluator::origin() const {
  constexpr std::size_t kNamed = 4, kDigits = 12;
  std::string changes;
  for (std::size_t i = 0; i < std::min(kNamed, options_.sets.size()); ++i) {
    const auto& [key, value] = options_.sets[i];
    changes += fmt::format("{} {}={}", i == 0 ? " with" : ",", key.substr(key.rfind('.') + 1), value);
  }
  if (options_.sets.size() > kNamed) changes += fmt::format(" and {} more", options_.sets.size() - kNamed);
  return fmt::format("kernbench {}, topology {}{}, configuration {}", kVersion,
                     fs::path(machine_.file).filename().string(), changes, digest().substr(0, kDigits));
}

void Evaluator::check_names() const {
  std::vector<std::string> names;
  for (const SweepEntry& entry : spec_.sweeps) names.push_back(entry.table);
  for (const std::string& name : options_.sweeps) {
    if (std::count(names.begin(), names.end(), name) != 0) continue;
    throw Error(ErrorFamily::configuration, "USAGE_ERROR",
                "--sweeps: the evaluation " + spec_.name + " has no sweep '" + name + "'; " + suggest(name, names));
  }
}

bool Evaluator::is_wanted(const SweepEntry& entry) const {
  if (options_.sweeps.empty()) return !entry.on_request;
  return std::count(options_.sweeps.begin(), options_.sweeps.end(), entry.table) != 0;
}

// Uses the machine of the command line unless the file names one; --set follows the file's own keys. Fills in the
// values of axes.
sweep::SweepSpec Evaluator::sweep_of(const SweepEntry& entry) const {
  sweep::SweepSpec sweep = sweep::read_sweep(entry.file);
  const auto refuse = [&](const std::string& option, const std::string& why) {
    throw Error(ErrorFamily::configuration, "USAGE_ERROR",
                fmt::format("{}: {} {}; leave this option out", option, entry.file, why));
  };
  const bool varied = std::any_of(sweep.axes.begin(), sweep.axes.end(), [](const sweep::Axis& axis) {
    return std::any_of(axis.columns.begin(), axis.columns.end(), [](const sweep::AxisColumn& column) {
      return column.target == sweep::Target::run && column.key == "topology";
    });
  });
  if (!options_.topology.empty()) {
    if (varied || !sweep.topology.empty()) refuse("--topology", "has machines of its own");
    sweep.topology = options_.topology;
  }
  for (const auto& [key, value] : options_.sets) {
    for (const sweep::Assignment& one : sweep.fixed) {
      if (one.target == sweep::Target::machine && assigns(one.name, one.value, key)) {
        refuse("--set " + key, "sets this itself");
      }
    }
    sweep.fixed.push_back({sweep::Target::machine, key, value});
  }
  sweep::fill_axes(sweep, catalogs_);
  for (const auto& set : options_.sets) {
    const std::string& key = set.first;
    const auto varies = [&](const sweep::AxisColumn& column) {
      return column.target == sweep::Target::machine &&
             std::any_of(column.values.begin(), column.values.end(),
                         [&](const std::string& value) { return assigns(column.key, value, key); });
    };
    for (const sweep::Axis& axis : sweep.axes) {
      if (std::any_of(axis.columns.begin(), axis.columns.end(), varies)) refuse("--set " + key, "varies this itself");
    }
  }
  return sweep;
}

void Evaluator::run_sweep(const SweepEntry& entry) {
  const sweep::SweepSpec spec = sweep_of(entry);
  sweep::Table table{sweep::table_columns(spec), {}};
  if (is_wanted(entry) && sweep::empty_axis(spec) == nullptr) {
    const std::string folder = options_.out + "/sweeps/" + entry.table;
    sweep::Sweep sweep(spec, catalogs_, folder, 0);
    sweep.read_journal();
    std::vector<std::uint64_t> points = sweep.missing(1);
    for (const std::uint64_t point : sweep.failed_otherwise(spec_.may_fail)) points.push_back(point);
    std::sort(points.begin(), points.end());
    sweep.run(points, sweep.last_attempt() + 1, options_.jobs, options_.progress);
    sweep.write_table();
    table = sweep.table();
    summary_.points += sweep.space().size();
    summary_.run += points.size();
    const std::size_t cause = sweep::column_index(table, "cause");
    for (const std::uint64_t point : sweep.failed_otherwise(spec_.may_fail)) {
      fail(kPointRule,
           fmt::format("{}, point {}: {}", entry.table, point, table.rows[point][cause].get<std::string>()));
    }
  }
  std::vector<TableRow> rows;
  for (const auto& row : table.rows) {
    TableRow& cells = rows.emplace_back();
    for (const auto& cell : row) cells.push_back(sweep::cell_of(cell));
  }
  database_.add_table(entry.table, table.columns, rows);
}

void Evaluator::take_tables_of_earlier_call() {
  if (!fs::is_regular_file(database_file_)) {
    throw Error::configuration("there is no " + database_file_ + " to draw from; measure first, without --fast (and " +
                               "without MILESTONE_FAST=1)");
  }
  try {
    database_.attach(database_file_);
    for (const SweepEntry& entry : spec_.sweeps) {
      const std::string name = data::quoted_name(entry.table);
      database_.run("CREATE TABLE main." + name + " AS SELECT * FROM log." + name);
    }
    const data::SqlResult found = database_.query("SELECT value FROM log.evaluation WHERE key = 'digest'");
    if (found.rows.empty() || data::text_of(found.rows[0][0]) != digest()) {
      throw Error::configuration("it is of another machine than --topology and --set choose");
    }
  } catch (const Error& error) {
    throw Error::configuration(database_file_ + ": " + printable(error.what()) + "; measure again without --fast");
  }
}

void Evaluator::add_facts() {
  database_.add_table(kMeta, {"key", "value"},
                      {{"name", spec_.name},
                       {"kernbench", std::string(kVersion)},
                       {"topology", fs::path(machine_.file).filename().string()},
                       {"digest", digest()},
                       {"origin", origin()}});
  machine_sql_.add_to(database_, spec_.all_sql());
  for (const DataEntry& entry : spec_.data) {
    const CsvTable table = read_csv_table(entry.file);
    database_.add_table(entry.table, table.columns, table.rows);
  }
  for (const Query& script : spec_.tables) placed(script, [&] { database_.run(script.text); });
}

void Evaluator::write_results() {
  observe::OutputSet outputs;
  for (const std::string& name : spec_.results) {
    const data::SqlResult table = placed({"", {spec_.folder + "/evaluation.yaml", 0, 0, "results", "", ""}},
                                         [&] { return database_.query("SELECT * FROM " + data::quoted_name(name)); });
    std::string text = files::csv_line(table.columns);
    for (const TableRow& row : table.rows) {
      std::vector<std::string> cells;
      for (const data::TableCell& cell : row) cells.push_back(data::text_of(cell));
      text += files::csv_line(cells);
    }
    const std::string path = options_.out + "/" + name + ".csv";
    outputs.add(path, "a table of the evaluation").write(text);
    summary_.files.push_back(path);
  }
  database_.save(
      outputs.add(database_file_, "the tables of the evaluation", observe::OutputFile::Target::regular_file));
  outputs.commit();
  summary_.files.push_back(database_file_);
}

void Evaluator::check() {
  for (const Check& check : spec_.checks) {
    const data::SqlResult found = placed(check.violations, [&] { return database_.query(check.violations.text); });
    for (const TableRow& row : found.rows) fail(check.rule, data::text_of(row[0]));
  }
  if (spec_.notes.text.empty()) return;
  const data::SqlResult notes = placed(spec_.notes, [&] { return database_.query(spec_.notes.text); });
  for (const TableRow& row : notes.rows) summary_.notes.push_back(printable(data::text_of(row[0])));
}

// Removes figures that an earlier call drew and this one does not.
void Evaluator::remove_old_figures(const std::vector<files::Figure>& drawn) const {
  if (!fs::is_regular_file(database_file_)) return;
  SqlDatabase before;
  data::SqlResult names;
  try {
    before.attach(database_file_);
    names = before.query(std::string("SELECT name FROM ") + kDrawn);
  } catch (const Error&) {
    return;  // not a database of an evaluation
  }
  for (const TableRow& row : names.rows) {
    const std::string name = data::text_of(row[0]);
    const auto same = [&](const files::Figure& figure) { return figure.name == name; };
    if (name.find('/') != std::string::npos || std::any_of(drawn.begin(), drawn.end(), same)) continue;
    std::error_code ignored;
    for (const char* ending : {".png", ".svg", ".pdf", ".gp"}) fs::remove(options_.out + "/" + name + ending, ignored);
  }
}

EvaluationSummary Evaluator::run() {
  check_names();
  if (options_.fast) {
    take_tables_of_earlier_call();
  } else {
    for (const SweepEntry& entry : spec_.sweeps) run_sweep(entry);
  }
  add_facts();
  check();
  const std::vector<files::Figure> figures = figures_of(spec_, database_, origin());
  std::vector<TableRow> names;
  for (const files::Figure& figure : figures) names.push_back({figure.name});
  remove_old_figures(figures);
  database_.add_table(kDrawn, {"name"}, names);
  write_results();
  draw(figures);
  return std::move(summary_);
}

void Evaluator::draw(const std::vector<files::Figure>& figures) {
  try {
    for (const std::string& file : draw_figures(figures, options_.out, options_.jobs)) summary_.files.push_back(file);
  } catch (const Error& error) {
    if (summary_.failures == 0) throw;
    fail("figures", error.what());  // possibly there is no data because of an earlier failure
  }
}

}  // namespace

EvaluationSummary evaluate(const EvaluationSpec& spec, const sweep::Catalogs& catalogs,
                           const EvaluatorOptions& options) {
  return Evaluator(spec, catalogs, options).run();
}

}  // namespace kb::evaluate
