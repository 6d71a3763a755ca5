// DMA of PEs to HBM partitions, alone and together (E-49 .. E-59): utilisation and where the latency comes from.
#pragma once

#include <memory>
#include <vector>

#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

// Usage Error when `options` has shapes: there are none here.
std::unique_ptr<IEvaluation> pe_dma_evaluation(const EvaluationOptions& options);

// The parts that are functions of the data file.
std::vector<Violation> check_pe_dma(const Json& data);
std::vector<Figure> pe_dma_figures(const Json& data);
std::vector<std::string> pe_dma_figure_names();
std::string pe_dma_csv(const Json& data);

}  // namespace kb::evaluate
