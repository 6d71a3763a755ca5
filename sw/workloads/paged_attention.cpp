#include "sw/workloads/paged_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/checked.h"
#include "platform/base/split.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/deployed.h"
#include "sw/workloads/linear_reference.h"
#include "sw/workloads/paged_attention_reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

constexpr std::int64_t kMaxBlocks = 1 << 22;  // more than fit the memory of a SIP

// Sequences that a launch computes: those with one new token, or the others.
std::vector<contract::PagedSequence> with_one_token(const PagedProblem& p, bool one) {
  std::vector<contract::PagedSequence> out;
  for (const contract::PagedSequence& sequence : p.sequences) {
    if ((sequence.tokens == 1) == one) out.push_back(sequence);
  }
  return out;
}

PagedProblem problem_of(const Runtime& rt, const Params& params) {
  PagedProblem p;
  p.heads = params.integer("heads");
  p.kv_heads = params.integer("kv_heads");
  p.d = params.integer("head_dim");
  p.window = params.integer("window");
  p.norm = params.text("norm") == "rms";
  p.interleaved = params.text("rotation") == "interleaved";
  p.dtype = params.dtype("dtype");
  p.cache.page = params.integer("page");
  p.cache.machine = {rt.spec().cubes_per_sip, rt.spec().pes_per_cube};
  p.scratch_bytes = static_cast<std::int64_t>(rt.spec().scratch_bytes);
  if (p.d % 2 != 0) throw Error::program("SHAPE_ERROR", fmt::format("head_dim {} has no halves; it must be even", p.d));
  if (p.heads % p.kv_heads != 0) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("{} query heads are not a multiple of {} K/V heads", p.heads, p.kv_heads));
  }
  std::vector<std::int64_t> contexts;
  std::int64_t blocks = 0, row = 0;
  for (const SequenceGroup& group : parse_sequences(params.text("sequences"))) {
    const std::int64_t context = checked_sum("tokens of a sequence", {group.tokens, group.past});
    const std::int64_t pages = (context + p.cache.page - 1) / p.cache.page;
    blocks = checked_sum("blocks", {blocks, checked_product("blocks", {group.count, pages})});
    const std::int64_t rows =
        checked_sum("new tokens", {row, checked_product("new tokens", {group.count, group.tokens})});
    if (blocks > kMaxBlocks || rows > kMaxBlocks) {
      throw Error::program("VALUE_ERROR", fmt::format("sequences '{}' have more than {} blocks or new tokens",
                                                      params.text("sequences"), kMaxBlocks));
    }
    for (; row < rows; row += group.tokens) {
      contexts.push_back(context);
      p.sequences.push_back({row, group.tokens, context, {}});
    }
  }
  const std::int64_t pes = p.cache.machine.cubes * p.cache.machine.pes;
  p.cache.blocks = (blocks + pes - 1) / pes * pes;
  const auto tables = contract::canonical_tables(contexts, p.cache);
  for (std::size_t i = 0; i < tables.size(); ++i) p.sequences[i].blocks = tables[i];
  return p;
}

HostArray host_array(const contract::IntegerMatrix& matrix) {
  return HostArray::from_doubles({matrix.rows, matrix.cols}, Dtype::i32,
                                 std::vector<double>(matrix.values.begin(), matrix.values.end()));
}

// A tensor of integers, whose contents the kernels know in every data mode.
Tensor integers(Runtime& rt, const contract::IntegerMatrix& matrix, const DPPolicy& policy, const std::string& name) {
  const HostArray values = host_array(matrix);
  Tensor tensor = rt.empty(values.shape(), Dtype::i32, policy, name);
  tensor.copy_(values);
  return tensor;
}

struct Policies {
  DPPolicy tile, rows, copies, heads;
  Policies() {
    tile.cube = Split::column_wise;
    tile.pe = rows.cube = rows.pe = heads.pe = Split::row_wise;
  }
};

struct PagedTensors {
  Deployed qkv, inv_freq, q_norm, k_norm;
  std::optional<Tensor> q, q_chunks;  // of sequences with one new token, and of those with several
  Tensor k_cache, v_cache, out;
};

