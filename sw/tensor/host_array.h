// A tensor in host memory: row-major elements as they are stored on the device.
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
  // Zeros. Program Error SHAPE_ERROR on a dimension below 1.
  HostArray(Shape shape, Dtype dtype);
  // Program Error SHAPE_ERROR when `bytes` is not exactly the array's size.
  HostArray(Shape shape, Dtype dtype, std::vector<std::byte> bytes);

  // One rounding to nearest even; program Errors SHAPE_ERROR on a wrong number of values, VALUE_ERROR on a value that
  // an integer type cannot hold.
  static HostArray from_doubles(Shape shape, Dtype dtype, const std::vector<double>& values);
  static HostArray full(Shape shape, Dtype dtype, double value);
  // Whole numbers in [-8, 8], whose small sums and products are exact in every dtype; a function of `seed` alone.
  static HostArray random_integers(Shape shape, Dtype dtype, std::uint64_t seed);
  // Uniform in [-1, 1) for floats; for integers as random_integers.
  static HostArray random(Shape shape, Dtype dtype, std::uint64_t seed);

  // Contents that a run without data (data mode off) needs no numbers for: a placeholder without bytes, which can be
  // copied to a tensor in such a run and nothing else. Indices and masks need their numbers: without them the rows that
  // a kernel takes are assumed (decision 0047).
  static HostArray unknown(Shape shape, Dtype dtype);

  const Shape& shape() const { return shape_; }
  Dtype dtype() const { return dtype_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte>& bytes() { return bytes_; }
  std::uint64_t nbytes() const { return bytes_.size(); }

  std::vector<double> to_doubles() const;               // exact for all but i64
  std::vector<std::int64_t> to_integers() const;        // integer dtypes only
  double at(std::int64_t row, std::int64_t col) const;  // two-dimensional arrays; program Error SHAPE_ERROR outside

  // The contents are not known because the run computes no data (data mode off); the elements are zeros, and what they
  // are copied to is unknown, too.
  bool placeholder() const { return placeholder_; }
  void set_placeholder(bool placeholder) { placeholder_ = placeholder; }

  // Up to `limit` rows and columns, for people.
  std::string to_string(std::int64_t limit = 8) const;

 private:
  Shape shape_;
  Dtype dtype_ = Dtype::f16;
  std::vector<std::byte> bytes_;
  bool placeholder_ = false;
};

}  // namespace kb::sw
