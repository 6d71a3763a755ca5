#include "sw/workloads/paged_attention_reference.h"

#include <algorithm>
#include <cmath>

#include "platform/data/element.h"
#include "sw/workloads/attention_reference.h"
#include "sw/workloads/deployed.h"

namespace kb::sw {
namespace {

using data::Bounded;
using data::BoundedMatrix;
using Heads = std::vector<std::vector<Bounded>>;

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// One head of one token, normalised and rotated by its position.
std::vector<Bounded> rotated(const PagedProblem& p, const double* head, const std::vector<double>* norm,
                             const std::vector<double>& inv_freq, std::int64_t position) {
  const std::size_t d = index(p.d), half = d / 2;
  std::vector<Bounded> x(d);
  for (std::size_t i = 0; i < d; ++i) x[i] = {head[i], 0};
  if (norm != nullptr) {
    std::vector<Bounded> squares;
    for (const Bounded& value : x) squares.push_back(data::multiply(value, value));
    const Bounded per_element{data::nearest(Dtype::f32, 1.0 / static_cast<double>(p.d)), 0};
    const Bounded mean =
        data::multiply_add(data::ordered_sum(squares), per_element, {data::nearest(Dtype::f32, p.eps), 0});
    const Bounded scale = data::function([](double value) { return 1 / std::sqrt(value); }, mean,
                                         0.5 * std::pow(mean.value - mean.error, -1.5));
    for (std::size_t i = 0; i < d; ++i) x[i] = data::multiply(data::multiply(x[i], scale), {(*norm)[i], 0});
  }
  std::vector<Bounded> out(d);
  for (std::size_t i = 0; i < half; ++i) {
    const std::size_t low = p.interleaved ? 2 * i : i, high = p.interleaved ? low + 1 : i + half;
    const Bounded angle = data::multiply({static_cast<double>(position), 0}, {inv_freq[i], 0});
    const Bounded cosine = data::function([](double value) { return std::cos(value); }, angle, 1);
    const Bounded sine = data::function([](double value) { return std::sin(value); }, angle, 1);
    out[low] = data::subtract(data::multiply(x[low], cosine), data::multiply(x[high], sine));
    out[high] = data::multiply_add(x[high], cosine, data::multiply(x[low], sine));
  }
  return out;
}

// Heads [first, first + count) of the rows of qkv, by row.
Heads rotated_heads(const PagedProblem& p, const RopeOperands& operands, std::int64_t first, std::int64_t count,
                    const HostArray& norm) {
  const std::vector<double> qkv = operands.qkv.to_doubles(), inv_freq = operands.inv_freq.to_doubles();
  const std::vector<std::int64_t> positions = contract::token_positions(p.sequences, p.rows()).values;
  const std::vector<double> gain = p.norm ? norm.to_doubles() : std::vector<double>();
  Heads out;
  for (std::int64_t row = 0; row < p.rows(); ++row) {
    for (std::int64_t head = first; head < first + count; ++head) {
      out.push_back(rotated(p, &qkv[index(row * p.width() + head * p.d)], p.norm ? &gain : nullptr, inv_freq,
                            positions[index(row)]));
    }
  }
  return out;
}

void set_row(BoundedMatrix& matrix, std::int64_t row, const std::vector<Bounded>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) matrix.set(index(row) * matrix.cols + i, values[i]);
}

BoundedMatrix empty_matrix(std::int64_t rows, std::int64_t cols) {
  return data::exact_matrix(index(rows), index(cols), std::vector<double>(index(rows * cols)));
}

std::int64_t step_keys(const PagedProblem& p) {
  return contract::keys_per_step(p.cache.page, p.d * static_cast<std::int64_t>(item_size(p.dtype)), p.scratch_bytes);
}

// A chunk: the steps of the PE that computes the token.
KeySteps chunk_steps(const PagedProblem& p, const AttentionItem& item) {
  std::vector<contract::ChunkSequence> chunks;
  std::int64_t number = 0;
  for (std::size_t s = 0; s < p.sequences.size(); ++s) {
    if (p.sequences[s].tokens == 1) continue;
    if (s == item.sequence) number = static_cast<std::int64_t>(chunks.size());
    chunks.push_back({p.sequences[s].first_row, p.sequences[s].tokens, p.sequences[s].context});
  }
  const std::int64_t pes = p.cache.machine.cubes * p.cache.machine.pes;
  const std::vector<contract::ChunkPiece> pieces = contract::chunk_pieces(chunks, p.heads, p.kv_heads, pes);
  const contract::PagedSequence& its = p.sequences[item.sequence];
  const std::int64_t end = its.context - its.tokens + item.token + 1;
  const std::int64_t begin = p.window > 0 ? std::max<std::int64_t>(0, end - p.window) : 0;
  KeySteps out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const contract::ChunkPiece& piece = pieces[i];
    if (piece.sequence != number || piece.kv_head != item.kv_head) continue;
    if (item.token < piece.first || item.token >= piece.first + piece.tokens) continue;
    const contract::ChunkKeys keys(chunks[index(number)], piece, p.window);
    for (const contract::KeyRange& step : keys.steps(
             p.cache.page, step_keys(p), contract::piece_owner(static_cast<std::int64_t>(i), p.kv_heads, pes), pes)) {
      out.emplace_back();
      for (std::int64_t key = std::max(begin, step.first); key < std::min(end, step.first + step.count); ++key) {
        out.back().push_back(its.blocks[index(key / p.cache.page)] * p.cache.page + key % p.cache.page);
      }
      if (out.back().empty()) out.pop_back();
    }
  }
  return out;
}

