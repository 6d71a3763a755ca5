#include "sw/workloads/flash_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/contract/tensor_layout.h"
#include "sw/workloads/attention_reference.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/deployed.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

const std::vector<std::string> kAttentionTensors{"Q", "K", "V", "O"};

FlashAttention problem_of(const Params& params) {
  FlashAttention p;
  p.dtype = params.dtype("dtype");
  p.queries = params.integer("queries");
  p.context = params.integer("context");
  p.d = params.integer("head_dim");
  p.rows = params.integer("rows");
  p.keys = params.integer("keys");
  p.causal = params.text("mask") == "causal";
  p.first_token = p.causal ? p.context - p.queries : 0;
  if (p.first_token >= 0) return p;
  throw Error::program(
      "SHAPE_ERROR", fmt::format("{} causal queries are the last tokens of a context of at least as many keys; it has "
                                 "{}",
                                 p.queries, p.context));
}

std::vector<QueryPiece> query_pieces_of(const FlashAttention& p, const contract::TensorLayout& layout) {
  const auto row_bytes = static_cast<std::int64_t>(item_size(p.dtype)) * p.d;
  std::vector<QueryPiece> out;
  for (const contract::Shard& shard : layout.shards) {  // in row order
    const std::int64_t begin = static_cast<std::int64_t>(shard.offset_bytes) / row_bytes;
    const std::int64_t end = begin + static_cast<std::int64_t>(shard.nbytes) / row_bytes;
    for (std::int64_t first = begin; first < end; first += p.rows) {
      out.push_back({first, std::min(p.rows, end - first), shard.owner.pe.value});
    }
  }
  return out;
}

}  // namespace

HostArray FlashAttention::q(Contents contents, std::uint64_t seed) const {
  const Shape shape{queries, d};
  return contents == Contents::real ? HostArray::random(shape, dtype, seed) : whole_numbers(shape, dtype, seed, 1);
}

HostArray FlashAttention::k(Contents contents, std::uint64_t seed) const {
  const Shape shape{context, d};
  const auto terms = static_cast<std::int64_t>(std::log(2.0) * std::sqrt(static_cast<double>(d)));
  return contents == Contents::real ? HostArray::random(shape, dtype, seed)
                                    : sparse_rows(shape, dtype, seed, std::max<std::int64_t>(1, terms));
}

HostArray FlashAttention::v(Contents contents, std::uint64_t seed) const {
  const Shape shape{context, d};
  return contents == Contents::real ? HostArray::random(shape, dtype, seed) : whole_numbers(shape, dtype, seed, 4);
}

std::int64_t keys_seen(const FlashAttention& p, const QueryPiece& piece) {
  return p.causal ? p.first_token + piece.first + piece.count : p.context;
}

std::vector<std::int64_t> block_order(const FlashAttention& p, const QueryPiece& piece) {
  const std::int64_t seen = keys_seen(p, piece);
  const std::int64_t whole = (p.causal ? std::min(seen, p.first_token + piece.first + 1) : seen) / p.keys;
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < whole; ++i) keys.push_back((piece.pe * whole / p.pes + i) % whole * p.keys);
  for (std::int64_t key = whole * p.keys; key < seen; key += p.keys) keys.push_back(key);
  return keys;
}

data::VerificationRow flash_attention_row(const FlashAttention& p, const std::vector<QueryPiece>& pieces,
                                          const HostArray& q, const HostArray& k, const HostArray& v,
                                          const HostArray& actual) {
  const data::BoundedMatrix queries = exact_values(q), keys = exact_values(k), values = exact_values(v);
  data::BoundedMatrix expected{0, static_cast<std::size_t>(p.d), {}, {}};
  for (const QueryPiece& piece : pieces) {
    const std::int64_t token = p.first_token + piece.first, seen = keys_seen(p, piece);
    AttentionRows rows(p.dtype, static_cast<std::size_t>(piece.count), static_cast<std::size_t>(p.d));
    const data::BoundedMatrix own =
        rows_of(queries, static_cast<std::size_t>(piece.first), static_cast<std::size_t>(piece.count));
    for (const std::int64_t key : block_order(p, piece)) {
      const auto block = [&](const data::BoundedMatrix& matrix) {
        return rows_of(matrix, static_cast<std::size_t>(key), static_cast<std::size_t>(std::min(p.keys, seen - key)));
      };
      AttentionRows::Visible visible;
      if (p.causal) {
        visible = [&](std::size_t row, std::size_t column) {
          return key + static_cast<std::int64_t>(column) <= token + static_cast<std::int64_t>(row);
        };
      }
      rows.attend(own, block(keys), block(values), visible);
    }
    const data::BoundedMatrix result = rows.result();
    expected.rows += result.rows;
    expected.values.insert(expected.values.end(), result.values.begin(), result.values.end());
    expected.errors.insert(expected.errors.end(), result.errors.begin(), result.errors.end());
  }
  return bounded_row("O", actual, std::move(expected), {attention_rounding()});
}