PagedTensors tensors_of(Runtime& rt, const PagedProblem& p, const Policies& policies, Contents contents, double base) {
  const std::int64_t m = p.rows();
  const Shape cache{p.cache.blocks, p.cache.page, p.kv_heads, p.d}, norm{1, p.d}, qkv{m, p.width()};
  PagedTensors t;
  t.qkv = deploy(rt, qkv, p.dtype, policies.tile, "QKV",
                 [&] { return softmax_contents(contents, qkv, p.dtype, rt.seed()); });
  t.inv_freq = deploy(rt, {1, p.d / 2}, Dtype::f32, policies.copies, "inv_freq", [&] {
    std::vector<double> values;
    for (std::int64_t i = 0; i < p.d / 2; ++i) {
      values.push_back(std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(p.d)));
    }
    return HostArray::from_doubles({1, p.d / 2}, Dtype::f32, values);
  });
  if (p.norm) {
    t.q_norm = deploy(rt, norm, p.dtype, policies.copies, "q_norm",
                      [&] { return positive_contents(Contents::real, norm, p.dtype, rt.seed() + 1); });
    t.k_norm = deploy(rt, norm, p.dtype, policies.copies, "k_norm",
                      [&] { return positive_contents(Contents::real, norm, p.dtype, rt.seed() + 2); });
  }
  t.k_cache = deploy(rt, cache, p.dtype, policies.rows, "K", [&] {
                return softmax_contents(contents, cache, p.dtype, rt.seed() + 3);
              }).tensor;
  t.v_cache = deploy(rt, cache, p.dtype, policies.rows, "V", [&] {
                return plain_contents(contents, cache, p.dtype, rt.seed() + 4);
              }).tensor;
  if (!with_one_token(p, true).empty()) t.q = rt.empty({p.heads, m, p.d}, p.dtype, policies.heads, "Q");
  if (!with_one_token(p, false).empty()) {
    const std::int64_t pes = p.cache.machine.cubes * p.cache.machine.pes;
    const std::int64_t rows =
        contract::chunk_query_rows(contract::chunk_sequences(with_one_token(p, false)), p.heads, p.kv_heads, pes);
    t.q_chunks = rt.empty({pes, rows, p.d}, p.dtype, policies.rows, "Q_chunks");
  }
  t.out = rt.empty({m, p.heads * p.d}, p.dtype, policies.tile, "O");
  return t;
}

LaunchMetrics append(Runtime& rt, const PagedProblem& p, const PagedTensors& t, const Policies& policies) {
  const std::int64_t m = p.rows();
  Args args{{"qkv", t.qkv.tensor},
            {"k_cache", t.k_cache},
            {"v_cache", t.v_cache},
            {"positions", integers(rt, contract::token_positions(p.sequences, m), policies.copies, "positions")},
            {"slots", integers(rt, contract::token_slots(p.sequences, p.cache, m), policies.copies, "slots")},
            {"inv_freq", t.inv_freq.tensor},
            {"eps", p.eps},
            {"interleaved", p.interleaved ? 1 : 0}};
  if (p.norm) {
    args.emplace_back("q_norm", t.q_norm.tensor);
    args.emplace_back("k_norm", t.k_norm.tensor);
  }
  if (t.q) args.emplace_back("q", *t.q);
  if (t.q_chunks) {
    args.emplace_back("q_chunks", *t.q_chunks);
    args.emplace_back("sequences",
                      integers(rt, contract::chunk_rows(with_one_token(p, false)), policies.copies, "sequences"));
  }
  return rt.wait(rt.launch("rope_append", args));
}

LaunchMetrics decode(Runtime& rt, const PagedProblem& p, const PagedTensors& t, const Policies& policies) {
  const std::vector<contract::PagedSequence> sequences = with_one_token(p, true);
  const Tensor work =
      integers(rt, contract::decode_work(sequences, p.cache, p.kv_heads, p.window), policies.rows, "work");
  const std::int64_t length = contract::decode_scratch_length(static_cast<std::int64_t>(sequences.size()), p.heads,
                                                              p.kv_heads, p.d, p.cache.machine);
  const Tensor scratch = rt.empty({work.shape()[0], length}, Dtype::f32, policies.rows, "scratch");
  return rt.wait(rt.launch("paged_attention_decode", {{"q", *t.q},
                                                      {"k_cache", t.k_cache},
                                                      {"v_cache", t.v_cache},
                                                      {"work", work},
                                                      {"scratch", scratch},
                                                      {"out", t.out}}));
}

