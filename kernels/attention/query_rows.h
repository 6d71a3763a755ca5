// The block step of attention: rows of queries that attend to the keys of a block which they see.
#pragma once

#include "kernels/attention/causal_mask.h"
#include "kernels/attention/dealt_rows.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {

class QueryRows {
 public:
  // q: the rows, (rows, d). Lives in the scope it is made in.
  QueryRows(tl::Context& tl, const Sight& sight, const RowPair& rows, const tl::TensorHandle& q);

  // Attends to a block, whose K and V (keys, d) are asked for as OnlineSoftmax does; not at all when no row sees one of
  // its keys.
  using Source = OnlineSoftmax::Source;
  void attend(const RowPair& keys, const Source& k, const Source& v);

  OnlineSoftmax& softmax() { return softmax_; }
  const RowPair& rows() const { return rows_; }

 private:
  tl::Context& tl_;
  Sight sight_;
  RowPair rows_;
  tl::TensorHandle q_;
  OnlineSoftmax softmax_;
};

}  // namespace kb::kernels
