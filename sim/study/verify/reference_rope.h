// Angles of rotary positions, derived once more for the reference.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/model/model_spec.h"

namespace kb::verify {

// Turns `head` of one token, whose element i belongs to element i + half (RoFormer's pairs in Hugging Face's order), by
// the angles of a position. Scalings as in transformers' modeling_rope_utils.py: linear, llama3, yarn.
class ReferenceRope {
 public:
  ReferenceRope(const model::RopeSpec& rope, std::int64_t head_dim);
  void turn(double* head, std::int64_t position) const;

 private:
  std::vector<double> turns_per_token_;  // in radians, of each pair
  double length_ = 1;                    // that a turned pair is multiplied by
};

}  // namespace kb::verify