// Decode: the steps of each PE that has keys of the sequence.
std::vector<KeySteps> decode_steps(const PagedProblem& p, const AttentionItem& item) {
  std::vector<contract::PagedSequence> decoded;
  std::int64_t number = 0;
  for (std::size_t s = 0; s < p.sequences.size(); ++s) {
    if (p.sequences[s].tokens > 1) continue;
    if (s == item.sequence) number = static_cast<std::int64_t>(decoded.size());
    decoded.push_back(p.sequences[s]);
  }
  const contract::IntegerMatrix work = contract::decode_work(decoded, p.cache, p.kv_heads, p.window);
  const contract::HeadGroups groups(p.kv_heads, p.cache.machine.pes);
  const std::int64_t heads = p.kv_heads / groups.count;  // of a group
  std::vector<KeySteps> out;
  for (std::int64_t row = 0; row < work.rows; ++row) {
    if (row % p.cache.machine.pes / groups.width != item.kv_head / heads) continue;
    const std::int64_t* const list = &work.values[index(row * work.cols)];
    const std::int64_t* const pages = list + contract::kDecodeHead + list[0] * contract::kDecodeSequence;
    std::vector<std::int64_t> counts;
    std::vector<const std::int64_t*> own;
    for (std::int64_t i = 0; i < list[1]; ++i) {
      const std::int64_t* const page = pages + i * contract::kDecodePage;
      if (page[0] != number) continue;
      own.push_back(page);
      counts.push_back(page[3] - page[2]);
    }
    if (own.empty()) continue;
    const bool last = item.kv_head % heads == heads - 1 && own.back() == pages + (list[1] - 1) * contract::kDecodePage;
    out.emplace_back();
    std::size_t run = 0;
    for (const std::int64_t runs : contract::runs_per_step(counts, step_keys(p), last)) {
      out.back().emplace_back();
      for (std::int64_t i = 0; i < runs; ++i, ++run) {
        for (std::int64_t key = own[run][2]; key < own[run][3]; ++key) {
          out.back().back().push_back(own[run][1] * p.cache.page + key);
        }
      }
    }
  }
  return out;
}

BoundedMatrix keys_of(const PagedProblem& p, std::int64_t kv_head, const std::vector<std::int64_t>& slots,
                      const HostArray& cache) {
  std::vector<std::int64_t> rows;
  for (const std::int64_t slot : slots) rows.push_back(slot * p.kv_heads + kv_head);
  return data::exact_matrix(slots.size(), index(p.d), row_values(cache, p.d, rows));
}

}  // namespace

std::int64_t PagedProblem::rows() const {
  std::int64_t rows = 0;
  for (const contract::PagedSequence& sequence : sequences) rows = std::max(rows, sequence.first_row + sequence.tokens);
  return rows;
}

