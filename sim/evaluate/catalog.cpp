#include "sim/evaluate/catalog.h"

#include "platform/base/nearest.h"
#include "sim/evaluate/allreduce/allreduce_evaluation.h"
#include "sim/evaluate/gemm/gemm_evaluation.h"
#include "sim/evaluate/gqa/gqa_evaluation.h"
#include "sim/evaluate/pe2pe/pe2pe_evaluation.h"
#include "sim/evaluate/pe_dma/pe_dma_evaluation.h"
#include "sim/evaluate/validation/validation_evaluation.h"

namespace kb::evaluate {

const std::vector<EvaluationEntry>& evaluations() {
  static const std::vector<EvaluationEntry> all = {
      {"allreduce", "all-reduce over six SIPs: latency over sizes and topologies, memories of the rings, roots",
       allreduce_evaluation},
      {"gemm", "composite GEMMs on one PE: stages and utilisation over shapes and operand staging", gemm_evaluation},
      {"gqa",
       "grouped-query attention: operations of four panels, times at the scale of a model, growth with the queries",
       gqa_evaluation},
      {"pe-dma", "transfers of PEs to HBM partitions, alone and together: utilisation and parts of the latency",
       pe_dma_evaluation},
      {"validation", "figures of the model beside outside simulators, bounds and its own bars, each with a band",
       validation_evaluation},
      {"pe2pe", "one PE to another: messages over queues against raw DMA, by distance and size", pe2pe_evaluation},
  };
  return all;
}

const EvaluationEntry& find_evaluation(const std::string& name) {
  std::vector<std::string> names;
  for (const EvaluationEntry& entry : evaluations()) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  throw Error(ErrorFamily::configuration, "USAGE_ERROR", "unknown evaluation " + name + "; " + suggest(name, names));
}

}  // namespace kb::evaluate
