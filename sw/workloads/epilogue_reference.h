// Reference results of composites with epilogues, element by element in double or in integers (P-13, P-14).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/data/running_error.h"
#include "platform/ops/epilogue.h"
#include "sw/tensor/host_array.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

struct EpilogueGemm {
  const HostArray* a = nullptr;
  const HostArray* b = nullptr;
  std::vector<EpilogueText> chain;
  const HostArray* bias = nullptr;   // (1, n), for a bias without a number
  const HostArray* scale = nullptr;  // (1, n) or (K tiles, n), for a dequant without a number
  std::int64_t tile_k = 0;
  std::vector<const HostArray*> operands{};  // (m or 1, n or 1), for PE_MATH operations, in the order of the chain
};

// op(x), then the chain; also a cast to `out`.
struct EpilogueMath {
  MathOp op = MathOp::relu;
  Dtype out = Dtype::f16;
  const HostArray* x = nullptr;  // (m, n)
  std::vector<EpilogueText> chain;
  std::vector<const HostArray*> operands;
};

// Row-major (m, n). Integer products stay integers until a dequant, wrapped to the accumulator's 32 or 64 bits.
struct EpilogueResult {
  bool floats = true;
  std::vector<std::int64_t> integers;  // integer result
  data::BoundedMatrix values;          // float result, before the rounding to its dtype
  std::vector<std::int64_t> others;    // integer result: alternative values due to earlier rounding; empty: none
  std::vector<std::string> roundings;
};
EpilogueResult reference_of(const EpilogueGemm& problem);
EpilogueResult reference_of(const EpilogueMath& problem);

// Verifies `actual`, the whole result of the problem.
data::VerificationRow epilogue_row(const std::string& tensor, const EpilogueGemm& problem, const HostArray& actual);
data::VerificationRow epilogue_row(const std::string& tensor, const EpilogueMath& problem, const HostArray& actual);
// Adds the verification row when the run computes data, otherwise only a note.
template <typename Problem>
void verify_epilogues(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const Problem& problem,
                      const HostArray& actual);

// The chain in the order of execution: by scope, in list order within a scope.
std::vector<EpilogueText> firing_order(std::vector<EpilogueText> chain);

}  // namespace kb::sw
