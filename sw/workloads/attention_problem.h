// One attention panel: distribution of heads, query rows and keys over ranks, and the expected results.
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

// K-87. Single user: the ranks are the PEs of a cube. Multi user: the ranks are PE 0 of the cubes of a mesh row.
struct AttentionPanel {
  std::string name;
  std::string kernel;
  bool prefill = true;
  int rank_axis = 0;
  topology::WiringPreset wiring = topology::WiringPreset::intracube_ring;
};
const std::vector<AttentionPanel>& attention_panels();
const AttentionPanel& find_attention_panel(const std::string& name);

// KV heads are distributed over groups of ranks; a group computes `heads` heads in sequence. The rows of keys, and in
// prefill of queries, are distributed over the ranks of a group in pairs from both ends (K-89). All tensors are (groups
// x ranks x heads x rows, d) in this index order, split by rows over the ranks; all ranks have as many rows as the
// largest share. In decode panels all ranks of a group have the same rows of Q.
struct AttentionProblem {
  AttentionPanel panel;
  Dtype dtype = Dtype::f16;
  std::int64_t q_heads = 1, kv_heads = 1;
  std::int64_t d = 64;
  std::int64_t context = 64;  // keys per KV head, over all ranks of its group
  std::int64_t s_q = 1;       // query tokens; prefill: over all ranks, decode: in every rank
  bool causal = true;         // the query tokens are the last ones of the context
  std::int64_t ranks = 1;     // ranks per group
  std::int64_t groups = 1;
  std::int64_t heads = 1;     // KV heads per group
  std::int64_t q_per_kv = 1;  // query heads per KV head
  std::int64_t rows = 1;      // maximum rows of Q that a rank computes at a time
  std::int64_t keys = 1;      // maximum keys per block; in prefill, per block that a slot holds

  // Row numbers of a KV head, in the order at the rank.
  std::vector<std::int64_t> rows_of(std::int64_t rank) const;
  std::vector<std::int64_t> keys_of(std::int64_t rank) const;
  std::int64_t row_places() const;  // rows per KV head at each rank, including padding
  std::int64_t key_places() const;
  std::int64_t largest_message() const;  // largest unchunked message in bytes: a block of K, or a triple
  // Sets the block size for slots with this number of keys; if a slot holds several blocks, the keys of each block fill
  // the array.
  void take_blocks_of(std::int64_t keys_of_a_slot);

  Shape q_shape() const { return {groups * ranks * heads * row_places(), d}; }
  Shape k_shape() const { return {groups * ranks * heads * key_places(), d}; }
  DPPolicy placement() const;
};

// Computes sizes from the parameters of the workload, with the block size for slots of unlimited size. SHAPE_ERROR with
// the numbers when heads do not divide evenly, when causal queries exceed the context, and when this machine has no
// ring or row for the ranks.
AttentionProblem attention_problem(const Params& params, const contract::MachineInfo& machine);

struct AttentionContents {
  HostArray q, k, v;
};
// Integers: the products of Q and K are close to each other, so that the smallest weight is a quarter of the largest
// one and every key counts; in f16 and bf16 the sums of weighted rows of V are exact for a thousand keys. Padding rows
// are NaN, so that a kernel that reads them fails verification.
AttentionContents attention_contents(const AttentionProblem& problem, Contents contents, std::uint64_t seed);

// Verifies `actual`, the rows of `ranks`.
data::VerificationRow attention_row(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks,
                                    const AttentionContents& given, const HostArray& actual);
// The rows of these ranks, in the same order, without padding rows.
HostArray rows_of_ranks(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks, const HostArray& o);

}  // namespace kb::sw
