// What `kernbench model show` says of a model on a machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/model/batch.h"
#include "platform/model/graph.h"
#include "platform/model/memory_plan.h"
#include "platform/model/model_spec.h"
#include "platform/model/parallel_plan.h"
#include "platform/model/roofline.h"
#include "platform/model/weights.h"

namespace kb::model {

// The dtype in which a model is stored: the chosen one, in which then also weights with scales are; otherwise the
// file's. Configuration Error when neither is there.
Dtype chosen_dtype(ModelSpec& spec, const std::optional<Dtype>& chosen);

struct ModelReport {
  ModelSpec spec;
  ParallelPlan plan;
  Batch batch;
  Dtype dtype = Dtype::bf16;
  std::string machine;  // name of its file
  int machine_sips = 1;
  SipRoofs roofs;
  ParameterCount parameters;
  std::vector<Graph> stages;
  std::vector<MemoryPlan> memory;  // of each stage
  std::vector<OpGroup> groups;     // of all stages; point into `stages`
  std::vector<StageTime> stage_times;
  StageTime time;  // a token passes all stages

  ModelReport() = default;
  ModelReport(const ModelReport&) = delete;  // because of the pointers
  ModelReport& operator=(const ModelReport&) = delete;
  ModelReport(ModelReport&&) = default;
  ModelReport& operator=(ModelReport&&) = default;

  std::uint64_t weight_bytes() const;  // of the whole model, once
  // Tokens of a decode step per second, or prompt tokens, of all copies of the model; at most, which is with such a
  // batch in every stage.
  double tokens_per_second() const;
};

// Checks the plan. Configuration Error also for a file without a dtype when `dtype` has no value.
struct ReportChoice {
  ParallelPlan plan;
  Batch batch;
  std::optional<Dtype> dtype;  // of weights, activations and cache; no value: as the file says
};
ModelReport make_report(ModelSpec spec, const ReportChoice& choice, const topology::MachineSpec& machine,
                        const std::string& machine_name);

// What does not fit where, by how much, and the smallest tp with which it does; no value when all fits.
std::optional<Error> fit_problem(const ModelReport& report);
// What deserves a warning: SIPs that the machine does not have, contexts that the model was not made for.
std::vector<Diagnostic> report_notes(const ModelReport& report);

// The first lines: model, parameters, cache, plan, machine.
std::string render_head(const ModelReport& report);
std::string render_report(const ModelReport& report);
std::string render_report_json(const ModelReport& report);

}  // namespace kb::model
