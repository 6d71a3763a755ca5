// Softmax attention over K and V in pieces (K-83).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "kernels/tl/tl.h"

namespace kb::kernels {

// The running triple (m, l, O) of query rows in f32: the row maximum of the products q k, the sum of the exponentials
// e^((q k - m) / sqrt(d)), and the sum of the rows of V weighted with these. It is one dense buffer m | l | O, so that
// messages can carry it as one sequence. It must be used in the scope in which it was created.
class OnlineSoftmax {
 public:
  // m of a row that has attended to no key
  static constexpr double kMaximumOfNone = static_cast<double>(std::numeric_limits<float>::lowest());

  // `scale` takes the place of 1 / sqrt(d).
  OnlineSoftmax(tl::Context& tl, std::int64_t rows, std::int64_t d, std::optional<double> scale = std::nullopt);

  // Attends over `keys` more rows of K and V (keys, d): two GEMMs, q x K^T and P x V with P in the dtype of V, and five
  // passes over the products. `k` and `v` are called when the data are needed; the scope of K ends before `v` is
  // called. `mask`, integers (rows, keys), excludes products where it is 0; it may exclude all products of a row.
  using Source = std::function<tl::TensorHandle()>;
  void attend(const tl::TensorHandle& q, std::int64_t keys, const Source& k, const Source& v, const Source& mask = {});
  // Merges a partial result over other keys (log-sum-exp merge): m = max(m1, m2), fi = e^((mi - m) / sqrt(d)), l = l1
  // f1 + l2 f2, O = O1 f1 + O2 f2.
  void merge(const OnlineSoftmax& other);
  tl::TensorHandle result(Dtype dtype);                   // O / l, (rows, d); each row must have attended to a key
  const tl::TensorHandle& maximum() const { return m_; }  // (rows, 1)
  const tl::TensorHandle& sum() const { return l_; }      // (rows, 1)
  const tl::TensorHandle& output() const { return o_; }   // (rows, d)

  // The triple is transferred in messages of at most `slot_bytes` bytes.
  void send(std::string_view direction, std::int64_t slot_bytes);
  void receive(std::string_view direction, std::int64_t slot_bytes);

 private:
  void clear();  // sets the triple for no keys
  // Calls `transfer` for each part of the buffer that is one message.
  void in_parts(std::int64_t slot_bytes, const std::function<void(const tl::TensorHandle&)>& transfer) const;

  tl::Context& tl_;
  std::int64_t rows_;
  double scale_;
  tl::TensorHandle buffer_, m_, l_, o_;
  bool empty_ = true;
};

}  // namespace kb::kernels
