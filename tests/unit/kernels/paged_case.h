// A step of attention over a paged cache, on PEs without time and in plain double.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "platform/contract/kernel_arguments.h"
#include "platform/contract/paged_attention.h"
#include "tests/unit/kernels/barrier_machine.h"
#include "tests/unit/kernels/numbers.h"

namespace kb::tests {

using Integer = std::int64_t;

struct PagedCase {
  Integer cubes = 1, pes = 1, heads = 2, kv_heads = 1, d = 8, page = 4, blocks = 40, window = 0;
  Dtype dtype = Dtype::f32;
  bool norm = false, interleaved = false;
  bool staged = false;  // chunks read pages from a copy in their cube
  double scale = 0.5, attention_factor = 1, eps = 0.01;
  std::vector<contract::PagedSequence> sequences;

  Integer rows() const {
    Integer rows = 0;
    for (const contract::PagedSequence& its : sequences) rows += its.tokens;
    return rows;
  }
  Integer width() const { return (heads + 2 * kv_heads) * d; }
  contract::PagedCache cache() const { return {blocks, page, {cubes, pes}}; }

  // Sequences with these numbers of new tokens and earlier ones, in blocks in an order that depends on the seed.
  void add(const std::vector<std::pair<Integer, Integer>>& tokens_and_past, std::uint64_t seed = 1) {
    std::vector<Integer> order(static_cast<std::size_t>(blocks));
    std::iota(order.begin(), order.end(), Integer{0});
    const Numbers random = numbers(seed, blocks);
    std::sort(order.begin(), order.end(), [&](Integer a, Integer b) { return at(random, a) < at(random, b); });
    std::size_t next = 0;
    for (const auto& [tokens, past] : tokens_and_past) {
      contract::PagedSequence its{rows(), tokens, tokens + past, {}};
      for (Integer i = 0; i < its.context; i += page) its.blocks.push_back(order.at(next++));
      sequences.push_back(its);
    }
  }
};

inline Numbers rounded(Dtype dtype, const Numbers& values) {
  return data::to_doubles(dtype, data::from_doubles(dtype, values));
}

struct PagedContents {
  Numbers qkv, k, v, inv_freq, q_norm, k_norm;  // rounded to the dtype

