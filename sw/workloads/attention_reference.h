// Reference attention in running error analysis: bounds on the results of the online softmax for exact or bounded
// operands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/data/running_error.h"

namespace kb::sw {

// Rows of queries that process blocks of keys in sequence (K-83): products, weights relative to the running maximum,
// their sums in f32, and weights rounded to the dtype of V.
class AttentionRows {
 public:
  AttentionRows(Dtype dtype, std::size_t rows, std::size_t d);

  // k and v are (keys, d). `Visible` tells whether a row may attend to a key; without it, all may. A row may have no
  // key in a block.
  using Visible = std::function<bool(std::size_t row, std::size_t key)>;
  void attend(const data::BoundedMatrix& q, const data::BoundedMatrix& k, const data::BoundedMatrix& v,
              const Visible& visible = {});
  // Result (rows, d) in f32.
  data::BoundedMatrix result() const;
  // Result of several parts of the keys, merged in any order. Each row attends to a key of at least one part.
  static data::BoundedMatrix merged(const std::vector<AttentionRows>& parts);

 private:
  void attend_row(std::size_t row, const data::BoundedMatrix& scores, const Visible& visible,
                  data::BoundedMatrix& weights);

  Dtype dtype_;
  data::Bounded scale_;
  std::vector<std::optional<data::Bounded>> m_;  // no value: the row has had no key yet
  std::vector<data::Bounded> l_;
  data::BoundedMatrix o_;
};

data::BoundedMatrix rows_of(const data::BoundedMatrix& matrix, std::size_t first, std::size_t count);
data::BoundedMatrix columns_of(const data::BoundedMatrix& matrix, std::size_t first, std::size_t count);
const char* attention_rounding();  // description for the report

}  // namespace kb::sw
