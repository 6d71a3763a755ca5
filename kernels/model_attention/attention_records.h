// Partial results of attention over some of the keys, as records of contract::AttentionRecord.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention/online_softmax.h"
#include "kernels/tl/tl.h"
#include "platform/contract/paged_attention.h"

namespace kb::kernels {

class AttentionRecords {
 public:
  AttentionRecords(tl::Context& tl, const contract::AttentionRecord& record, std::int64_t d, double scale)
      : tl_(tl), record_(record), d_(d), scale_(scale) {}

  // Appends the parts of a group's records for some cubes: of one token, whose heads are the rows of the results of the
  // group's K/V heads.
  void append(std::int64_t group, const std::vector<OnlineSoftmax>& kv_heads, const std::vector<std::int64_t>& cubes,
              std::vector<tl::TensorHandle>& parts);
  // (count, record) out of the parts of so many records.
  tl::TensorHandle joined(const std::vector<tl::TensorHandle>& parts, std::int64_t count);
  // The records of a token without any key.
  tl::TensorHandle pack_empty(std::int64_t group, const std::vector<std::int64_t>& cubes);

  // Merges the records of n parts of the keys for one cube, (n, record) transposed to (record, n), to one record, or
  // to the result (1, columns) in f32, where a part has a key.
  tl::TensorHandle merge(const tl::TensorHandle& parts, std::int64_t group, std::int64_t cube) {
    return merged(parts, {group, cube}, false);
  }
  tl::TensorHandle result(const tl::TensorHandle& parts, std::int64_t group, std::int64_t cube) {
    return merged(parts, {group, cube}, true);
  }

 private:
  struct Place {
    std::int64_t group, cube;
  };
  struct HeadColumns {
    std::int64_t head, first, count;  // columns of a head that a cube gets; first: in the head
  };
  std::vector<HeadColumns> heads_of(const Place& place) const;
  void append_padding(const Place& place, std::vector<tl::TensorHandle>& parts);
  tl::TensorHandle merged(const tl::TensorHandle& parts, const Place& place, bool last);

  tl::Context& tl_;
  const contract::AttentionRecord& record_;
  std::int64_t d_;
  double scale_;
};

}  // namespace kb::kernels
