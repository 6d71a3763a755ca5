// Runs one point of a sweep in this process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/driver/workload_run.h"
#include "sim/study/sweep/answer.h"
#include "sim/study/sweep/point_sql.h"
#include "sim/study/sweep/selector.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Available kernels, workloads and blocks; must outlive its users.
struct Catalogs {
  const contract::IKernelCatalog* kernels = nullptr;
  const sw::AllReduceCatalog* all_reduces = nullptr;
  const sw::WorkloadRegistry* workloads = nullptr;
  const elab::BlockCatalog* blocks = nullptr;
  const topology::Implementations* implementations = nullptr;
  std::string machine_text;  // default machine when the file names none
  std::string machine_name;
  // Returns the file of a machine by name, a file of the user or a built-in machine. When empty, names are files.
  std::function<std::string(const std::string&)> machine_file;
};

// Machines are loaded and workloads checked as in `kernbench run`, but parameters never come from the environment, so
// that a sweep gives equal results on every computer. File names are relative to the working directory.
class PointRunner {
 public:
  PointRunner(const SweepSpec& spec, const Catalogs& catalogs);

  // Text with everything that determines the run. Configuration Error as in `kernbench run`.
  std::string configuration(const std::vector<Assignment>& given) const;
  // Checks only parameters, options and the workload, but not the machine.
  void check_parameters(const std::vector<Assignment>& given) const;
  // Configuration Error when there is no such workload.
  void check_workload(const std::string& name) const;
  topology::LoadedTopology load_machine(const std::vector<Assignment>& given) const;

  // The part of the assignments that determines the machine. Points with equal machines run fastest one after the
  // other.
  std::string machine_key(const std::vector<Assignment>& given) const;
  // Keeps the machine for later runs in forked processes. Problems are reported when a point runs.
  void keep_machine(const std::vector<Assignment>& given);

  // The file of a machine named in the sweep file. Configuration Error with the key "topology".
  std::string machine_file(const std::string& name) const;

  // Simulates the point; once per process. `kept` is the file for the complete result or the folder for the record of
  // the run, as chosen in the sweep file; "": not written.
  Answer run(const std::vector<Assignment>& given, const std::string& kept);

 private:
  struct Choices;
  Answer run_traffic(const std::vector<Assignment>& given, const topology::LoadedTopology& machine) const;
  Choices choices(const std::vector<Assignment>& given) const;
  topology::LoadedTopology load(const Choices& choices) const;
  sim::WorkloadRun prepare(const Choices& choices, topology::LoadedTopology machine) const;
  Answer answer_of(const sim::WorkloadOutcome& outcome, PointSql* sql) const;
  Answer cells_of(const Json& result, PointSql* sql) const;
  std::string document_of(const sim::RunRecord& record) const;
  bool uses(const char* member) const;
  bool uses_in_columns(const char* member) const;
  bool uses_recorded_blocks() const;
  bool uses_recorded_energy() const;

  const SweepSpec& spec_;
  const Catalogs& catalogs_;
  std::vector<std::optional<Selector>> selectors_;  // per column; no value for formulas and queries
  std::string sql_;                                 // all SQL of the file
  std::string kept_key_;
  std::optional<topology::LoadedTopology> kept_;
  std::map<std::string, sim::ConfigEntry> reference_;
};

}  // namespace kb::sweep
