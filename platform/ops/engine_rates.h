// Rates of the engines of a PE by dtype.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "platform/base/dtype.h"
#include "platform/base/quantities.h"

namespace kb {

// Default rate of a dtype relative to f16, for machines that do not set it. On a MAC array the area of an integer
// product grows with the square of its width: the ratios are those of AMD's AIE-ML tile (AM020, table 1: 512 INT8, 256
// bfloat16, 128 INT16, 32 INT32 operations per cycle) and, for f32 as TF32, of NVIDIA's A100 (156 TFLOPS, f16 312
// TFLOPS). A SIMD unit has registers of fixed width, so that its rate is proportional to the number of elements per
// register.
double rate_ratio(RateUnit unit, Dtype dtype);

// A rate for each dtype, as the number in the configuration file.
class DtypeRates {  // for dtypes of tensors
 public:
  DtypeRates() = default;
  // Sets the rate of f16 and derives the others by their ratios.
  DtypeRates(RateUnit unit, double f16);

  double of(Dtype dtype) const { return rates_.at(static_cast<std::size_t>(dtype)); }
  void set(Dtype dtype, double rate) { rates_.at(static_cast<std::size_t>(dtype)) = rate; }

 private:
  std::array<double, kDtypes> rates_{};
};

// Rates of one engine.
template <RateUnit unit>
struct EngineRates : DtypeRates {
  EngineRates() = default;
  explicit EngineRates(double f16) : DtypeRates(unit, f16) {}
  explicit EngineRates(const DtypeRates& rates) : DtypeRates(rates) {}
  Rate<unit> of(Dtype dtype) const { return Rate<unit>(DtypeRates::of(dtype)); }
};
using MacRates = EngineRates<RateUnit::macs>;
// A product of `a` and `b` has the rate of the slower dtype; i4 has the rate of the other operand.
MacRate product_rate(const MacRates& rates, Dtype a, Dtype b);
using ElementRates = EngineRates<RateUnit::elements>;

}  // namespace kb
