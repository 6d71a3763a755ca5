// One finished operation of the machine, complete enough to be logged, explained and computed again (P-67, P-69, P-70).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/account/place.h"
#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/pattern.h"
#include "platform/contract/source_line.h"
#include "platform/engine/command_ref.h"
#include "platform/engine/engine_id.h"
#include "platform/ops/epilogue.h"
#include "platform/ops/op_types.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::data {

enum class CopyName : std::uint8_t { dma_read, dma_write, ipcq_copy, ipcq_send, ipcq_recv };
// Moves bytes from `source` to `destination`; both have the same total size but may be split differently. The source is
// read completely before the destination changes, so that they may overlap.
struct CopyOp {
  CopyName name = CopyName::dma_read;
  std::vector<Extent> source;
  std::vector<Extent> destination;
  std::string direction{};  // of a message: queue of the executing PE and number in the queue; empty for other copies
  std::uint64_t sequence = 0;
  std::optional<Dtype> added{};  // atomic addition: the source is added to the destination, as numbers of this dtype
  // The run does not know the indices or the mask, so that a run with data copies other bytes or to another place.
  // `reachable` lists the possible destinations besides `destination`.
  bool assumed = false;
  std::vector<Extent> reachable{};
};

enum class WriteName : std::uint8_t { host_write, scratch_write };
// Writes bytes from outside the machine: a pattern, or `buffer` from `buffer_offset` on.
struct WriteOp {
  WriteName name = WriteName::host_write;
  std::vector<Extent> destination;
  contract::Pattern pattern;
  std::shared_ptr<const std::vector<std::byte>> buffer;  // null = pattern
  std::uint64_t buffer_offset = 0;
  bool known = false;  // contents are tracked in data mode off (KnownContents)
};

// out (m, n) = a (m, k) x b (k, n), accumulated in acc_dtype and rounded once to the dtype of `out` (P-90). The
// epilogues of a composite are applied before the rounding (P-18).
struct GemmOp {
  OperandRef a, b, out;
  Dtype acc_dtype = Dtype::f32;
  std::vector<Epilogue> epilogues{};
  std::int64_t tile_k = 0;  // depth of a K tile, for epilogues with scope k_tile
  bool composite = false;
  bool accumulate = false;  // out += a x b, in acc_dtype
};

// out = op(inputs); `axis` for reductions and softmax, as in math_result().
struct MathOpRecord {
  MathOp op = MathOp::add;
  std::vector<OperandRef> inputs;
  OperandRef out;
  std::optional<int> axis;
  bool composite = false;
  std::optional<OperandRef> positions{};  // second result of topk
  bool must_fit = false;                  // cast: VALUE_ERROR when an integer does not fit the dtype of `out`
  std::vector<Epilogue> epilogues{};      // of a composite; applied before the rounding (P-18)
};

// A command of a plug-in's engine: out = row(inputs, parameters).
struct EngineOp {
  engine::EngineId engine{};
  const engine::CommandRow* row = nullptr;  // lives as long as the machine
  std::vector<OperandRef> inputs;
  OperandRef out;
  std::vector<std::int64_t> parameters;
};

// An operation with timing only, which replay skips (P-69 "unknown").
struct OtherOp {
  std::string name;
};

// A tile stage of a composite, with timing only; the data comes from the composite's own record (P-72).
struct TileOp {
  plan::Stage stage;
  std::uint64_t composite = 0;  // number of the composite on its PE
  std::uint64_t tile = 0;
};

struct OpRecord {
  std::uint64_t id = 0;  // number of the request or command; never reused
  TimeFs start = 0_fs;   // service begins (P-68)
  TimeFs end = 0_fs;     // service ends
  NodeId component;      // the engine; not valid for the host
  std::variant<CopyOp, WriteOp, GemmOp, MathOpRecord, OtherOp, TileOp, EngineOp> op;
  // The call in the kernel that issued the operation, as in contract::Command; empty when there is none.
  const char* kernel = "";
  const char* call = "";
  std::uint64_t call_index = 0;
  account::PlaceId place{};   // whose time it is (contract::Command)
  contract::SourceLine at{};  // of the call

  // The engine that computed; no value for operations that only move bytes or take time.
  std::optional<engine::EngineId> engine() const;
  std::string_view kind() const;  // "memory", the name of that engine, or "unknown"
  std::string_view name() const;  // "dma_read", "gemm_f16", "exp", ...; valid while the record is unchanged
};

}  // namespace kb::data