BoundedMatrix rotated_queries(const PagedProblem& problem, const RopeOperands& operands) {
  const Heads heads = rotated_heads(problem, operands, 0, problem.heads, operands.q_norm);
  BoundedMatrix out = empty_matrix(problem.heads * problem.rows(), problem.d);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(heads.size()); ++i) {
    set_row(out, i % problem.heads * problem.rows() + i / problem.heads, heads[index(i)]);
  }
  data::round_to(problem.dtype, out);
  return out;
}

BoundedMatrix rotated_keys(const PagedProblem& problem, const RopeOperands& operands) {
  const Heads heads = rotated_heads(problem, operands, problem.heads, problem.kv_heads, operands.k_norm);
  BoundedMatrix out = empty_matrix(static_cast<std::int64_t>(heads.size()), problem.d);
  for (std::size_t i = 0; i < heads.size(); ++i) set_row(out, static_cast<std::int64_t>(i), heads[i]);
  data::round_to(problem.dtype, out);
  return out;
}

std::vector<double> row_values(const HostArray& array, std::int64_t width, const std::vector<std::int64_t>& rows) {
  const std::size_t row_bytes = index(width) * item_size(array.dtype());
  std::vector<std::byte> bytes;
  bytes.reserve(rows.size() * row_bytes);
  for (const std::int64_t row : rows) {
    const auto at = array.bytes().begin() + static_cast<std::ptrdiff_t>(index(row) * row_bytes);
    bytes.insert(bytes.end(), at, at + static_cast<std::ptrdiff_t>(row_bytes));
  }
  return data::to_doubles(array.dtype(), bytes);
}

std::vector<KeySteps> attention_parts(const PagedProblem& problem, const AttentionItem& item) {
  if (problem.sequences[item.sequence].tokens == 1) return decode_steps(problem, item);
  return {chunk_steps(problem, item)};
}

std::vector<AttentionItem> attention_items(const PagedProblem& p, double most_products) {
  std::vector<AttentionItem> all;
  double products = 0;
  for (std::size_t s = 0; s < p.sequences.size(); ++s) {
    for (std::int64_t token = 0; token < p.sequences[s].tokens; ++token) {
      for (std::int64_t head = 0; head < p.kv_heads; ++head) {
        all.push_back({s, token, head});
        products += 2.0 * static_cast<double>(p.sequences[s].context * p.heads / p.kv_heads * p.d);
      }
    }
  }
  const auto limit = static_cast<std::int64_t>(
      std::max(2.0, static_cast<double>(all.size()) * std::min(1.0, most_products / products)));
  std::vector<AttentionItem> out;
  for (const std::int64_t i : spread(static_cast<std::int64_t>(all.size()), limit)) out.push_back(all[index(i)]);
  return out;
}

BoundedMatrix attended(const PagedProblem& p, const std::vector<AttentionItem>& items, const HostArray& q,
                       const HostArray& k_cache, const HostArray& v_cache) {
  const std::vector<double> queries = q.to_doubles();
  const std::int64_t group = p.heads / p.kv_heads;
  BoundedMatrix out{0, index(p.d), {}, {}};
  for (const AttentionItem& item : items) {
    const std::int64_t row = p.sequences[item.sequence].first_row + item.token;
    std::vector<double> own;
    for (std::int64_t head = item.kv_head * group; head < (item.kv_head + 1) * group; ++head) {
      const auto at = queries.begin() + (head * p.rows() + row) * p.d;
      own.insert(own.end(), at, at + p.d);
    }
    const BoundedMatrix heads = data::exact_matrix(index(group), index(p.d), std::move(own));
    std::vector<AttentionRows> parts;
    for (const KeySteps& steps : attention_parts(p, item)) {
      parts.emplace_back(p.dtype, index(group), index(p.d));
      for (const std::vector<std::int64_t>& keys : steps) {
        parts.back().attend(heads, keys_of(p, item.kv_head, keys, k_cache), keys_of(p, item.kv_head, keys, v_cache));
      }
    }
    const BoundedMatrix result = AttentionRows::merged(parts);
    out.rows += result.rows;
    out.values.insert(out.values.end(), result.values.begin(), result.values.end());
    out.errors.insert(out.errors.end(), result.errors.begin(), result.errors.end());
  }
  data::round_to(p.dtype, out);
  return out;
}

}  // namespace kb::sw
