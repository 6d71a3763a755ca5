#include "platform/data/op_record.h"

#include <array>

#include "platform/engine/engine_row.h"

namespace kb::data {
namespace {

constexpr std::array<std::string_view, 5> kCopyNames{"dma_read", "dma_write", "ipcq_copy", "ipcq_send", "ipcq_recv"};
constexpr std::array<std::string_view, kDtypes> kGemmNames{"gemm_f16", "gemm_bf16", "gemm_f32",  "gemm_i8",  "gemm_i16",
                                                           "gemm_i32", "gemm_i64",  "gemm_e4m3", "gemm_e5m2"};

// "TileToken/GEMM"
const std::array<std::string, plan::kStageTypes>& tile_names() {
  static const std::array<std::string, plan::kStageTypes> names = [] {
    std::array<std::string, plan::kStageTypes> out;
    for (std::size_t type = 0; type < out.size(); ++type) {
      out[type] = "TileToken/" + std::string(stage_type_name(static_cast<plan::StageType>(type)));
    }
    return out;
  }();
  return names;
}

struct Naming {
  std::string_view operator()(const CopyOp& op) const {
    return op.added ? "atomic_add" : kCopyNames[static_cast<std::size_t>(op.name)];
  }
  std::string_view operator()(const WriteOp& op) const {
    return op.name == WriteName::host_write ? "host_write" : "scratch_write";
  }
  std::string_view operator()(const GemmOp& op) const {
    return op.composite ? "composite_gemm" : kGemmNames[static_cast<std::size_t>(named_dtype(op.a.dtype, op.b.dtype))];
  }
  std::string_view operator()(const MathOpRecord& op) const {
    return op.composite ? "composite_math" : math_op_name(op.op);
  }
  std::string_view operator()(const OtherOp& op) const { return op.name; }
  std::string_view operator()(const TileOp& op) const { return tile_names()[static_cast<std::size_t>(op.stage.type)]; }
  std::string_view operator()(const EngineOp& op) const { return op.row->name; }
};

}  // namespace

std::optional<engine::EngineId> OpRecord::engine() const {
  if (std::holds_alternative<GemmOp>(op)) return engine::EngineId::gemm;
  if (std::holds_alternative<MathOpRecord>(op)) return engine::EngineId::math;
  const auto* const of_plugin = std::get_if<EngineOp>(&op);
  return of_plugin == nullptr ? std::nullopt : std::optional(of_plugin->engine);
}

std::string_view OpRecord::kind() const {
  if (const auto computed_by = engine()) return engine::engine_word(*computed_by).name;
  const bool moves = std::holds_alternative<CopyOp>(op) || std::holds_alternative<WriteOp>(op);
  return moves ? "memory" : "unknown";
}

std::string_view OpRecord::name() const {
  return std::visit(Naming{}, op);
}

}  // namespace kb::data
