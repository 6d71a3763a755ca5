// Creates commands of the form that kernels issue, for tests of PE blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/contract/command.h"

namespace kb::test {

contract::Command dma(contract::CommandKind kind, std::vector<Extent> memory, std::vector<Extent> local);
contract::Command gemm(std::int64_t m, std::int64_t k, std::int64_t n);   // of f16
contract::Command math(MathOp op, std::vector<Shape> inputs, Shape out);  // of f16
// Physical addresses in the HBM slice and the TCM of the first PE.
std::uint64_t hbm(std::uint64_t offset);
std::uint64_t tcm(std::uint64_t offset);

}  // namespace kb::test
