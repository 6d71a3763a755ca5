#include "kernels/catalog.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/attention/attention_mesh_kv.h"
#include "kernels/attention/attention_mesh_mlo.h"
#include "kernels/attention/flash_attention.h"
#include "kernels/attention/self_attention.h"
#include "kernels/collective/direct_collectives.h"
#include "kernels/collective/flat_allreduce.h"
#include "kernels/collective/hop_allreduce.h"
#include "kernels/collective/lrab_allreduce.h"
#include "kernels/collective/sip_collectives.h"
#include "kernels/copy/copy.h"
#include "kernels/copy/pe_to_pe.h"
#include "kernels/copy/tile_blocks.h"
#include "kernels/elementwise/normalize.h"
#include "kernels/elementwise/rotary_embedding.h"
#include "kernels/elementwise/vector_add.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/gemm_composite.h"
#include "kernels/linear/linear.h"
#include "kernels/linear/rms_norm_matmul.h"
#include "kernels/model/argmax_rows.h"
#include "kernels/model/embedding_rows.h"
#include "kernels/model/norm_linear.h"
#include "kernels/model/residual_norm.h"
#include "kernels/model_attention/paged_attention_decode.h"
#include "kernels/model_attention/paged_attention_prefill.h"
#include "kernels/model_attention/rope_append.h"
#include "kernels/parallel/columns.h"
#include "kernels/parallel/embedding.h"
#include "kernels/parallel/pointwise.h"
#include "kernels/probe/probe.h"
#include "kernels/routing/gather_rows.h"
#include "kernels/routing/topk_routing.h"
#include "platform/base/error.h"
#include "platform/base/groups.h"

namespace kb::kernels {

namespace {

using Kernels = std::vector<contract::Kernel>;

Kernels joined(Kernels first, Kernels second) {
  for (contract::Kernel& kernel : second) first.push_back(std::move(kernel));
  return first;
}

Kernels all_reduces() {
  return {hop_pairwise_allreduce_kernel(), hop_ring_allreduce_kernel(),    hop_scatter_allreduce_kernel(),
          hop_tree_allreduce_kernel(),     lrab_allreduce_kernel(),        mesh_allreduce_kernel(),
          ring_allreduce_kernel(),         three_level_allreduce_kernel(), tree_allreduce_kernel()};
}

}  // namespace

std::vector<KernelGroup> builtin_kernels() {
  return {
      {groups::kMatrices,
       {gemm_kernel(), gemm_composite_kernel(), gemm_single_kernel(), linear_kernel(), rms_norm_matmul_kernel()}},
      {groups::kAttention,
       {attention_mesh_kv_kernel(), attention_mesh_mlo_kernel(), flash_attention_kernel(),
        paged_attention_decode_kernel(), paged_attention_prefill_kernel(), rope_append_kernel(),
        self_attention_kernel()}},
      {groups::kTransformer,
       {argmax_rows_kernel(), embedding_kernel(), embedding_rows_kernel(), gather_rows_kernel(), mlp_kernel(),
        norm_linear_kernel(), residual_norm_kernel(), rotary_embedding_kernel(), topk_routing_kernel()}},
      {groups::kElements,
       {add_bias_kernel(), elementwise_kernel(), layernorm_kernel(), math_composite_kernel(), pointwise_kernel(),
        softmax_kernel(), vector_add_kernel()}},
      {groups::kTensorParallel,
       {collect_columns_kernel(), gather_columns_kernel(), slice_columns_kernel(), tile_blocks_kernel()}},
      {groups::kCollectives, joined(all_reduces(), joined(sip_collective_kernels(), direct_collective_kernels()))},
      {groups::kCopies, {copy_kernel(), pe_to_pe_kernel(), pull_kernel()}},
      {groups::kMicrobenchmarks, {noop_kernel(), rotate_kernel(), stream_kernel()}},
  };
}

bool is_kernel_name(const std::string& name) {
  bool word_begins = true;
  for (const char c : name) {
    const bool letter = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    const bool joint = c == '-' || c == '_';
    if (!letter && !digit && !joint) return false;
    if (word_begins && joint) return false;
    word_begins = joint;
  }
  return !word_begins && name[0] >= 'a';
}

KernelCatalog::KernelCatalog() {
  for (KernelGroup& group : builtin_kernels()) {
    for (contract::Kernel& kernel : group.kernels) add(std::move(kernel), group.name);
  }
}

void KernelCatalog::add(contract::Kernel kernel, const std::string& group) {
  if (!is_kernel_name(kernel.name)) {
    throw Error::program("SCHEMA_ERROR",
                         fmt::format("'{}' is not a kernel name; use lower-case letters and digits, starting "
                                     "with a letter, in words joined by '-' or '_'",
                                     kernel.name));
  }
  contract::check_parameters(kernel.name, kernel.parameters);
  if (!kernel.body) throw Error::program("SCHEMA_ERROR", fmt::format("kernel {}: has no body", kernel.name));
  const std::string name = kernel.name;
  if (!kernels_.emplace(name, std::move(kernel)).second) {
    throw Error::program("SCHEMA_ERROR", fmt::format("kernel {}: the name is taken; choose another one", name));
  }
  groups_.add(name, group);
}

const contract::Kernel* KernelCatalog::find(const std::string& name) const {
  const auto it = kernels_.find(name);
  return it == kernels_.end() ? nullptr : &it->second;
}

std::vector<std::string> KernelCatalog::names() const {
  std::vector<std::string> out;
  for (const auto& [name, kernel] : kernels_) out.push_back(name);
  return out;
}

}  // namespace kb::kernels
