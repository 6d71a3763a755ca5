// One attention panel: how heads, query rows and keys are spread over ranks, and what must come out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/contract/machine_info.h"
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

// KV heads are spread over groups of ranks; a group computes `heads` of them, one after the other. Rows of keys, and in
// prefill of queries, are dealt out to the ranks of a group from both ends (K-89). All tensors are (groups x ranks x
// heads x rows, d) in this order of indices, split by rows over the ranks, with as many rows for each rank as the one
// with most has. In decode panels every rank of a group has the same rows of Q.
struct AttentionProblem {
  AttentionPanel panel;
  Dtype dtype = Dtype::f16;
  std::int64_t q_heads = 1, kv_heads = 1;
  std::int64_t d = 64;
  std::int64_t context = 64;  // keys per KV head, over all ranks of its group
  std::int64_t s_q = 1;       // query tokens: prefill: over all ranks, decode: in every rank
  bool causal = true;         // the query tokens are the last ones of the context
  std::int64_t ranks = 1;     // of a group
  std::int64_t groups = 1;
  std::int64_t heads = 1;     // KV heads of a group
  std::int64_t q_per_kv = 1;  // query heads that share a KV head
  std::int64_t rows = 1;      // of Q that a rank works on at a time, at most
  std::int64_t keys = 1;      // of a block, at most; in prefill of one that a slot holds

  // Numbers of the rows of a KV head, in their order at the rank.
  std::vector<std::int64_t> rows_of(std::int64_t rank) const;
  std::vector<std::int64_t> keys_of(std::int64_t rank) const;
  std::int64_t row_places() const;  // of a KV head at each rank
  std::int64_t key_places() const;
  std::int64_t largest_message() const;  // bytes that ranks would send at once: a block of K, or a triple
  // Blocks that a slot for so many keys holds; of several ones each part is a number of keys that fills the array.
  void take_blocks_of(std::int64_t keys_of_a_slot);

  Shape q_shape() const { return {groups * ranks * heads * row_places(), d}; }
  Shape k_shape() const { return {groups * ranks * heads * key_places(), d}; }
  DPPolicy placement() const;
};

// Sizes from the parameters of the workload; the keys of a block as for slots of any size. SHAPE_ERROR, naming the
// numbers, for heads that cannot be split evenly, causal queries beyond the context and ranks that this machine has no
// ring or row for.
AttentionProblem attention_problem(const Params& params, const contract::MachineInfo& machine);

struct AttentionContents {
  HostArray q, k, v;
};
// Whole numbers: the products of Q and K are so near to each other that the least weight is a quarter of the largest
// one, so that every key counts; in f16 and bf16 sums of weighted rows of V are exact for a thousand keys. Places that
// no row has are NaN, so that a kernel that looks at them is wrong.
AttentionContents attention_contents(const AttentionProblem& problem, Contents contents, std::uint64_t seed);

// The verdict on `actual`, the rows of `ranks`.
data::VerificationRow attention_row(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks,
                                    const AttentionContents& given, const HostArray& actual);
// The rows of these ranks, in the same order, without places that no row has.
HostArray rows_of_ranks(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks, const HostArray& o);

}  // namespace kb::sw
