#include "platform/data/op_record.h"

namespace kb::data {
namespace {

struct Naming {
  std::string operator()(const CopyOp& op) const {
    switch (op.name) {
      case CopyName::dma_read:
        return "dma_read";
      case CopyName::dma_write:
        return "dma_write";
      case CopyName::ipcq_copy:
        return "ipcq_copy";
    }
    return "";
  }
  std::string operator()(const WriteOp& op) const {
    return op.name == WriteName::host_write ? "host_write" : "scratch_write";
  }
  std::string operator()(const GemmOp& op) const { return "gemm_" + std::string(dtype_name(op.a.dtype)); }
  std::string operator()(const MathOpRecord& op) const { return std::string(math_op_name(op.op)); }
  std::string operator()(const OtherOp& op) const { return op.name; }
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
  static constexpr OpKind kKinds[] = {OpKind::memory, OpKind::memory, OpKind::gemm, OpKind::math, OpKind::unknown};
  return kKinds[op.index()];
}

std::string OpRecord::name() const {
  return std::visit(Naming{}, op);
}

}  // namespace kb::data
