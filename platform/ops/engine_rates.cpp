#include "platform/ops/engine_rates.h"

#include <algorithm>

#include "platform/ops/op_types.h"

namespace kb {

double rate_ratio(RateUnit unit, Dtype dtype) {
  if (unit == RateUnit::elements) return static_cast<double>(item_size(Dtype::f16)) / item_size(dtype);
  switch (dtype) {
    case Dtype::f16:
    case Dtype::bf16:
    case Dtype::e4m3:  // converted to f16 for the computation
    case Dtype::e5m2:
      return 1.0;
    case Dtype::f32:
      return 0.5;
    case Dtype::i8:
      return 2.0;
    case Dtype::i16:
      return 0.5;
    case Dtype::i32:
      return 0.125;
    case Dtype::i64:
      return 0.03125;
    case Dtype::i4:
      break;
  }
  return 1.0;
}

MacRate product_rate(const MacRates& rates, Dtype a, Dtype b) {
  const Dtype met = product_dtype(a, b).value_or(a);
  const auto rate = [&](Dtype dtype) { return rates.of(dtype == Dtype::i4 ? met : dtype); };
  return std::min(rate(a), rate(b));
}

DtypeRates::DtypeRates(RateUnit unit, double f16) {
  for (std::size_t i = 0; i < kDtypes; ++i) rates_[i] = f16 * rate_ratio(unit, static_cast<Dtype>(i));
}

}  // namespace kb
