#include "platform/contract/command.h"

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
  }
  return "?";
}

}  // namespace kb::contract
