#include "sw/model/step_inputs.h"

#include <algorithm>
#include <utility>

namespace kb::sw {

StepInputs::StepInputs(std::vector<contract::PagedSequence> sequences, const contract::PagedCache& cache)
    : sequences_(std::move(sequences)), cache_(cache) {
  for (const contract::PagedSequence& one : sequences_) {
    (one.tokens == 1 ? decodes_ : chunks_).push_back(one);
    tokens_ += one.tokens;
  }
}

contract::IntegerMatrix StepInputs::ids(std::int64_t vocabulary) const {
  constexpr std::int64_t kStride = 7919;  // a prime number
  contract::IntegerMatrix ids{1, tokens_, {}};
  for (std::int64_t i = 0; i < tokens_; ++i) ids.values.push_back(i * kStride % vocabulary);
  return ids;
}

contract::IntegerMatrix StepInputs::last_rows() const {
  contract::IntegerMatrix rows{1, static_cast<std::int64_t>(sequences_.size()), {}};
  for (const contract::PagedSequence& one : sequences_) rows.values.push_back(one.first_row + one.tokens - 1);
  return rows;
}

StepInputs step_inputs(const model::Batch& batch, std::int64_t cubes, std::int64_t pes,
                       const std::vector<std::int64_t>& room) {
  contract::PagedCache cache;
  cache.page = model::kCacheBlock;
  cache.machine = {cubes, pes};
  std::vector<contract::PagedSequence> sequences;
  std::vector<std::int64_t> contexts;
  std::int64_t row = 0, pages = 0;
  const auto pages_of = [&cache](std::int64_t tokens) { return (tokens + cache.page - 1) / cache.page; };
  for (const model::Sequences& group : batch.sequences) {
    for (std::int64_t i = 0; i < group.count; ++i) {
      sequences.push_back({row, group.tokens, group.context(), {}});
      contexts.push_back(group.context());
      row += group.tokens;
    }
  }
  if (!room.empty()) contexts = room;
  for (const std::int64_t context : contexts) pages += pages_of(context);
  const std::int64_t all = cubes * pes;
  cache.blocks = (pages + all - 1) / all * all;
  std::vector<std::vector<std::int64_t>> tables = contract::canonical_tables(contexts, cache);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    sequences[i].blocks = std::move(tables.at(i));
    sequences[i].blocks.resize(
        std::min(sequences[i].blocks.size(), static_cast<std::size_t>(pages_of(sequences[i].context))));
  }
  return StepInputs(std::move(sequences), cache);
}

}  // namespace kb::sw
