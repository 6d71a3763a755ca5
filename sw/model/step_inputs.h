// What the host tells the kernels of a step: tokens, positions, and where their keys and values lie.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/contract/paged_attention.h"
#include "platform/model/batch.h"

namespace kb::sw {

class StepInputs {
 public:
  // Rows are in the order of `sequences`. Blocks of the cache have the canonical order, in multiples of the PEs.
  StepInputs(std::vector<contract::PagedSequence> sequences, const contract::PagedCache& cache);

  const contract::PagedCache& cache() const { return cache_; }
  std::int64_t tokens() const { return tokens_; }
  std::int64_t decodes() const { return static_cast<std::int64_t>(decodes_.size()); }  // sequences with one new token
  std::int64_t chunks() const { return static_cast<std::int64_t>(chunks_.size()); }

  // Tokens that lie apart in a vocabulary of this size: times do not depend on them but by the SIP that has their row.
  contract::IntegerMatrix ids(std::int64_t vocabulary) const;
  contract::IntegerMatrix positions() const { return contract::token_positions(sequences_, tokens_); }
  contract::IntegerMatrix slots() const { return contract::token_slots(sequences_, cache_, tokens_); }
  contract::IntegerMatrix decode_work(std::int64_t kv_heads, std::int64_t window) const {
    return contract::decode_work(decodes_, cache_, kv_heads, window);
  }
  contract::IntegerMatrix chunk_rows() const { return contract::chunk_rows(chunks_); }
  std::int64_t chunk_query_rows(std::int64_t heads, std::int64_t kv_heads) const {
    return contract::chunk_query_rows(contract::chunk_sequences(chunks_), heads, kv_heads,
                                      cache_.machine.cubes * cache_.machine.pes);
  }
  contract::IntegerMatrix chunk_tables() const { return contract::chunk_tables(chunks_); }
  std::int64_t staged_pages(std::int64_t window) const { return contract::staged_pages(chunks_, cache_.page, window); }
  contract::IntegerMatrix last_rows() const;  // last new token of each sequence

 private:
  std::vector<contract::PagedSequence> sequences_, decodes_, chunks_;
  contract::PagedCache cache_;
  std::int64_t tokens_ = 0;
};

// `room`: tokens that the cache has room for, by sequence, from the first of the batch on; it may have sequences that
// the batch lacks. So the steps of one run find their keys and values where earlier ones left them. Empty: the contexts
// of the batch.
StepInputs step_inputs(const model::Batch& batch, std::int64_t cubes, std::int64_t pes,
                       const std::vector<std::int64_t>& room = {});

}  // namespace kb::sw
