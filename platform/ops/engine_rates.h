// How fast the engines of a PE work on each dtype.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "platform/base/dtype.h"
#include "platform/base/quantities.h"

namespace kb {

// Rate of a dtype in units of f16's, where the machine names none. A MAC array spends area on a product, which for wide
// integers grows with the square of the width: the ratios are those of AMD's AIE-ML tile (AM020, table 1: 512 INT8, 256
// bfloat16, 128 INT16, 32 INT32 operations per cycle) and, for f32 as TF32, of NVIDIA's A100 (156 beside 312 TFLOPS of
// f16). A SIMD unit has registers of a fixed width: its rate goes with the elements that fit.
double rate_ratio(RateUnit unit, Dtype dtype);

// A rate for each dtype, as the number that a file has.
class DtypeRates {  // of dtypes of tensors
 public:
  DtypeRates() = default;
  // The rate of f16, which the others follow by their ratios.
  DtypeRates(RateUnit unit, double f16);

  double of(Dtype dtype) const { return rates_.at(static_cast<std::size_t>(dtype)); }
  void set(Dtype dtype, double rate) { rates_.at(static_cast<std::size_t>(dtype)) = rate; }

 private:
  std::array<double, kDtypes> rates_{};
};

// The rates of one engine.
template <RateUnit unit>
struct EngineRates : DtypeRates {
  EngineRates() = default;
  explicit EngineRates(double f16) : DtypeRates(unit, f16) {}
  explicit EngineRates(const DtypeRates& rates) : DtypeRates(rates) {}
  Rate<unit> of(Dtype dtype) const { return Rate<unit>(DtypeRates::of(dtype)); }
};
using MacRates = EngineRates<RateUnit::macs>;
// The rate of products of `a` and `b` is that of the slower one; i4 is as fast as what it meets.
MacRate product_rate(const MacRates& rates, Dtype a, Dtype b);
using ElementRates = EngineRates<RateUnit::elements>;

}  // namespace kb