LaunchMetrics prefill(Runtime& rt, const PagedProblem& p, const PagedTensors& t, const Policies& policies) {
  const std::vector<contract::PagedSequence> sequences = with_one_token(p, false);
  const Shape stage{contract::staged_pages(sequences, p.cache.page, p.window), p.cache.page, p.kv_heads, p.d};
  const Tensor k_stage = rt.empty(stage, p.dtype, policies.heads, "K_stage");
  const Tensor v_stage = rt.empty(stage, p.dtype, policies.heads, "V_stage");
  return rt.wait(rt.launch("paged_attention_prefill",
                           {{"q", *t.q_chunks},
                            {"k_cache", t.k_cache},
                            {"v_cache", t.v_cache},
                            {"sequences", integers(rt, contract::chunk_rows(sequences), policies.copies, "sequences")},
                            {"table", integers(rt, contract::chunk_tables(sequences), policies.copies, "table")},
                            {"out", t.out},
                            {"k_stage", k_stage},
                            {"v_stage", v_stage},
                            {"window", p.window}}));
}

// The new keys or values (rows, kv_heads d) that a cache has.
HostArray new_rows(const PagedProblem& p, const HostArray& cache) {
  const std::int64_t width = p.kv_heads * p.d;
  const std::vector<std::int64_t> slots = contract::token_slots(p.sequences, p.cache, p.rows()).values;
  return HostArray::from_doubles({p.rows(), width}, p.dtype, row_values(cache, width, slots));
}

// The rows of the result that items name.
HostArray result_rows(const PagedProblem& p, const std::vector<AttentionItem>& items, const HostArray& out) {
  const std::int64_t group = p.heads / p.kv_heads * p.d;
  const std::vector<double> all = out.to_doubles();
  std::vector<double> rows;
  for (const AttentionItem& item : items) {
    const std::int64_t row = p.sequences[item.sequence].first_row + item.token;
    const auto at = all.begin() + row * p.heads * p.d + item.kv_head * group;
    rows.insert(rows.end(), at, at + group);
  }
  return HostArray::from_doubles({static_cast<std::int64_t>(rows.size()) / p.d, p.d}, p.dtype, rows);
}

// (heads, rows, d), wherever the queries lie.
HostArray all_queries(const PagedProblem& p, const PagedTensors& t) {
  const std::int64_t m = p.rows();
  std::vector<double> by_head(static_cast<std::size_t>(p.heads * m * p.d));
  if (t.q) by_head = t.q->to_host().to_doubles();
  if (!t.q_chunks) return HostArray::from_doubles({p.heads, m, p.d}, p.dtype, by_head);
  const std::vector<double> by_pe = t.q_chunks->to_host().to_doubles();
  const std::vector<contract::ChunkSequence> chunks = contract::chunk_sequences(with_one_token(p, false));
  const std::int64_t pes = t.q_chunks->shape()[0], group = p.heads / p.kv_heads;
  auto own = by_pe.begin();
  for (const std::vector<contract::ChunkPiece>& pieces : contract::pieces_by_pe(chunks, p.heads, p.kv_heads, pes)) {
    auto from = std::exchange(own, own + t.q_chunks->shape()[1] * p.d);
    for (const contract::ChunkPiece& piece : pieces) {
      const std::int64_t row = chunks[static_cast<std::size_t>(piece.sequence)].first_row + piece.first;
      for (std::int64_t i = 0; i < piece.tokens * group; ++i, from += p.d) {
        const std::int64_t head = piece.kv_head * group + i % group;
        std::copy(from, from + p.d, by_head.begin() + (head * m + row + i / group) * p.d);
      }
    }
  }
  return HostArray::from_doubles({p.heads, m, p.d}, p.dtype, by_head);
}

void verify(Runtime& rt, WorkloadResult& result, const PagedProblem& p, const PagedTensors& t) {
  const HostArray q = all_queries(p, t), k = t.k_cache.to_host(), v = t.v_cache.to_host(), out = t.out.to_host();
  if (!can_verify(rt, result)) return;
  const RopeOperands operands{t.qkv.values, t.inv_freq.values, t.q_norm.values, t.k_norm.values};
  const std::vector<std::string> roundings{"angles, sines, norms and both products in f32, once to the dtype"};
  result.verification.push_back(bounded_row("Q", q, rotated_queries(p, operands), roundings));
  result.verification.push_back(bounded_row("K", new_rows(p, k), rotated_keys(p, operands), roundings));
  std::vector<std::int64_t> columns;
  for (std::int64_t i = (p.heads + p.kv_heads) * p.d; i < p.width(); ++i) columns.push_back(i);
  result.verification.push_back(exact_row("V", new_rows(p, v), take_columns(t.qkv.values, columns)));
  const std::vector<AttentionItem> items = attention_items(p, kMaxProducts / 8);
  result.verification.push_back(
      bounded_row("O", result_rows(p, items, out), attended(p, items, q, k, v),
                  {"scores, exponentials, sums and merges in f32, weights in the dtype (Higham 3.1, 3.3)"}));
  const std::int64_t all = p.rows() * p.kv_heads;
  if (static_cast<std::int64_t>(items.size()) < all) {
    result.notes.push_back(fmt::format("O: {} of {} tokens were verified", items.size(), all));
  }
}