  explicit PagedContents(const PagedCase& c, std::uint64_t seed = 7) {
    const Integer cache = c.blocks * c.page * c.kv_heads * c.d;
    qkv = rounded(c.dtype, numbers(seed, c.rows() * c.width()));
    k = rounded(c.dtype, numbers(seed + 1, cache));
    v = rounded(c.dtype, numbers(seed + 2, cache));
    q_norm = rounded(c.dtype, numbers(seed + 3, c.d));
    k_norm = rounded(c.dtype, numbers(seed + 4, c.d));
    for (Integer i = 0; i < c.d / 2; ++i)
      inv_freq.push_back(std::pow(100, -2.0 * static_cast<double>(i) / static_cast<double>(c.d)));
    inv_freq = rounded(Dtype::f32, inv_freq);
  }
};

struct PagedResult {
  Numbers q, k, v, out;  // q (heads, m, d), caches, out (m, heads d), row by row
};

// --- The step in double.

inline Integer slot_of(const PagedCase& c, const contract::PagedSequence& its, Integer position) {
  return its.blocks[static_cast<std::size_t>(position / c.page)] * c.page + position % c.page;
}

inline Numbers turned(const PagedCase& c, Numbers head, const Numbers* norm, const Numbers& inv_freq,
                      Integer position) {
  if (norm != nullptr) {
    double squares = 0;
    for (const double x : head) squares += x * x;
    for (Integer i = 0; i < c.d; ++i) {
      head[static_cast<std::size_t>(i)] *= at(*norm, i) / std::sqrt(squares / static_cast<double>(c.d) + c.eps);
    }
  }
  Numbers out(head.size());
  for (Integer i = 0; i < c.d / 2; ++i) {
    const Integer low = c.interleaved ? 2 * i : i, high = c.interleaved ? 2 * i + 1 : i + c.d / 2;
    const double angle = static_cast<double>(position) * at(inv_freq, i);
    const double cosine = std::cos(angle) * c.attention_factor, sine = std::sin(angle) * c.attention_factor;
    out[static_cast<std::size_t>(low)] = at(head, low) * cosine - at(head, high) * sine;
    out[static_cast<std::size_t>(high)] = at(head, high) * cosine + at(head, low) * sine;
  }
  return rounded(c.dtype, out);
}

inline PagedResult expected(const PagedCase& c, const PagedContents& given) {
  const Integer m = c.rows(), group = c.heads / c.kv_heads;
  PagedResult r{Numbers(static_cast<std::size_t>(c.heads * m * c.d)), given.k, given.v,
                Numbers(static_cast<std::size_t>(m * c.heads * c.d))};
  const auto head_of = [&](Integer row, Integer head) {
    const auto begin = given.qkv.begin() + row * c.width() + head * c.d;
    return Numbers(begin, begin + c.d);
  };
  const auto put = [](Numbers& into, Integer at, const Numbers& values) {
    std::copy(values.begin(), values.end(), into.begin() + at);
  };
  for (const contract::PagedSequence& its : c.sequences) {
    for (Integer i = 0; i < its.tokens; ++i) {
      const Integer row = its.first_row + i, position = its.context - its.tokens + i, slot = slot_of(c, its, position);
      for (Integer h = 0; h < c.heads; ++h) {
        put(r.q, (h * m + row) * c.d,
            turned(c, head_of(row, h), c.norm ? &given.q_norm : nullptr, given.inv_freq, position));
      }
      for (Integer h = 0; h < c.kv_heads; ++h) {
        put(r.k, (slot * c.kv_heads + h) * c.d,
            turned(c, head_of(row, c.heads + h), c.norm ? &given.k_norm : nullptr, given.inv_freq, position));
        put(r.v, (slot * c.kv_heads + h) * c.d, head_of(row, c.heads + c.kv_heads + h));
      }
    }
  }
  for (const contract::PagedSequence& its : c.sequences) {
    for (Integer i = 0; i < its.tokens; ++i) {
      const Integer row = its.first_row + i, position = its.context - its.tokens + i;
      const Integer first = c.window > 0 ? std::max<Integer>(0, position - c.window + 1) : 0;
      for (Integer h = 0; h < c.heads; ++h) {
        double sum = 0;
        Numbers out(static_cast<std::size_t>(c.d));
        for (Integer key = first; key <= position; ++key) {
          const Integer from = (slot_of(c, its, key) * c.kv_heads + h / group) * c.d;
          double score = 0;
          for (Integer e = 0; e < c.d; ++e) score += at(r.q, (h * m + row) * c.d + e) * at(r.k, from + e);
          const double weight = std::exp(score * c.scale);
          sum += weight;
          for (Integer e = 0; e < c.d; ++e) out[static_cast<std::size_t>(e)] += weight * at(r.v, from + e);
        }
        for (double& x : out) x /= sum;
        put(r.out, (row * c.heads + h) * c.d, out);
      }
    }
  }
  return r;
}

// --- The step on the kernels.

class PagedMachine {
 public:
  using Split = BarrierMachine::Split;

  explicit PagedMachine(const PagedCase& c) : c_(c), machine_(device_, c.cubes, c.pes) {
    const Integer m = c.rows();
    qkv = machine_.tensor("qkv", c.dtype, {m, c.width()}, Split::columns, Split::rows);
    q = machine_.tensor("q", c.dtype, {c.heads, m, c.d}, Split::copies, Split::rows);
    q_chunks = machine_.tensor("q_chunks", c.dtype, {c.cubes * c.pes, std::max<Integer>(1, chunk_rows()), c.d},
                               Split::rows, Split::rows);
    k = machine_.tensor("k", c.dtype, {c.blocks, c.page, c.kv_heads, c.d}, Split::rows, Split::rows);
    v = machine_.tensor("v", c.dtype, {c.blocks, c.page, c.kv_heads, c.d}, Split::rows, Split::rows);
    out = machine_.tensor("out", c.dtype, {m, c.heads * c.d}, Split::columns, Split::rows);
    inv_freq = copies("inv_freq", Dtype::f32, {1, c.d / 2});
    q_norm = copies("q_norm", c.dtype, {1, c.d});
    k_norm = copies("k_norm", c.dtype, {1, c.d});
    positions = integers("positions", contract::token_positions(c.sequences, m), Split::copies);
    slots = integers("slots", contract::token_slots(c.sequences, c.cache(), m), Split::copies);
  }

