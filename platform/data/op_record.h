// One finished operation of the machine, complete enough to be logged, explained and computed again (P-67, P-69, P-70).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/pattern.h"
#include "platform/ops/epilogue.h"
#include "platform/ops/op_types.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::data {

enum class OpKind : std::uint8_t { memory, gemm, math, unknown };
std::string_view op_kind_name(OpKind kind);

enum class CopyName : std::uint8_t { dma_read, dma_write, ipcq_copy, ipcq_send, ipcq_recv };
// Bytes move from `source` to `destination`; the totals are equal, the pieces need not be. The source is taken whole
// before the destination changes, so that overlap is harmless.
struct CopyOp {
  CopyName name = CopyName::dma_read;
  std::vector<Extent> source;
  std::vector<Extent> destination;
  std::string direction{};  // of a message: the queue of the PE that did it, and its number there; else empty
  std::uint64_t sequence = 0;
  std::optional<Dtype> added{};  // the source is added to the destination, as numbers of this dtype
  // The run does not know the indices or the mask: what is copied, or where to, is not what a run with data copies.
  // `reachable` are the places besides `destination` that the real ones could name.
  bool assumed = false;
  std::vector<Extent> reachable{};
};

enum class WriteName : std::uint8_t { host_write, scratch_write };
// Bytes known outside the machine: a pattern, or `buffer` from `buffer_offset` on.
struct WriteOp {
  WriteName name = WriteName::host_write;
  std::vector<Extent> destination;
  contract::Pattern pattern;
  std::shared_ptr<const std::vector<std::byte>> buffer;  // null = pattern
  std::uint64_t buffer_offset = 0;
  bool known = false;  // in data mode off, too (KnownContents)
};

// out (m, n) = a (m, k) x b (k, n), accumulated in acc_dtype, rounded once to the dtype of `out` (P-90); a composite's
// epilogues are applied before that (P-18).
struct GemmOp {
  OperandRef a, b, out;
  Dtype acc_dtype = Dtype::f32;
  std::vector<Epilogue> epilogues{};
  std::int64_t tile_k = 0;  // depth of a K tile, for epilogues of scope k_tile
  bool composite = false;
  bool accumulate = false;  // out += a x b, in acc_dtype
};

// out = op(inputs); `axis` of reductions and softmax as in math_result().
struct MathOpRecord {
  MathOp op = MathOp::add;
  std::vector<OperandRef> inputs;
  OperandRef out;
  std::optional<int> axis;
  bool composite = false;
  std::optional<OperandRef> positions{};  // of topk: its second result
  bool must_fit = false;                  // cast: integers that do not fit into the dtype of `out` are VALUE_ERROR
  std::vector<Epilogue> epilogues{};      // of a composite; applied before the result is rounded (P-18)
};

// Timing only; replay skips it (P-69 "unknown").
struct OtherOp {
  std::string name;
};

// A stage of a tile of a composite: timing only; the numbers come from the composite's own record (P-72).
struct TileOp {
  plan::Stage stage;
  std::uint64_t composite = 0;  // its number on the PE
  std::uint64_t tile = 0;
};

struct OpRecord {
  std::uint64_t id = 0;  // of the request or command; not an address, never re-used
  TimeFs start = 0_fs;   // service begins (P-68)
  TimeFs end = 0_fs;     // service ends
  NodeId component;      // the engine that did it; none for the host
  std::variant<CopyOp, WriteOp, GemmOp, MathOpRecord, OtherOp, TileOp> op;
  // The kernel's call that asked for it, as in contract::Command; "" when none did.
  const char* kernel = "";
  const char* call = "";
  std::uint64_t call_index = 0;

  OpKind kind() const;
  std::string_view name() const;  // "dma_read", "gemm_f16", "exp", ...; valid as long as the record is unchanged
};

}  // namespace kb::data
