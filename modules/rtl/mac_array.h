// The pins of a MAC array, and a driver that clocks it through a product.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "modules/rtl/rtl_model.h"

namespace kb::modules {

// An array of kSize x kSize multiply-accumulators, i8 x i8 -> i32, that requests its operands. Ports and protocol are
// described in modules/rtl/sv/mac_array.sv.
class IMacArray {
 public:
  static constexpr std::int64_t kSize = 8;
  struct Inputs {
    bool reset = false;
    bool start = false;
    std::uint16_t m_blocks = 0, n_blocks = 0, k = 0;
    std::array<std::int8_t, kSize> a{}, b{};
  };
  struct Outputs {
    bool busy = false;
    bool in_ready = false;
    bool skewed = true;
    std::uint16_t block_m = 0, block_n = 0;
    std::uint32_t step = 0;
    bool out_valid = false;
    std::uint8_t out_row = 0;
    std::array<std::int32_t, kSize> sums{};
  };

  virtual ~IMacArray() = default;
  // Settles the inputs and applies a rising clock edge; returns the outputs after the edge.
  virtual Outputs clock(const Inputs& inputs) = 0;
};

// Creates models of modules/rtl/sv/mac_array.sv.
RtlMaker<IMacArray> mac_array_model();

// Operands of a product of m x k x n, row by row.
struct MacOperands {
  std::int64_t m = 0, k = 0, n = 0;
  std::vector<std::int8_t> a, b;

  // Generated operands with different numbers, equal in every run.
  static MacOperands pattern(std::int64_t m, std::int64_t k, std::int64_t n);
  MacOperands part(std::int64_t row, std::int64_t depth, std::int64_t column, std::int64_t rows, std::int64_t depths,
                   std::int64_t columns) const;
  std::int32_t sum(std::int64_t row, std::int64_t column) const;  // modulo 2^32
};

// Two copies of an array, with different contents of unwritten registers, clocked side by side.
class MacArrayRunner {
 public:
  // Larger products are split into parts of at most these sizes.
  static constexpr std::int64_t kMaxRows = 64, kMaxDepth = 1024, kMaxColumns = 64;

  // Error RTL_HANG when the array is busy without a sum for more than hang_cycles + k cycles.
  MacArrayRunner(const RtlMaker<IMacArray>& make, std::int64_t hang_cycles);

  // Clocks one part. Returns the cycles from the edge that takes `start` to the edge after which the array is idle.
  // Model Error when it hangs, when an output depends on a register that was never written, or (with `verify`) when a
  // sum is wrong.
  std::int64_t run(const MacOperands& operands, bool verify);

  // Does the same as run() edge by edge: begin() is the edge that takes `start`; advance() is called for each later
  // edge as long as busy is 1.
  void begin(const MacOperands& operands);
  void advance(const MacOperands& operands, bool verify);
  const IMacArray::Inputs& inputs() const { return in_; }     // at the last edge
  const IMacArray::Outputs& outputs() const { return out_; }  // after the last edge

 private:
  void reset();
  void clock();
  void compare() const;
  void feed(const MacOperands& operands);
  void check_row(const MacOperands& operands) const;
  [[noreturn]] void fail(RtlFault fault, const std::string& what) const;

  std::array<std::unique_ptr<IMacArray>, 2> copies_;
  std::int64_t hang_cycles_;
  IMacArray::Inputs in_;
  IMacArray::Outputs out_, other_;
  std::int64_t cycle_ = 0, silent_ = 0;
};

}  // namespace kb::modules
