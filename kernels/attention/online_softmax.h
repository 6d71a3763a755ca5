// Softmax attention over K and V that come in pieces (K-83).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "kernels/tl/tl.h"

namespace kb::kernels {

// The running triple (m, l, O) of some query rows in f32: row maximum of the products q k so far, sum of the
// exponentials e^((q k - m) / sqrt(d)), and the sum of the rows of V weighted with these. One dense buffer m | l | O,
// so that it travels as one sequence of elements. It lives in the scope it is made in.
class OnlineSoftmax {
 public:
  OnlineSoftmax(tl::Context& tl, std::int64_t rows, std::int64_t d);

  // Attends over `keys` more rows of K and V (keys, d): two GEMMs, q x K^T and P x V with P in the dtype of V, and five
  // passes over the products. K and V are asked for when they are needed, K in a scope that ends before V is asked for.
  // `mask`, integers (rows, keys), selects the products that count, by not being 0; a row may have none.
  using Source = std::function<tl::TensorHandle()>;
  void attend(const tl::TensorHandle& q, std::int64_t keys, const Source& k, const Source& v, const Source& mask = {});
  // Merges another partial result over other keys (log-sum-exp merge): m = max(m1, m2), fi = e^((mi - m) / sqrt(d)),
  // l = l1 f1 + l2 f2, O = O1 f1 + O2 f2.
  void merge(const OnlineSoftmax& other);
  tl::TensorHandle result(Dtype dtype);  // O / l, (rows, d); each row has attended to a key

  // In messages of at most `slot_bytes` bytes.
  void send(std::string_view direction, std::int64_t slot_bytes);
  void receive(std::string_view direction, std::int64_t slot_bytes);

 private:
  void clear();  // the triple of no keys
  // `transfer` for each part of the buffer that is one message.
  void in_parts(std::int64_t slot_bytes, const std::function<void(const tl::TensorHandle&)>& transfer) const;

  tl::Context& tl_;
  std::int64_t rows_;
  double scale_;
  tl::TensorHandle buffer_, m_, l_, o_;
  bool empty_ = true;
};

}  // namespace kb::kernels
