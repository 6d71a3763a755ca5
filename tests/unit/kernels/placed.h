// Tensors of the kernel tests that are split like those of a host program.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sw/tensor/placement.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/numbers.h"

namespace kb::tests {

// Matrices are row-major.
class Placed {
 public:
  Placed(std::string name, Dtype dtype, const Shape& shape, const sw::DPPolicy& policy, int cubes, int pes,
         std::uint64_t pa)
      : specs_(sw::resolve_dp_policy(policy, shape, dtype, {cubes, pes}, SipId{0}, name)) {
    layout_ = empty_layout(std::move(name), dtype, shape, sw::shard_shape(shape, specs_.front()));
    for (const sw::ShardSpec& spec : specs_) {
      const std::uint64_t index = spec.owner.cube.value * static_cast<std::uint64_t>(pes) + spec.owner.pe.value;
      layout_->shards.push_back({spec.owner, pa + index * std::uint64_t{0x1000000}, spec.nbytes, spec.offset_bytes,
                                 sw::shard_shape(shape, spec)});
    }
  }

  contract::KernelArg arg() const { return as_arg(layout_); }
  Numbers rounded(const Numbers& values) const {
    return data::to_doubles(layout_->dtype, data::from_doubles(layout_->dtype, values));
  }
  // Writes all copies; returns what they hold.
  Numbers write(Device& device, const Numbers& matrix) const {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const sw::ShardSpec& spec = specs_[i];
      Numbers part;
      for (std::int64_t row = spec.row; row < spec.row + spec.rows; ++row) {
        for (std::int64_t col = spec.col; col < spec.col + spec.cols; ++col) {
          part.push_back(at(matrix, row * layout_->shape[1] + col));
        }
      }
      const std::vector<std::byte> bytes = data::from_doubles(layout_->dtype, part);
      device.memory.write(layout_->shards[i].pa, bytes.data(), bytes.size());
    }
    return rounded(matrix);
  }
  // What is in the shards; copies must be equal, or the result is empty.
  Numbers read(Device& device) const {
    Numbers out(static_cast<std::size_t>(element_count(layout_->shape)));
    std::vector<bool> seen(out.size());
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const sw::ShardSpec& spec = specs_[i];
      const Numbers part = data::to_doubles(
          layout_->dtype, device.engine.read({Extent{layout_->shards[i].pa, layout_->shards[i].nbytes}}));
      for (std::int64_t e = 0; e < spec.rows * spec.cols; ++e) {
        const auto to =
            static_cast<std::size_t>((spec.row + e / spec.cols) * layout_->shape[1] + spec.col + e % spec.cols);
        const double value = at(part, e);
        if (seen[to] && out[to] != value && !(std::isnan(out[to]) && std::isnan(value))) return {};
        seen[to] = true;
        out[to] = value;
      }
    }
    return out;
  }

 private:
  std::vector<sw::ShardSpec> specs_;
  LayoutPtr layout_;
};

inline sw::DPPolicy split_by(sw::Split cube, sw::Split pe) {
  sw::DPPolicy policy;
  policy.cube = cube;
  policy.pe = pe;
  return policy;
}
// Layouts of a step of a model.
inline sw::DPPolicy weight_layout() {
  return split_by(sw::Split::row_wise, sw::Split::column_wise);
}
inline sw::DPPolicy copy_layout() {
  return split_by(sw::Split::replicate, sw::Split::column_wise);
}
inline sw::DPPolicy tile_layout() {
  return split_by(sw::Split::column_wise, sw::Split::row_wise);
}
inline sw::DPPolicy row_each_layout() {
  return split_by(sw::Split::row_wise, sw::Split::row_wise);
}
inline sw::DPPolicy everywhere() {
  return split_by(sw::Split::replicate, sw::Split::replicate);
}

}  // namespace kb::tests
