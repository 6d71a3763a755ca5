// Attention in running error analysis: what the steps of the online softmax can make of exact or bounded operands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/data/running_error.h"

namespace kb::sw {

// Rows of queries that meet blocks of keys one after the other (K-83): products, weights relative to the largest one so
// far, their sums in f32, weights rounded to the dtype of V.
class AttentionRows {
 public:
  AttentionRows(Dtype dtype, std::size_t rows, std::size_t d);

  // k and v are (keys, d). Whether a row sees a key; all do without it. A row may see none of a block.
  using Visible = std::function<bool(std::size_t row, std::size_t key)>;
  void attend(const data::BoundedMatrix& q, const data::BoundedMatrix& k, const data::BoundedMatrix& v,
              const Visible& visible = {});
  // (rows, d) in f32.
  data::BoundedMatrix result() const;
  // The result of several parts of the keys, merged in any order. Each row sees a key of one of them.
  static data::BoundedMatrix merged(const std::vector<AttentionRows>& parts);

 private:
  void attend_row(std::size_t row, const data::BoundedMatrix& scores, const Visible& visible,
                  data::BoundedMatrix& weights);

  Dtype dtype_;
  data::Bounded scale_;
  std::vector<std::optional<data::Bounded>> m_;  // none: the row has seen no key
  std::vector<data::Bounded> l_;
  data::BoundedMatrix o_;
};

data::BoundedMatrix rows_of(const data::BoundedMatrix& matrix, std::size_t first, std::size_t count);
data::BoundedMatrix columns_of(const data::BoundedMatrix& matrix, std::size_t first, std::size_t count);
const char* attention_rounding();  // for the report

}  // namespace kb::sw
