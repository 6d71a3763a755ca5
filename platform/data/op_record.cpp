#include "platform/data/op_record.h"

#include <array>

namespace kb::data {
namespace {

constexpr std::array<std::string_view, 5> kCopyNames{"dma_read", "dma_write", "ipcq_copy", "ipcq_send", "ipcq_recv"};
constexpr std::array<std::string_view, kDtypes> kGemmNames{"gemm_f16", "gemm_bf16", "gemm_f32",  "gemm_i8",  "gemm_i16",
                                                           "gemm_i32", "gemm_i64",  "gemm_e4m3", "gemm_e5m2"};

constexpr std::array<std::string_view, plan::kStageTypes> kTileNames{"TileToken/DMA_READ", "TileToken/FETCH",
                                                                     "TileToken/GEMM",     "TileToken/MATH",
                                                                     "TileToken/STORE",    "TileToken/DMA_WRITE"};

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
  std::string_view operator()(const TileOp& op) const { return kTileNames[static_cast<std::size_t>(op.stage.type)]; }
};

}  // namespace

std::string_view op_kind_name(OpKind kind) {
  switch (kind) {
    case OpKind::memory:
      return "memory";
    case OpKind::gemm:
      return "gemm";
    case OpKind::math:
      return "math";
    case OpKind::unknown:
      return "unknown";
  }
  return "unknown";
}

OpKind OpRecord::kind() const {
  static constexpr OpKind kKinds[] = {OpKind::memory, OpKind::memory,  OpKind::gemm,
                                      OpKind::math,   OpKind::unknown, OpKind::unknown};
  return kKinds[op.index()];
}

std::string_view OpRecord::name() const {
  return std::visit(Naming{}, op);
}

}  // namespace kb::data