// Bytes of the keys and values that sequences see, each once.
double cache_bytes(const PagedProblem& p, const std::vector<contract::PagedSequence>& sequences) {
  double keys = 0;
  for (const contract::PagedSequence& its : sequences) {
    const std::int64_t seen = p.window > 0 ? std::min(its.context, p.window + its.tokens - 1) : its.context;
    keys += static_cast<double>(seen);
  }
  return 2 * keys * static_cast<double>(p.kv_heads * p.d) * static_cast<double>(item_size(p.dtype));
}

WorkloadResult run_paged_attention(Runtime& rt, const Params& params) {
  const PagedProblem p = problem_of(rt, params);
  const Policies policies;
  const PagedTensors t = tensors_of(rt, p, policies, contents_of(params), params.real("base"));
  WorkloadResult result;
  const LaunchMetrics appended = append(rt, p, t, policies);
  add_launch_figures(result, appended, "rope_append");
  for (const bool one : {true, false}) {
    const std::vector<contract::PagedSequence> sequences = with_one_token(p, one);
    if (sequences.empty()) continue;
    const LaunchMetrics metrics = one ? decode(rt, p, t, policies) : prefill(rt, p, t, policies);
    const std::string name = one ? "decode" : "prefill";
    add_launch_figures(result, metrics, name);
    add_rate(result, name + " bandwidth", cache_bytes(p, sequences), metrics.exec_max, "GB/s",
             "bytes of keys and values over the critical path");
  }
  add_pe_count(result, appended.pes);
  verify(rt, result, p, t);
  return result;
}

}  // namespace

std::vector<SequenceGroup> parse_sequences(const std::string& text) {
  std::vector<SequenceGroup> out;
  for (const std::string& part : split(text, ',')) {
    SequenceGroup group;
    std::int64_t numbers[3] = {0, 0, 0};
    std::size_t count = 0, at = 0;
    bool good = true, has_past = false;
    for (const char c : part + "\n") {
      if (c >= '0' && c <= '9') {
        numbers[count] = numbers[count] * 10 + (c - '0');
        good = good && numbers[count] <= Parameter::kMax;
        ++at;
        if (!good) break;
        continue;
      }
      good = good && at > 0 && c == (count == 0 ? 'x' : count == 1 && c == '+' ? '+' : '\n');
      if (!good || c == '\n') break;
      has_past = c == '+';
      at = 0;
      ++count;
    }
    group = {numbers[0], has_past ? numbers[1] : 1, has_past ? numbers[2] : numbers[1] - 1};
    if (!good || group.count < 1 || group.tokens < 1 || group.past < 0) {
      throw Error::program("VALUE_ERROR",
                           fmt::format("sequences '{}': '{}' is not COUNTxCONTEXT or COUNTxTOKENS+PAST, as in "
                                       "32x4096,1x64+512",
                                       text, part));
    }
    out.push_back(group);
  }
  return out;
}

Workload paged_attention_workload() {
  return {"paged-attention",
          "attention of a model's step over a paged cache: append, decode, prefill",
          {Parameter::text("sequences", "8x1024",
                           "COUNTxCONTEXT: sequences with one new token; COUNTxTOKENS+PAST: with several"),
           Parameter::integer("heads", 8, "query heads").at_most(1 << 16),
           Parameter::integer("kv_heads", 1, "K/V heads").at_most(1 << 16),
           Parameter::integer("head_dim", 128, "elements of a head, an even number", 2, "elements").at_most(1 << 16),
           Parameter::integer("page", 16, "tokens of a block of the cache", 1, "tokens").at_most(1 << 16),
           Parameter::integer("window", 0, "keys that a token sees, with its own; 0: all", 0, "tokens"),
           Parameter::choice("norm", "none", {"none", "rms"}, "RMSNorm of the heads of queries and keys"),
           Parameter::choice("rotation", "halves", {"halves", "interleaved"}, "which elements are rotated together"),
           Parameter::real("base", 10000, "angle i of position p is p base^(-2 i / head_dim)"),
           Parameter::choice("dtype", "bf16", {"bf16", "f16", "f32"}, "element type of all tensors"), data_parameter()},
          run_paged_attention};
}

}  // namespace kb::sw