  void write(const PagedContents& given) {
    device_.write(*qkv, by_cubes(given.qkv, c_.width()));
    for (const LayoutPtr& its : {q, q_chunks}) {
      device_.write(*its, Numbers(static_cast<std::size_t>(element_count(its->shape)), NAN));
    }
    device_.write(*k, given.k);
    device_.write(*v, given.v);
    device_.write(*inv_freq, given.inv_freq);
    device_.write(*q_norm, given.q_norm);
    device_.write(*k_norm, given.k_norm);
  }
  PagedResult run(const PagedContents& given) {
    write(given);
    append();
    attend();
    return result();
  }
  PagedResult result() {
    const Numbers columns = device_.read(*out);
    return {queries(), device_.read(*k), device_.read(*v), from_cubes(columns, c_.heads * c_.d)};
  }

  void append() {
    std::vector<contract::NamedArg> args{{"qkv", as_arg(qkv)},
                                         {"k_cache", as_arg(k)},
                                         {"v_cache", as_arg(v)},
                                         {"positions", as_arg(positions)},
                                         {"slots", as_arg(slots)},
                                         {"inv_freq", as_arg(inv_freq)},
                                         {"eps", c_.eps},
                                         {"attention_factor", c_.attention_factor},
                                         {"interleaved", Integer{c_.interleaved ? 1 : 0}}};
    if (c_.norm) args.push_back({"q_norm", as_arg(q_norm)});
    if (c_.norm) args.push_back({"k_norm", as_arg(k_norm)});
    const std::vector<contract::PagedSequence> several = of_tokens(false);
    if (several.empty() || !of_tokens(true).empty()) args.push_back({"q", as_arg(q)});
    if (!several.empty()) {
      sequences = integers("sequences", contract::chunk_rows(several), Split::copies);
      args.push_back({"q_chunks", as_arg(q_chunks)});
      args.push_back({"sequences", as_arg(sequences)});
    }
    launch("rope_append", args);
  }
  void attend() {
    if (!of_tokens(true).empty()) decode(of_tokens(true), c_.window);
    if (!of_tokens(false).empty()) prefill(of_tokens(false), c_.window);
  }
  // Sequences with one new token, or with several.
  std::vector<contract::PagedSequence> of_tokens(bool one) const {
    std::vector<contract::PagedSequence> some;
    for (const contract::PagedSequence& its : c_.sequences) {
      if ((its.tokens == 1) == one) some.push_back(its);
    }
    return some;
  }
  std::vector<contract::ChunkSequence> chunks() const { return contract::chunk_sequences(of_tokens(false)); }
  Integer chunk_rows() const { return contract::chunk_query_rows(chunks(), c_.heads, c_.kv_heads, c_.cubes * c_.pes); }
  // (heads, tokens, d), wherever the queries lie.
  Numbers queries() {
    const Numbers by_pe = device_.read(*q_chunks);
    Numbers by_head = device_.read(*q);
    const Integer group = c_.heads / c_.kv_heads;
    auto own = by_pe.begin();
    for (const auto& pieces : contract::pieces_by_pe(chunks(), c_.heads, c_.kv_heads, c_.cubes * c_.pes)) {
      auto from = own;
      own += q_chunks->shape[1] * c_.d;
      for (const contract::ChunkPiece& piece : pieces) {
        const Integer row = chunks()[static_cast<std::size_t>(piece.sequence)].first_row + piece.first;
        for (Integer i = 0; i < piece.tokens * group; ++i, from += c_.d) {
          const Integer head = piece.kv_head * group + i % group;
          std::copy(from, from + c_.d, by_head.begin() + (head * c_.rows() + row + i / group) * c_.d);
        }
      }
    }
    return by_head;
  }
  void decode(const std::vector<contract::PagedSequence>& its, Integer window) {
    const Integer length = contract::decode_scratch_length(static_cast<Integer>(its.size()), c_.heads, c_.kv_heads,
                                                           c_.d, {c_.cubes, c_.pes});
    work = integers("work", contract::decode_work(its, c_.cache(), c_.kv_heads, window), Split::rows);
    scratch = machine_.tensor("scratch", Dtype::f32, {c_.cubes * c_.pes, length}, Split::rows, Split::rows);
    device_.write(*scratch, Numbers(static_cast<std::size_t>(c_.cubes * c_.pes * length), NAN));
    launch_decode();
  }
  void launch_decode() {
    launch("paged_attention_decode", {{"q", as_arg(q)},
                                      {"k_cache", as_arg(k)},
                                      {"v_cache", as_arg(v)},
                                      {"work", as_arg(work)},
                                      {"scratch", as_arg(scratch)},
                                      {"out", as_arg(out)},
                                      {"scale", c_.scale}});
  }
  void prefill(const std::vector<contract::PagedSequence>& its, Integer window) {
    sequences = integers("sequences", contract::chunk_rows(its), Split::copies);
    table = integers("table", contract::chunk_tables(its), Split::copies);
    const Shape stage{contract::staged_pages(its, c_.page, window), c_.page, c_.kv_heads, c_.d};
    k_stage = machine_.tensor("k_stage", c_.dtype, stage, Split::copies, Split::rows);
    v_stage = machine_.tensor("v_stage", c_.dtype, stage, Split::copies, Split::rows);
    launch_prefill(window);
  }
  void launch_prefill(Integer window) {
    std::vector<contract::NamedArg> args{
        {"q", as_arg(q_chunks)},  {"k_cache", as_arg(k)}, {"v_cache", as_arg(v)}, {"sequences", as_arg(sequences)},
        {"table", as_arg(table)}, {"out", as_arg(out)},   {"scale", c_.scale},    {"window", window}};
    if (c_.staged) args.push_back({"k_stage", as_arg(k_stage)});
    if (c_.staged) args.push_back({"v_stage", as_arg(v_stage)});
    launch("paged_attention_prefill", args);
  }

