// Commands a kernel gives to the engines of its PE (P-2 .. P-10). A simple command is one engine operation; a composite
// is split into tiles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/reuse_a.h"
#include "platform/contract/barrier_scope.h"
#include "platform/ops/epilogue.h"
#include "platform/ops/op_types.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::contract {

enum class CommandKind : std::uint8_t {
  dma_read,
  dma_write,
  gemm,
  math,
  composite_gemm,
  composite_math,
  cpu_overhead,
  ipcq_send,
  ipcq_recv,
  barrier
};
constexpr bool is_composite(CommandKind kind) {
  return kind == CommandKind::composite_gemm || kind == CommandKind::composite_math;
}
constexpr bool is_queue(CommandKind kind) {
  return kind == CommandKind::ipcq_send || kind == CommandKind::ipcq_recv;
}
std::string_view command_kind_name(CommandKind kind);

struct Command {
  CommandKind kind = CommandKind::cpu_overhead;

  // dma_read: memory -> local; dma_write: local -> memory. Extents in order; equal total sizes. Addresses carry their
  // space (platform/address/address_space.h): a physical one is the plain number, a virtual one is tagged.
  std::vector<Extent> memory;  // HBM or SRAM; a physical one inside one slice or window
  std::vector<Extent> local;   // this PE's TCM, physical
  // A dma_write with a dtype adds its data to what is in memory as numbers of it, in one step when the command ends.
  std::optional<Dtype> added;
  // A dma_read that the kernel may never look at; what it reads counts once the kernel has waited for it.
  bool prefetch = false;
  // The extents in memory stand for those of indices or of a mask that this run does not know (decision 0047).
  bool assumed = false;
  std::vector<Extent> reachable;  // of an assumed dma_write by indices: all that they could name

  // gemm: out(m,n) = a(m,k) * b(k,n), accumulated in acc_dtype. math: out = op(inputs), axis for reductions.
  MathOp math_op{};
  std::vector<OperandRef> inputs;
  OperandRef out;
  std::optional<OperandRef> positions;  // topk only: its second result
  std::int64_t m = 0, k = 0, n = 0;
  Dtype acc_dtype = Dtype::f32;
  bool accumulate = false;  // gemm: out(m,n) += a(m,k) * b(k,n), in acc_dtype, rounded once
  bool must_fit = false;    // cast: integers that do not fit into the dtype of `out` are VALUE_ERROR
  std::optional<int> axis;

  // Composites compute the same from memory to memory, tile by tile. A pinned operand is in the TCM: no tile reads it
  // from memory, or writes it there. Math ones have one input and take it as m rows of n elements.
  TileShape tile_shape;
  std::array<bool, 2> pinned{};   // per input
  std::array<bool, 2> strided{};  // per input: rows of a wider matrix, one or more extents each
  bool out_pinned = false;
  std::vector<Epilogue> epilogues;
  ReuseA reuse_a = ReuseA::off;  // composite GEMM

  std::int64_t cycles = 0;  // cpu_overhead
  BarrierScope scope = BarrierScope::cube;

  // ipcq_send: `local` is what is sent, from any address space. ipcq_recv: `local` is where the contents go, of exactly
  // the message's size. A receive without a direction takes what any of them has.
  std::string direction;
  bool charge_slot = true;  // receive only: pay for reading the slot

  // What the kernel was doing, for the who-waits-for-what table and errors of the data engine: "dot", and its number
  // among the kernel's calls.
  const char* kernel = "";  // strings that live until the program ends
  const char* call = "";
  std::uint64_t call_index = 0;
};

}  // namespace kb::contract
