#include "platform/data/operation_recorder.h"

#include <memory>
#include <utility>

namespace kb::data {
namespace {

using contract::Command;
using contract::CommandKind;

decltype(OpRecord::op) payload_of(const Command& command) {
  switch (command.kind) {
    case CommandKind::dma_read:
      return CopyOp{CopyName::dma_read, command.memory, command.local};
    case CommandKind::dma_write:
      return CopyOp{CopyName::dma_write, command.local, command.memory};
    case CommandKind::gemm:
      return GemmOp{command.inputs.at(0), command.inputs.at(1), command.out, command.acc_dtype};
    case CommandKind::math:
      return MathOpRecord{command.math_op, command.inputs, command.out, command.axis};
    case CommandKind::cpu_overhead:
      break;
  }
  return OtherOp{std::string(contract::command_kind_name(command.kind))};
}

}  // namespace

void OperationRecorder::on_command(NodeId component, const Command& command, TimeFs start, TimeFs end) {
  const std::uint64_t id = next_id_++;
  if (!engine_.wants_records()) return;
  engine_.complete({id, start, end, component, payload_of(command)});
}

void OperationRecorder::on_scratch_write(NodeId component, std::uint64_t pa, std::vector<std::byte> bytes, TimeFs at) {
  const std::uint64_t id = next_id_++;
  if (!engine_.wants_records()) return;
  const Extent place{pa, bytes.size()};
  auto buffer = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  engine_.complete({id, at, at, component, WriteOp{WriteName::scratch_write, {place}, {}, std::move(buffer), 0}});
}

void OperationRecorder::on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) {
  const std::uint64_t id = next_id_++;
  if (!engine_.wants_records()) return;
  engine_.complete(
      {id, start, end, component,
       WriteOp{WriteName::host_write, {{write.pa, write.nbytes}}, write.pattern, write.buffer, write.buffer_offset}});
}

std::vector<std::byte> OperationRecorder::kernel_read(const std::vector<Extent>& extents) {
  return engine_.kernel_read(extents);
}

}  // namespace kb::data
