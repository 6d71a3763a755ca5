// A tensor in host memory: row-major elements in the device's storage format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/dtype.h"

namespace kb::sw {

class HostArray {
 public:
  HostArray() = default;
  // An array of zeros. Program Error SHAPE_ERROR for a dimension below 1.
  HostArray(Shape shape, Dtype dtype);
  // Program Error SHAPE_ERROR unless `bytes` has exactly the array's size.
  HostArray(Shape shape, Dtype dtype, std::vector<std::byte> bytes);

  // Rounds once to nearest even. Program Errors SHAPE_ERROR for a wrong number of values, VALUE_ERROR for a value that
  // an integer type cannot represent.
  static HostArray from_doubles(Shape shape, Dtype dtype, const std::vector<double>& values);
  static HostArray full(Shape shape, Dtype dtype, double value);
  // Integers in [-8, 8], whose small sums and products are exact in every dtype; depends only on `seed`.
  static HostArray random_integers(Shape shape, Dtype dtype, std::uint64_t seed);
  // Uniform in [-1, 1) for floats; like random_integers for integers.
  static HostArray random(Shape shape, Dtype dtype, std::uint64_t seed);

  // A placeholder without bytes, for contents that a run without data (data mode off) does not need; it can only be
  // copied to a tensor in such a run. Indices and masks need their numbers: otherwise the rows that a kernel accesses
  // are assumed (decision 0047).
  static HostArray unknown(Shape shape, Dtype dtype);

  const Shape& shape() const { return shape_; }
  Dtype dtype() const { return dtype_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte>& bytes() { return bytes_; }
  std::uint64_t nbytes() const { return bytes_.size(); }

  std::vector<double> to_doubles() const;         // exact except for i64
  std::vector<std::int64_t> to_integers() const;  // only for integer dtypes
  // Only for two-dimensional arrays. Program Error SHAPE_ERROR when the element does not exist.
  double at(std::int64_t row, std::int64_t col) const;

  // True when the contents are not known because the run computes no data (data mode off); the elements are zeros, and
  // a copy of them is also unknown.
  bool placeholder() const { return placeholder_; }
  void set_placeholder(bool placeholder) { placeholder_ = placeholder; }

  // Text for people with up to `limit` rows and columns.
  std::string to_string(std::int64_t limit = 8) const;

 private:
  Shape shape_;
  Dtype dtype_ = Dtype::f16;
  std::vector<std::byte> bytes_;
  bool placeholder_ = false;
};

}  // namespace kb::sw
