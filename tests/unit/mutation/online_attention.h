// Attention of some rows over blocks of keys, in f32, with the algorithm of the kernels; one element can be faulty.
#pragma once

#include <functional>

#include "tests/unit/mutation/mutation.h"

namespace kb::mutation {

struct AttentionFault {
  std::optional<Fault> fault;
  std::size_t row = 0, block = 0;  // place of the fault
};

class OnlineAttention {
 public:
  OnlineAttention(Dtype dtype, std::size_t rows, std::size_t d, AttentionFault fault);
  // k and v are (keys, d).
  // A row may attend to no key.
  void attend(const Matrix& q, const Matrix& k, const Matrix& v,
              const std::function<bool(std::size_t, std::size_t)>& visible, Random& random);
  void merge(const OnlineAttention& other);
  Matrix result() const;

 private:
  float score(const Matrix& q, const Matrix& k, std::size_t row, std::size_t key, bool lost, Random& random) const;

  Dtype dtype_;
  AttentionFault fault_;
  std::size_t blocks_ = 0;
  std::vector<bool> seen_;  // rows that have attended to a key
  std::vector<float> m_, l_;
  Matrix o_;
};

}  // namespace kb::mutation
