// The tiles of a plan, written as the nested loops of P-21 and P-24.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/plan/pipeline_plan.h"

namespace kb::plan::test {

struct ListedStage {
  StageType type;
  TileOperand operand;   // of a DMA stage
  std::uint64_t amount;  // bytes; MATH: elements; GEMM: useful products
  std::uint32_t epilogue = 0;
  std::uint32_t input = 0;
};
bool operator==(const ListedStage& a, const ListedStage& b);

using ListedTiles = std::vector<std::vector<ListedStage>>;

ListedTiles listed_gemm(const GemmProblem& problem, const TileShape& shape);
ListedTiles listed_math(const MathProblem& problem, const TileShape& shape);
// The tiles that the plan lists.
ListedTiles walked(const PipelinePlan& plan);

}  // namespace kb::plan::test
