// Commands a kernel gives to the engines of its PE (P-2 .. P-9). One command = one engine operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/op_types.h"

namespace kb::contract {

enum class CommandKind : std::uint8_t { dma_read, dma_write, gemm, math, cpu_overhead };
std::string_view command_kind_name(CommandKind kind);

struct Command {
  CommandKind kind = CommandKind::cpu_overhead;

  // dma_read: memory -> local; dma_write: local -> memory. Extents are physical, in order; equal total sizes.
  std::vector<Extent> memory;  // HBM or SRAM, each inside one slice or window
  std::vector<Extent> local;   // this PE's TCM

  // gemm: out(m,n) = a(m,k) * b(k,n), accumulated in acc_dtype. math: out = op(inputs), axis for reductions.
  MathOp math_op{};
  std::vector<OperandRef> inputs;
  OperandRef out;
  std::int64_t m = 0, k = 0, n = 0;
  Dtype acc_dtype = Dtype::f32;
  std::optional<int> axis;

  std::int64_t cycles = 0;  // cpu_overhead

  // What the kernel was doing, for the who-waits-for-what table: "dot", and its number among the kernel's calls.
  const char* call = "";  // a string with static lifetime
  std::uint64_t call_index = 0;
};

}  // namespace kb::contract
