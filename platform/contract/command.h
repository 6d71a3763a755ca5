// Commands that a kernel gives to the engines of its PE (P-2 .. P-10). A simple command is one engine operation; a
// composite command is split into tiles.
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
#include "platform/engine/engine_id.h"
#include "platform/ops/epilogue.h"
#include "platform/ops/op_types.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::engine {
struct CommandRow;
}

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
  barrier,
  engine  // a command of a plug-in's engine
};
inline constexpr std::size_t kCommandKinds = static_cast<std::size_t>(CommandKind::engine) + 1;
constexpr bool is_composite(CommandKind kind) {
  return kind == CommandKind::composite_gemm || kind == CommandKind::composite_math;
}
constexpr bool is_queue(CommandKind kind) {
  return kind == CommandKind::ipcq_send || kind == CommandKind::ipcq_recv;
}
constexpr bool is_transfer(CommandKind kind) {
  return kind == CommandKind::dma_read || kind == CommandKind::dma_write;
}
std::string_view command_kind_name(CommandKind kind);

struct Command {
  CommandKind kind = CommandKind::cpu_overhead;

  // dma_read copies memory -> local, dma_write copies local -> memory. The extents are in order and both lists have the
  // same total size. An address carries its address space (platform/address/address_space.h): a physical address is the
  // plain number, a virtual address is tagged.
  std::vector<Extent> memory;  // HBM or SRAM; a physical extent lies inside one slice or window
  std::vector<Extent> local;   // physical addresses in this PE's TCM
  // Set for an atomic addition: the dma_write adds its data to the memory contents, as numbers of this dtype, in one
  // step when the command ends.
  std::optional<Dtype> added;
  // Marks a dma_read that the kernel may never use. The data counts as read once the kernel has waited for the command.
  bool prefetch = false;
  // The run does not know the indices or the mask of this access; the extents in memory are assumed ones (decision
  // 0047).
  bool assumed = false;
  std::vector<Extent> reachable;  // all addresses that an assumed dma_write by indices could write

  // gemm: out(m,n) = a(m,k) * b(k,n), accumulated in acc_dtype. math: out = op(inputs), axis for reductions.
  MathOp math_op{};
  std::vector<OperandRef> inputs;
  OperandRef out;
  std::optional<OperandRef> positions;  // second result of topk
  std::int64_t m = 0, k = 0, n = 0;
  Dtype acc_dtype = Dtype::f32;
  bool accumulate = false;  // gemm: adds the product to `out`, in acc_dtype, with one rounding
  bool must_fit = false;    // cast: VALUE_ERROR when an integer does not fit the dtype of `out`
  std::optional<int> axis;

  // engine: the command `row` of that engine reads `inputs` and writes `out`. The row lives as long as the machine.
  engine::EngineId engine{};
  const engine::CommandRow* row = nullptr;
  std::vector<std::int64_t> parameters;  // in the order of the row's parameters

  // Composites compute the same from memory to memory, tile by tile. A pinned operand is in the TCM, so that no tile
  // transfers it. A composite MATH command has one input, which it treats as m rows of n elements.
  TileShape tile_shape;
  std::array<bool, 2> pinned{};   // for each input
  std::array<bool, 2> strided{};  // for each input: the rows are parts of wider rows, with one or more extents each
  bool out_pinned = false;
  std::vector<Epilogue> epilogues;
  ReuseA reuse_a = ReuseA::off;  // composite GEMM

  std::int64_t cycles = 0;  // cpu_overhead
  BarrierScope scope = BarrierScope::cube;

  // ipcq_send: `local` holds the message, in any address space. ipcq_recv: `local` is the destination and has exactly
  // the size of the message. A receive without a direction takes a message from any direction that has one.
  std::string direction;
  bool charge_slot = true;  // ipcq_recv: charge the time of reading the slot

  // The call in the kernel that issued the command ("dot") and its index among the kernel's calls, for the table of
  // waits in a deadlock report and for errors of the data engine.
  const char* kernel = "";  // strings with static lifetime
  const char* call = "";
  std::uint64_t call_index = 0;
};

// The engine that executes a simple command; no value for transfers, messages and composites.
constexpr std::optional<engine::EngineId> engine_of(const Command& command) {
  if (command.kind == CommandKind::engine) return command.engine;
  if (command.kind != CommandKind::gemm && command.kind != CommandKind::math) return std::nullopt;
  return static_cast<engine::EngineId>(static_cast<int>(command.kind) - static_cast<int>(CommandKind::gemm));
}
// Commands of one name: "gemm_f16", "exp", "transpose", "atomic_add", "dma_read". Of a kind, `operation_number` tells
// the names apart that do not come from a plug-in.
inline constexpr std::size_t kOperationNumbers = 64;
static_assert(kMathOps <= kOperationNumbers);
std::uint32_t operation_number(const Command& command);
std::string operation_name(const Command& command);

}  // namespace kb::contract
