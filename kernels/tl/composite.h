// Composites: operations from memory to memory that run tile by tile beside the kernel (P-54, P-57).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/tl/tensor_handle.h"
#include "platform/base/epilogue.h"
#include "platform/contract/command.h"

namespace kb::tl {

class Context;

using plan::TileShape;  // elements; k is not used by element-wise composites

// A step on the product of a composite GEMM (P-14); kb::EpilogueOp says what each computes. Tensors broadcast to the
// product (m, n): one value per column is (n), one per row (m, 1). In scope k_tile a tensor of shape (K tiles, m or 1,
// n or 1) has a slice for each K tile.
class Epilogue {
 public:
  static Epilogue dequant(const Operand& scale, EpilogueScope scope = EpilogueScope::output_tile) {
    return {EpilogueOp::dequant, &scale, scope};
  }
  static Epilogue bias(const Operand& bias, EpilogueScope scope = EpilogueScope::output_tile) {
    return {EpilogueOp::bias, &bias, scope};
  }
  static Epilogue relu(EpilogueScope scope = EpilogueScope::output_tile) { return {EpilogueOp::relu, nullptr, scope}; }
  static Epilogue scale(const Operand& factor, EpilogueScope scope = EpilogueScope::output_tile) {
    return {EpilogueOp::scale, &factor, scope};
  }

  EpilogueOp op() const { return op_; }
  EpilogueScope scope() const { return scope_; }
  const std::optional<TensorHandle>& tensor() const { return tensor_; }
  const std::optional<Scalar>& number() const { return number_; }

 private:
  Epilogue(EpilogueOp op, const Operand* operand, EpilogueScope scope) : op_(op), scope_(scope) {
    if (operand == nullptr) return;
    if (operand->handle() != nullptr) {
      tensor_ = *operand->handle();
    } else {
      number_ = operand->number();
    }
  }

  EpilogueOp op_;
  EpilogueScope scope_;
  std::optional<TensorHandle> tensor_;
  std::optional<Scalar> number_;
};

struct CompositeOptions {
  std::optional<TileShape> tile_shape;  // absent: the one of the PE's scheduler
  std::optional<Dtype> acc_dtype;       // absent: as dot
  std::vector<Epilogue> epilogue;       // GEMM only
};

}  // namespace kb::tl
