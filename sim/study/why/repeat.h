// The base run: what its folder says, made into runs again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/result/inputs.h"
#include "sim/result/result.h"
#include "sim/run/driver/workload_run.h"
#include "sim/study/sweep/point_runner.h"
#include "sim/study/why/measure.h"
#include "sim/study/why/point.h"

namespace kb::why {

class Repeat {
 public:
  // Configuration Error that names what differs: the version, a file, the machine.
  Repeat(result::Inputs inputs, std::string folder, const sweep::Catalogs& catalogs);

  const result::Inputs& inputs() const { return inputs_; }
  const std::string& folder() const { return folder_; }
  const topology::LoadedTopology& machine() const { return machine_; }
  const sw::Params& params() const { return params_; }
  std::size_t replacements() const { return replacements_; }  // entries of `replace:`

  // The options of `kernbench run` that make the base run, without those of outputs.
  std::string command() const;
  // The command line of a point.
  std::string command(const Point& point) const;
  // Kernels can be supposed to differ: they compute no data.
  bool supposes_code() const;
  // Everything that decides the answer of a point besides its options.
  std::string identity() const;

  // Configuration Error when the point is not a machine or has no such parameters.
  sim::WorkloadRun run_of(const Point& point) const;

 private:
  sw::Params params_of(const Assignments& changed) const;

  result::Inputs inputs_;
  std::string folder_;
  const sweep::Catalogs& catalogs_;
  topology::LoadedTopology machine_;
  std::shared_ptr<const topology::LoadedTopology> plan_;
  sw::Params params_;
  std::size_t replacements_ = 0;
};

// Refuses plug-ins that are gone or changed, before they are loaded, and another version.
void check_program(const result::Inputs& inputs, const std::string& folder);
// Refuses a run that failed.
void check_result(const result::Result& result, const std::string& folder);
// Refuses a base run whose launches have other times than those in the folder, to the femtosecond.
void check_repeated(const result::Result& result, const Measure& base, const std::string& folder);

}  // namespace kb::why
