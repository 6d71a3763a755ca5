// One attention panel: how heads, query rows and keys are spread over ranks, and what must come out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/contract/i_host.h"
#include "platform/data/verification.h"
#include "platform/topology/ccl_config.h"
#include "sw/tensor/host_array.h"
#include "sw/tensor/placement.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/params.h"

namespace kb::sw {

// K-87. Single user: the PEs of a cube are the ranks. Multi user: PE 0 of the cubes of a mesh row.
struct AttentionPanel {
  std::string name;
  std::string kernel;
  bool prefill = true;
  int rank_axis = 0;
  topology::WiringPreset wiring = topology::WiringPreset::intracube_ring;
};
const std::vector<AttentionPanel>& attention_panels();
const AttentionPanel& find_attention_panel(const std::string& name);

// KV heads are spread over groups of ranks; a group computes `heads` of them, one after the other. All tensors are
// (groups x ranks x heads x rows, d) in this order of indices, split by rows over the ranks. In decode panels every
// rank of a group has the same rows of Q.
struct AttentionProblem {
  AttentionPanel panel;
  Dtype dtype = Dtype::f16;
  std::int64_t q_heads = 1, kv_heads = 1;
  std::int64_t d = 64;
  std::int64_t context = 64;  // keys per KV head, over all ranks of its group
  std::int64_t s_q = 1;       // query tokens: prefill: over all ranks, decode: in every rank
  std::int64_t ranks = 1;     // of a group
  std::int64_t groups = 1;
  std::int64_t heads = 1;  // KV heads of a group
  std::int64_t rows = 1;   // of Q of a rank, per KV head: tokens x query heads that share it
  std::int64_t keys = 1;   // of a rank, per KV head

  Shape q_shape() const { return {groups * ranks * heads * rows, d}; }
  Shape k_shape() const { return {groups * ranks * heads * keys, d}; }
  DPPolicy placement() const;
};

// Sizes from the parameters of the workload. SHAPE_ERROR, naming the numbers, for heads, rows, keys or ranks that
// cannot be split evenly or that this machine has no ring or row for.
AttentionProblem attention_problem(const Params& params, const contract::MachineInfo& machine);

struct AttentionContents {
  HostArray q, k, v;
};
// Whole numbers: the products of Q and K are so near to each other that the least weight is a quarter of the largest
// one, so that every key counts; in f16 and bf16 sums of weighted rows of V are exact for a thousand keys.
AttentionContents attention_contents(const AttentionProblem& problem, Contents contents, std::uint64_t seed);

// The verdict on `actual`, the rows of `ranks`. A slot of `slot_bytes` holds the keys that travel together.
data::VerificationRow attention_row(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks,
                                    std::int64_t slot_bytes, const AttentionContents& given, const HostArray& actual);
// The rows of these ranks, in the same order.
HostArray rows_of_ranks(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks, const HostArray& o);

}  // namespace kb::sw
