#include <utility>

#include "sw/benches/attention.h"
#include "sw/benches/bench.h"
#include "sw/benches/collectives.h"
#include "sw/benches/copy.h"
#include "sw/benches/gemm.h"
#include "sw/benches/linear.h"
#include "sw/benches/matmul_composite.h"
#include "sw/benches/normalize.h"
#include "sw/benches/pe_to_pe.h"
#include "sw/benches/probe.h"
#include "sw/benches/rank_collectives.h"
#include "sw/benches/redistribute.h"
#include "sw/benches/tensor_parallel.h"
#include "sw/benches/va_offset.h"
#include "sw/benches/vector_add.h"

namespace kb::sw {

std::vector<Bench> builtin_benches() {
  std::vector<Bench> benches{
      attention_bench(),
      ccl_allreduce_bench(),
      copy_bench(),
      elementwise_bench(),
      gemm_multi_pe_bench(),
      gemm_single_pe_bench(),
      gpt3_qkv_bench(),
      grid_linear_bench(),
      layernorm_bench(),
      map_tensors_bench(),
      matmul_composite_bench(),
      matmul_composite_multi_pe_bench(),
      mlp_bench(),
      noop_bench(),
      pe_to_pe_bench(),
      qkv_gemm_bench(),
      qkv_gemm_multi_pe_bench(),
      redistribute_bench(),
      softmax_bench(),
      stream_bench(),
      tp_layer_bench(),
      tp_mlp_bench(),
      tp_transformer_block_bench(),
      va_offset_bench(),
      vector_add_bench(),
  };
  for (Bench& bench : rank_collective_benches()) benches.push_back(std::move(bench));
  return benches;
}

}  // namespace kb::sw
