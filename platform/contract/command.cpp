#include "platform/contract/command.h"

#include "platform/engine/engine_row.h"

namespace kb::contract {

std::string_view command_kind_name(CommandKind kind) {
  switch (kind) {
    case CommandKind::dma_read:
      return "dma_read";
    case CommandKind::dma_write:
      return "dma_write";
    case CommandKind::gemm:
      return "gemm";
    case CommandKind::math:
      return "math";
    case CommandKind::composite_gemm:
      return "composite_gemm";
    case CommandKind::composite_math:
      return "composite_math";
    case CommandKind::cpu_overhead:
      return "cpu_overhead";
    case CommandKind::ipcq_send:
      return "ipcq_send";
    case CommandKind::barrier:
      return "barrier";
    case CommandKind::ipcq_recv:
      return "ipcq_recv";
    case CommandKind::engine:
      return "engine";
  }
  return "?";
}

std::uint32_t operation_number(const Command& command) {
  switch (command.kind) {
    case CommandKind::dma_write:
      return command.added ? 1 : 0;
    case CommandKind::math:
      return static_cast<std::uint32_t>(command.math_op);
    case CommandKind::gemm:
      return static_cast<std::uint32_t>(named_dtype(command.inputs.at(0).dtype, command.inputs.at(1).dtype));
    default:
      return 0;
  }
}

std::string operation_name(const Command& command) {
  switch (command.kind) {
    case CommandKind::math:
      return std::string(math_op_name(command.math_op));
    case CommandKind::gemm:
      return "gemm_" + std::string(dtype_name(static_cast<Dtype>(operation_number(command))));
    case CommandKind::engine:
      return command.row->name;
    default:
      return command.added ? "atomic_add" : std::string(command_kind_name(command.kind));
  }
}

}  // namespace kb::contract
