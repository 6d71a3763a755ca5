// The block step of attention, for query rows with a causal mask.
#pragma once

#include "kernels/attention/balanced_rows.h"
#include "kernels/attention/causal_mask.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {

class QueryRows {
 public:
  // q holds the rows, (rows, d). The object must be used in the scope in which it was created.
  QueryRows(tl::Context& tl, const AttentionMask& sight, const RowPair& rows, const tl::TensorHandle& q);

  // Attends to a block; `k` and `v` provide K and V (keys, d) as in OnlineSoftmax. Skips the block when no row may
  // attend to it.
  using Source = OnlineSoftmax::Source;
  void attend(const RowPair& keys, const Source& k, const Source& v);

  OnlineSoftmax& softmax() { return softmax_; }
  const RowPair& rows() const { return rows_; }

 private:
  tl::Context& tl_;
  AttentionMask sight_;
  RowPair rows_;
  tl::TensorHandle q_;
  OnlineSoftmax softmax_;
};

}  // namespace kb::kernels