  LayoutPtr copies(const std::string& name, Dtype dtype, const Shape& shape) {
    return machine_.tensor(name, dtype, shape, Split::copies, Split::copies);
  }
  LayoutPtr integers(const std::string& name, const contract::IntegerMatrix& matrix, Split split) {
    LayoutPtr tensor = machine_.tensor(name, Dtype::i32, {matrix.rows, matrix.cols}, split, split);
    device_.write(*tensor, Numbers(matrix.values.begin(), matrix.values.end()));
    return tensor;
  }
  BarrierMachine& machine() { return machine_; }
  Device& device() { return device_; }

  LayoutPtr qkv, q, q_chunks, k, v, out, inv_freq, q_norm, k_norm, positions, slots, work, scratch, sequences, table,
      k_stage, v_stage;

 private:
  void launch(const std::string& kernel, const std::vector<contract::NamedArg>& args) {
    machine_.run(*kernels::KernelCatalog().find(kernel), args);
  }
  // Places in a tile of the elements of a matrix with rows of `width`.
  std::vector<std::size_t> places(Integer width) const {
    const EvenParts parts(width, c_.cubes);
    std::vector<std::size_t> all;
    for (Integer row = 0; row < c_.rows(); ++row) {
      for (Integer column = 0; column < width; ++column) {
        const Integer cube = parts.part_of(column), first = parts.first(cube);
        all.push_back(static_cast<std::size_t>(first * c_.rows() + row * parts.size(cube) + column - first));
      }
    }
    return all;
  }
  Numbers by_cubes(const Numbers& matrix, Integer width) const {
    Numbers tile(matrix.size());
    const std::vector<std::size_t> to = places(width);
    for (std::size_t i = 0; i < to.size(); ++i) tile[to[i]] = matrix[i];
    return tile;
  }
  Numbers from_cubes(const Numbers& tile, Integer width) const {
    Numbers matrix;
    for (const std::size_t place : places(width)) matrix.push_back(tile[place]);
    return matrix;
  }

  PagedCase c_;
  Device device_;
  BarrierMachine machine_;
};

}  // namespace kb::tests
