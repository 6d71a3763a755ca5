#include "sw/profile/attention_table.h"

#include <algorithm>
#include <set>

namespace kb::profile {

bool AttentionTable::add(const AttentionKey& key, std::int64_t ns) {
  Slice& slice = slices_[{key.prefill_chunk, key.decodes}];
  const auto place = std::lower_bound(slice.pasts.begin(), slice.pasts.end(), key.kv_prefill);
  const auto row = place - slice.pasts.begin();
  if (place == slice.pasts.end() || *place != key.kv_prefill) {
    slice.pasts.insert(place, key.kv_prefill);
    slice.rows.insert(slice.rows.begin() + row, Line());
  }
  chunks_.clear();
  return slice.rows[static_cast<std::size_t>(row)].add(key.kv_decode, ns);
}

double AttentionTable::Slice::at(std::int64_t past, std::int64_t context) const {
  const Span span = span_of(pasts, past);
  return between(rows[span.low].at(context), rows[span.high].at(context), span.weight);
}

void AttentionTable::prepare() {
  if (!chunks_.empty()) return;
  std::set<std::int64_t> chunks, decodes;
  for (const auto& [pair, slice] : slices_) {
    chunks.insert(pair.first);
    decodes.insert(pair.second);
  }
  chunks_.assign(chunks.begin(), chunks.end());
  decodes_.assign(decodes.begin(), decodes.end());
  corners_.clear();
  for (const std::int64_t chunk : chunks_) {
    for (const std::int64_t decode : decodes_) {
      const auto distance = [&, chunk = chunk, decode = decode](const Pair& pair) {
        const std::int64_t a = pair.first - chunk, b = pair.second - decode;
        return a * a + b * b;
      };
      const auto nearest = std::min_element(slices_.begin(), slices_.end(), [&](const auto& a, const auto& b) {
        return distance(a.first) < distance(b.first);
      });
      corners_.push_back(&nearest->second);
    }
  }
}

std::int64_t AttentionTable::at(const AttentionKey& key) {
  prepare();
  const Span chunk = span_of(chunks_, key.prefill_chunk);
  const Span decode = span_of(decodes_, key.decodes);
  const auto over_decodes = [&](std::size_t row) {
    return between(slice(row, decode.low).at(key.kv_prefill, key.kv_decode),
                   slice(row, decode.high).at(key.kv_prefill, key.kv_decode), decode.weight);
  };
  return cut_ns(between(over_decodes(chunk.low), over_decodes(chunk.high), chunk.weight));
}

bool AttentionTable::is_beyond(const AttentionKey& key) const {
  return !chunks_.empty() && (key.prefill_chunk > chunks_.back() || key.decodes > decodes_.back());
}

}  // namespace kb::profile
