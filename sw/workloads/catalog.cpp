#include <utility>

#include "sw/workloads/attention.h"
#include "sw/workloads/collectives.h"
#include "sw/workloads/copy.h"
#include "sw/workloads/flash_attention.h"
#include "sw/workloads/gemm.h"
#include "sw/workloads/linear.h"
#include "sw/workloads/matmul_composite.h"
#include "sw/workloads/model_linear.h"
#include "sw/workloads/normalize.h"
#include "sw/workloads/paged_attention.h"
#include "sw/workloads/pe_to_pe.h"
#include "sw/workloads/probe.h"
#include "sw/workloads/rank_collectives.h"
#include "sw/workloads/redistribute.h"
#include "sw/workloads/rms_norm_matmul.h"
#include "sw/workloads/rotary_embedding.h"
#include "sw/workloads/tensor_parallel.h"
#include "sw/workloads/topk_routing.h"
#include "sw/workloads/va_offset.h"
#include "sw/workloads/vector_add.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

namespace {

std::vector<Workload> collectives() {
  std::vector<Workload> all{ccl_allreduce_workload()};
  for (Workload& workload : rank_collective_workloads()) all.push_back(std::move(workload));
  return all;
}

}  // namespace

std::vector<WorkloadGroup> builtin_workloads() {
  return {
      {groups::kMatrices,
       {gemm_multi_pe_workload(), gemm_single_pe_workload(), matmul_composite_workload(),
        matmul_composite_multi_pe_workload(), rms_norm_matmul_workload()}},
      {groups::kAttention, {attention_workload(), flash_attention_workload(), paged_attention_workload()}},
      {groups::kTransformer,
       {gpt3_qkv_workload(), mlp_workload(), model_linear_workload(), qkv_gemm_workload(), qkv_gemm_multi_pe_workload(),
        rotary_embedding_workload(), topk_routing_workload()}},
      {groups::kElements,
       {elementwise_workload(), layernorm_workload(), math_composite_workload(), softmax_workload(),
        vector_add_workload()}},
      {groups::kTensorParallel,
       {grid_linear_workload(), redistribute_workload(), tp_layer_workload(), tp_mlp_workload(),
        tp_transformer_block_workload()}},
      {groups::kCollectives, collectives()},
      {groups::kCopies, {copy_workload(), pe_to_pe_workload()}},
      {groups::kMicrobenchmarks, {map_tensors_workload(), noop_workload(), stream_workload(), va_offset_workload()}},
  };
}

}  // namespace kb::sw
