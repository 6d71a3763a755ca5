// Computes operations on the memory store. Floats compute in f32 and are rounded once per operation to the output's
// dtype; integers wrap in two's complement; NaNs are written as the positive quiet NaN on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "platform/data/memory_store.h"
#include "platform/data/op_record.h"

namespace kb::data {

class Executor {
 public:
  explicit Executor(MemoryStore& memory);

  // Model Error when extents and shapes of the record disagree. Program Errors: DIVISION_BY_ZERO (integers),
  // VALUE_ERROR (cast, and sums of integers that do not fit), UNWRITTEN_READ, and those of math_result() and
  // gemm_result().
  void execute(const OpRecord& record);

 private:
  void run(const CopyOp& op);
  void run(const WriteOp& op);
  void run(const GemmOp& op);
  void run(const MathOpRecord& op);
  void run(const EngineOp& op);
  void run(const OtherOp&) {}
  void run(const TileOp&) {}

  // Adds bytes_ to the destination one element after the other, so that repeated addresses accumulate.
  void add_to(const std::vector<Extent>& destination, Dtype dtype);
  template <typename Wide>
  void run_math(const MathOpRecord& op, const Shape& full);
  void run_cast(const MathOpRecord& op);
  void run_rand(const MathOpRecord& op);
  void run_repacking(const MathOpRecord& op);
  // Operations that select or place elements: argmax, argmin, topk, concat.
  void run_selection(const MathOpRecord& op);
  template <typename Wide>
  void run_arg(const MathOpRecord& op);
  template <typename Wide>
  void run_topk(const MathOpRecord& op);
  template <typename Wide>
  void run_concat(const MathOpRecord& op);
  // Loads the elements of an operand, transposed and broadcast to `shape`.
  template <typename Wide>
  void load(const OperandRef& operand, const Shape& shape, std::vector<Wide>& out);
  template <typename Wide>
  void store(const OperandRef& out, const std::vector<Wide>& values);
  // Stores integers that must fit the dtype; `what` and `remedy` go into the VALUE_ERROR.
  void store_fitting(std::string_view what, const OperandRef& out, const std::vector<std::int64_t>& values,
                     std::string_view remedy);
  // Operands of a matrix product, in the type of the computation.
  template <typename Acc>
  struct Matrices {
    std::vector<Acc> a, b, out;
  };
  // Returns the largest magnitude of integer elements.
  template <typename Acc>
  std::uint64_t load_matrix(const OperandRef& operand, std::vector<Acc>& out);
  template <typename Acc>
  void multiply(const GemmOp& op, Matrices<Acc>& use);
  void store_product(const GemmOp& op, const std::vector<std::int64_t>& values);
  void multiply_exactly(const GemmOp& op);  // for integers whose sums may overflow the accumulator
  // Intermediate results of composites with epilogues.
  struct Product;
  void multiply_with_epilogues(const GemmOp& op);
  void run_with_epilogues(const MathOpRecord& op);
  void apply(const Epilogue& epilogue, Product& x, std::int64_t k_tile);
  template <typename Wide>
  void apply_elementwise(const Epilogue& epilogue, Product& x, std::int64_t k_tile);
  void apply_where(const Epilogue& epilogue, Product& x, std::int64_t k_tile);

  MemoryStore& memory_;
  // Buffers that the next operation reuses, because fresh pages cost as much as writing them.
  std::vector<std::byte> bytes_;
  Matrices<float> floats_;
  Matrices<std::uint32_t> words_;
  Matrices<std::uint64_t> long_words_;
};

// Model Error unless the extents hold exactly the operand's elements.
void check_extents(const OperandRef& operand);

}  // namespace kb::data
