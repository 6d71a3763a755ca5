// Verification of Y = X x W + b, which may be too large for a complete reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/data/verification.h"
#include "sw/tensor/host_array.h"

namespace kb::sw {

struct LinearProblem {
  const HostArray* x = nullptr;     // (m, k)
  const HostArray* w = nullptr;     // (k, n)
  const HostArray* bias = nullptr;  // (1, n); may be null
};

struct LinearVerdict {
  std::vector<data::VerificationRow> rows;
  std::string note;  // describes what was not verified
};
// Up to `most_products` every element is compared. Beyond that, evenly spaced columns are compared and, for integers, a
// checksum of each row with odd weights, which a single wrong element always changes; rows with a wrong checksum are
// compared element by element.
constexpr double kMaxProducts = 0x1p29;
LinearVerdict linear_verdict(const std::string& tensor, const LinearProblem& problem, const HostArray& y,
                             double most_products = kMaxProducts);

}  // namespace kb::sw
