#include "platform/data/op_record.h"

#include <array>

#include "platform/contract/command.h"
#include "platform/engine/built_in_engines.h"

namespace kb::data {
namespace {

constexpr std::array<std::string_view, 5> kCopyNames{"dma_read", "dma_write", "ipcq_copy", "ipcq_send", "ipcq_recv"};

// "gemm_f16", by dtype
const std::array<std::string, kDtypes>& product_names() {
  static const std::array<std::string, kDtypes> names = [] {
    std::array<std::string, kDtypes> out;
    for (std::size_t dtype = 0; dtype < out.size(); ++dtype) {
      out[dtype] = engine::product_command().row->name + "_" + std::string(dtype_name(static_cast<Dtype>(dtype)));
    }
    return out;
  }();
  return names;
}

// "composite_gemm", by engine
std::string_view composite_name(engine::EngineId engine) {
  static const std::array<std::string, engine::kBuiltInEngines> names = [] {
    std::array<std::string, engine::kBuiltInEngines> out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = contract::command_name(contract::CommandKind::composite, static_cast<engine::EngineId>(i));
    }
    return out;
  }();
  return names.at(index_of(engine));
}

// "TileToken/DMA_READ"
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
    if (op.composite) return composite_name(engine::product_command().engine);
    return product_names()[static_cast<std::size_t>(named_dtype(op.a.dtype, op.b.dtype))];
  }
  std::string_view operator()(const MathOpRecord& op) const {
    return op.composite ? composite_name(engine::math_command(op.op).engine) : math_op_name(op.op);
  }
  std::string_view operator()(const OtherOp& op) const { return op.name; }
  std::string_view operator()(const TileOp& op) const { return tile_names()[static_cast<std::size_t>(op.stage.type)]; }
  std::string_view operator()(const EngineOp& op) const { return op.row->name; }
};

}  // namespace

std::optional<engine::EngineId> OpRecord::engine() const {
  if (std::holds_alternative<GemmOp>(op)) return engine::product_command().engine;
  if (const auto* const math = std::get_if<MathOpRecord>(&op)) return engine::math_command(math->op).engine;
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