namespace {

WorkloadResult run_flash_attention(Runtime& rt, const Params& params) {
  FlashAttention p = problem_of(params);
  const bool one = params.text("pes") == "one";
  p.pes = one ? 1 : rt.spec().pes_per_cube;
  DPPolicy rows, copies;
  rows.cube = rows.pe = Split::row_wise;
  copies.pe = Split::row_wise;  // with a copy in each cube
  if (one) rows = copies = one_pe_placement();
  const std::vector<MemoryKind> memory = memories_of(params, kAttentionTensors);
  const Contents contents = contents_of(params);
  const Shape q_shape{p.queries, p.d}, k_shape{p.context, p.d};
  const Deployed q = deploy(rt, q_shape, p.dtype, rows.in(memory[0]), "Q", [&] { return p.q(contents, rt.seed()); });
  const Deployed k =
      deploy(rt, k_shape, p.dtype, copies.in(memory[1]), "K", [&] { return p.k(contents, rt.seed() + 1); });
  const Deployed v =
      deploy(rt, k_shape, p.dtype, copies.in(memory[2]), "V", [&] { return p.v(contents, rt.seed() + 2); });
  const Tensor o = rt.empty(q_shape, p.dtype, rows.in(memory[3]), "O");
  const LaunchMetrics metrics = rt.wait(rt.launch("flash_attention",
                                                  {{"q", q.tensor},
                                                   {"k", k.tensor},
                                                   {"v", v.tensor},
                                                   {"o", o},
                                                   {"rows", p.rows},
                                                   {"keys", p.keys},
                                                   {"buffers", params.text("variant") == "blocking" ? 1 : 2},
                                                   {"causal", p.causal ? 1 : 0},
                                                   {"first_token", p.first_token}},
                                                  one ? on_one_pe() : LaunchOptions{}));
  const HostArray o_values = o.to_host();

  WorkloadResult result;
  add_launch_figures(result, metrics);
  const double d = static_cast<double>(p.d), keys = static_cast<double>(p.context);
  const double seen = p.causal ? keys - (static_cast<double>(p.queries) - 1) / 2 : keys;  // keys per query, on average
  add_rate(result, "achieved", 4 * static_cast<double>(p.queries) * seen * d, metrics.exec_max, "GFLOP/s",
           "operations of both products over the critical path");
  add_engine_shares(result, metrics);
  add_pe_count(result, metrics.pes);
  if (can_verify(rt, result)) {
    result.verification.push_back(
        flash_attention_row(p, query_pieces_of(p, o.layout()), q.values, k.values, v.values, o_values));
  }
  return result;
}

}  // namespace

Workload flash_attention_workload() {
  return {"flash-attention",
          "softmax(Q K^T) V over a long context, K and V loaded while the blocks before are computed with",
          {Parameter::integer("queries", 16, "rows of Q, split over the PEs", 1, "tokens"),
           Parameter::integer("context", 8192, "rows of K and V", 1, "tokens"),
           Parameter::integer("head_dim", 128, "columns of Q, K and V", 1, "elements"),
           Parameter::choice("variant", "double_buffered", {"double_buffered", "blocking"},
                             "loads that run ahead of the computation, or one after the other")
               .tuning(),
           Parameter::choice("mask", "none", {"none", "causal"}, "causal: the queries are the last tokens"),
           Parameter::choice("pes", "one", {"one", "all"},
                             "PE 0 of cube 0, or all of one SIP with a copy of K and V in each cube"),
           Parameter::integer("rows", 16, "of Q that a PE works on at a time", 1, "tokens").tuning(),
           Parameter::integer("keys", 256, "of a block of K and V", 1, "tokens").tuning(),
           Parameter::choice("dtype", "f16", {"f16", "bf16", "f32"}, "element type of all tensors"),
           memory_parameter(kAttentionTensors), data_parameter()},
          run_flash_attention};
}

}  // namespace kb::sw
