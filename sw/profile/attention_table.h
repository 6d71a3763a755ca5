// Times of the attention of a whole step: prefills and decodes together.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sw/profile/line.h"

namespace kb::profile {

// Keys of a step. Without prefill the first two are 0, without decode the last two.
struct AttentionKey {
  std::int64_t prefill_chunk = 0;  // new tokens of all prefills
  std::int64_t kv_prefill = 0;     // tokens computed before, of all prefills
  std::int64_t decodes = 0;
  std::int64_t kv_decode = 0;  // tokens computed before, of one decode
};

class AttentionTable {
 public:
  bool add(const AttentionKey& key, std::int64_t ns);  // false when the cell is there already
  bool empty() const { return slices_.empty(); }

  // Between the two nearest chunks and the two nearest numbers of decodes among all of the table. In each of the four
  // pairs: between the two nearest pasts, and over contexts in each. A pair that is not in the table is replaced by the
  // nearest one by squared distance, the smaller chunk first (M-64).
  std::int64_t at(const AttentionKey& key);
  // Whether a chunk or a number of decodes lies beyond the last one.
  bool is_beyond(const AttentionKey& key) const;

 private:
  struct Slice {                      // one pair of chunk and decodes
    std::vector<std::int64_t> pasts;  // sorted
    std::vector<Line> rows;
    double at(std::int64_t past, std::int64_t context) const;
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;  // chunk, decodes

  void prepare();
  const Slice& slice(std::size_t chunk, std::size_t decodes) const {
    return *corners_[chunk * decodes_.size() + decodes];
  }

  std::map<Pair, Slice> slices_;
  std::vector<std::int64_t> chunks_, decodes_;  // sorted; empty until prepare()
  std::vector<const Slice*> corners_;           // chunk by chunk
};

}  // namespace kb::profile
