// Commands that a kernel gives to the engines of its PE (P-2 .. P-10). A simple command is one engine operation; a
// composite command is split into tiles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/account/place.h"
#include "platform/base/dtype.h"
#include "platform/base/reuse_a.h"
#include "platform/contract/barrier_scope.h"
#include "platform/contract/source_line.h"
#include "platform/engine/command_ref.h"
#include "platform/engine/engine_id.h"
#include "platform/ops/epilogue.h"
#include "platform/ops/op_types.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::contract {

enum class CommandKind : std::uint8_t {
  dma_read,
  dma_write,
  engine,     // a command of any engine
  composite,  // a command of a built-in engine, tile by tile
  cpu_overhead,
  ipcq_send,
  ipcq_recv,
  barrier
};
constexpr bool is_composite(CommandKind kind) {
  return kind == CommandKind::composite;
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

  // engine, composite: the engine and its command `row`, which lives as long as the machine. The form of the row says
  // what is computed.
  engine::EngineId engine{};
  const engine::CommandRow* row = nullptr;
  void use(const engine::CommandRef& called) {
    engine = called.engine;
    row = called.row;
  }

  // product: out(m,n) = a(m,k) * b(k,n), accumulated in acc_dtype. math_op: out = op(inputs), axis for reductions.
  // function: `row` reads `inputs` and writes `out`.
  MathOp math_op{};
  std::vector<OperandRef> inputs;
  OperandRef out;
  std::optional<OperandRef> positions;  // second result of topk
  std::int64_t m = 0, k = 0, n = 0;
  Dtype acc_dtype = Dtype::f32;
  bool accumulate = false;  // product: adds the product to `out`, in acc_dtype, with one rounding
  bool must_fit = false;    // cast: VALUE_ERROR when an integer does not fit the dtype of `out`
  std::optional<int> axis;
  std::vector<std::int64_t> parameters;  // function: in the order of the row's parameters

  // Composites compute the same from memory to memory, tile by tile. A pinned operand is in the TCM, so that no tile
  // transfers it. A composite of a math_op has one input, which it treats as m rows of n elements.
  TileShape tile_shape;
  std::array<bool, 2> pinned{};   // for each input
  std::array<bool, 2> strided{};  // for each input: the rows are parts of wider rows, with one or more extents each
  bool out_pinned = false;
  std::vector<Epilogue> epilogues;
  ReuseA reuse_a = ReuseA::off;  // of a product

  std::int64_t cycles = 0;  // cpu_overhead
  BarrierScope scope = BarrierScope::cube;

  // ipcq_send: `local` holds the message, in any address space. ipcq_recv: `local` is the destination and has exactly
  // the size of the message. A receive without a direction takes a message from any direction that has one.
  std::string direction;
  bool charge_slot = true;  // ipcq_recv: charge the time of reading the slot

  // The call in the kernel that issued the command ("dot"), its index among the kernel's calls, and its line, for the
  // table of waits in a deadlock report, for races and for errors of the data engine.
  const char* kernel = "";  // strings with static lifetime
  const char* call = "";
  std::uint64_t call_index = 0;
  SourceLine at;  // line of the call

  // Place of its transactions: the line of the call, with the tensor that a transfer reads or writes.
  account::PlaceId place;
  // The same for the operands of a composite in memory: first and second input, output; and for those of its epilogues.
  std::array<account::PlaceId, 3> operand_places{};
  std::vector<std::array<account::PlaceId, kEpilogueInputs>> epilogue_places;
};

// The engine that executes a simple command; no value for transfers, messages and composites.
constexpr std::optional<engine::EngineId> engine_of(const Command& command) {
  return command.kind == CommandKind::engine ? std::optional(command.engine) : std::nullopt;
}
// What a command of an engine, or a composite, computes.
engine::CommandForm form_of(const Command& command);

// The kind, with the name of the engine: "dma_read", "transpose", "composite_gemm".
std::string command_name(CommandKind kind, engine::EngineId engine);

// Name of the operation: "gemm_f16", "exp", "transpose", "atomic_add", "dma_read". Names have numbers, except those of
// commands of plug-ins.
inline constexpr std::size_t kNamesPerKind = 64;  // and of each built-in engine
inline constexpr std::size_t kOperationNumbers =
    (static_cast<std::size_t>(CommandKind::barrier) - 1 + 2 * engine::kBuiltInEngines) * kNamesPerKind;
std::optional<std::size_t> operation_number(const Command& command);
std::string operation_name(const Command& command);

}  // namespace kb::contract
