// All-reduce over six SIPs (E-33 .. E-46, E-76, E-89 .. E-91): latency over sizes and topologies, memories of the
// message rings, roots, beside an external measurement.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

// Usage Error for choices other than --reference.
std::unique_ptr<IEvaluation> allreduce_evaluation(const EvaluationOptions& options);

constexpr int kMostCubes = 1 << 20;  // of a SIP, in a data file

// The parts that are functions of the data file.
std::vector<Violation> check_allreduce(const Json& data);
std::vector<Figure> allreduce_figures(const Json& data);
std::vector<std::string> allreduce_figure_names();
std::string allreduce_csv(const Json& data);
// SIPs and cubes with the ways of the reduction (E-89).
Figure allreduce_topology_figure(const Json& data);

// Runs of one set of the data file, in its order: "sweep", "buffers", "stand_ins", "roots".
std::vector<Json> allreduce_runs(const Json& data, const std::string& set);

}  // namespace kb::evaluate
