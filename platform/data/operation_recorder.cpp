#include "platform/data/operation_recorder.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "platform/address/address_space.h"
#include "platform/base/error.h"
#include "platform/contract/command.h"
#include "platform/contract/i_translator.h"
#include "platform/contract/requests.h"
#include "platform/engine/command_ref.h"

namespace kb::data {
namespace {

using contract::Command;
using contract::CommandKind;

// The record's operation as a T; reuses the previous value if it has the same type.
template <typename T>
T& become(OpRecord& record) {
  if (T* const same = std::get_if<T>(&record.op)) return *same;
  return record.op.emplace<T>();
}

// These assign member by member, so that a reused record keeps its memory.
void describe_copy(const Command& command, OpRecord& record) {
  const bool read = command.kind == CommandKind::dma_read;
  CopyOp& copy = become<CopyOp>(record);
  copy.name = read ? CopyName::dma_read : CopyName::dma_write;
  copy.source = read ? command.memory : command.local;
  copy.destination = read ? command.local : command.memory;
  copy.added = command.added;
  copy.direction.clear();
  copy.assumed = command.assumed;
  copy.reachable = command.reachable;
}

void describe_product(const Command& command, OpRecord& record) {
  GemmOp& gemm = become<GemmOp>(record);
  gemm.a = command.inputs.at(0);
  gemm.b = command.inputs.at(1);
  gemm.out = command.out;
  gemm.acc_dtype = command.acc_dtype;
  gemm.accumulate = command.accumulate;
  gemm.epilogues = command.epilogues;
  gemm.composite = contract::is_composite(command.kind);
  gemm.tile_k = command.tile_shape.k;
}

void describe_math_op(const Command& command, OpRecord& record) {
  MathOpRecord& math = become<MathOpRecord>(record);
  math.op = command.math_op;
  math.inputs = command.inputs;
  math.out = command.out;
  math.axis = command.axis;
  math.positions = command.positions;
  math.must_fit = command.must_fit;
  math.composite = contract::is_composite(command.kind);
  math.epilogues = command.epilogues;
}

void describe_function(const Command& command, OpRecord& record) {
  EngineOp& call = become<EngineOp>(record);
  call.engine = command.engine;
  call.row = command.row;
  call.inputs = command.inputs;
  call.out = command.out;
  call.parameters = command.parameters;
}

void describe_computation(const Command& command, OpRecord& record) {
  switch (contract::form_of(command)) {
    case engine::CommandForm::product:
      return describe_product(command, record);
    case engine::CommandForm::math_op:
      return describe_math_op(command, record);
    case engine::CommandForm::function:
      return describe_function(command, record);
  }
}

void describe(const Command& command, OpRecord& record) {
  switch (command.kind) {
    case CommandKind::dma_read:
    case CommandKind::dma_write:
      return describe_copy(command, record);
    case CommandKind::engine:
    case CommandKind::composite:
      return describe_computation(command, record);
    case CommandKind::cpu_overhead:
    case CommandKind::barrier:
    case CommandKind::ipcq_send:  // reported by on_message()
    case CommandKind::ipcq_recv:
      break;
  }
  become<OtherOp>(record).name = contract::command_kind_name(command.kind);
}

}  // namespace

void OperationRecorder::on_command(NodeId component, const Command& command, const contract::ITranslator* translator,
                                   TimeFs start, TimeFs end) {
  const std::uint64_t id = next_id_++;
  if (command.assumed) engine_.count_unknown(component, command.call, command.call_index);
  if (!engine_.needs_records()) return;
  record_.id = id;
  record_.start = start;
  record_.end = end;
  record_.component = component;
  record_.kernel = command.kernel;
  record_.call = command.call;
  record_.call_index = command.call_index;
  record_.at = command.at;
  record_.place = command.place;
  describe(command, record_);
  if (translator != nullptr) make_physical(*translator);
  engine_.complete(std::move(record_));
}

void OperationRecorder::on_stage(NodeId component, const TileStage& tile, TimeFs start, TimeFs end) {
  if (!engine_.wants_stages()) return;
  engine_.complete(
      {next_id_++, start, end, component, TileOp{tile.stage, tile.composite, tile.tile}, "", "", 0, tile.place});
}

void OperationRecorder::on_message(NodeId component, const MessageCopy& message,
                                   const contract::ITranslator* translator, TimeFs start, TimeFs end) {
  constexpr std::array<CopyName, 3> kNames{CopyName::ipcq_send, CopyName::ipcq_copy, CopyName::ipcq_recv};
  const std::uint64_t id = next_id_++;
  if (!engine_.needs_records()) return;
  record_.id = id;
  record_.start = start;
  record_.end = end;
  record_.component = component;
  record_.kernel = record_.call = "";
  record_.place = message.place;
  CopyOp& copy = become<CopyOp>(record_);
  copy.name = kNames.at(static_cast<std::size_t>(message.step));
  copy.source = message.source;
  copy.destination = message.destination;
  copy.added.reset();
  copy.assumed = false;
  copy.reachable.clear();
  copy.direction = message.direction;
  copy.sequence = message.sequence;
  if (translator != nullptr) make_physical(*translator);
  engine_.complete(std::move(record_));
}

void OperationRecorder::make_physical(const contract::ITranslator& translator) {
  const auto resolve = [&](std::vector<Extent>& extents) {
    physical_.clear();
    for (const Extent& extent : extents) {
      const auto fault = translator.translate(extent, physical_);
      if (!fault) continue;
      throw Error::program("PAGE_FAULT", fmt::format("the mapping of {} was removed while a command used it",
                                                     address::encoded_text(*fault)));
    }
    extents.swap(physical_);
  };
  const auto resolve_operands = [&](std::vector<Epilogue>& epilogues) {
    for_each_operand(epilogues, [&](OperandRef& operand) { resolve(operand.extents); });
  };
  if (auto* const copy = std::get_if<CopyOp>(&record_.op)) {
    resolve(copy->source);
    resolve(copy->destination);
    resolve(copy->reachable);
  } else if (auto* const gemm = std::get_if<GemmOp>(&record_.op)) {
    for (OperandRef* operand : {&gemm->a, &gemm->b, &gemm->out}) resolve(operand->extents);
    resolve_operands(gemm->epilogues);
  } else if (auto* const math = std::get_if<MathOpRecord>(&record_.op)) {
    for (OperandRef& input : math->inputs) resolve(input.extents);
    resolve(math->out.extents);
    if (math->positions) resolve(math->positions->extents);
    resolve_operands(math->epilogues);
  } else if (auto* const call = std::get_if<EngineOp>(&record_.op)) {
    for (OperandRef& input : call->inputs) resolve(input.extents);
    resolve(call->out.extents);
  }
}

void OperationRecorder::on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                                         TimeFs at) {
  const std::uint64_t id = next_id_++;
  const bool known = !is_float(dtype);
  if (!engine_.wants_write(known)) return;
  const Extent place{pa, bytes.size()};
  auto buffer = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  engine_.complete(
      {id, at, at, component, WriteOp{WriteName::scratch_write, {place}, {}, std::move(buffer), 0, known}});
}

void OperationRecorder::on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) {
  const std::uint64_t id = next_id_++;
  if (!engine_.wants_write(write.known)) return;
  engine_.complete({id, start, end, component,
                    WriteOp{WriteName::host_write,
                            {{write.pa, write.nbytes}},
                            write.pattern,
                            write.buffer,
                            write.buffer_offset,
                            write.known}});
}

void OperationRecorder::on_outside_write(NodeId component, std::vector<Extent> destination,
                                         std::shared_ptr<const std::vector<std::byte>> buffer, TimeFs start,
                                         TimeFs end) {
  const std::uint64_t id = next_id_++;
  if (!engine_.needs_records()) return;
  engine_.complete(
      {id, start, end, component, WriteOp{WriteName::host_write, std::move(destination), {}, std::move(buffer), 0}},
      outside_writes_);
}

std::optional<std::vector<std::byte>> OperationRecorder::read_if_known(const std::vector<Extent>& extents) {
  return engine_.read_if_known(extents);
}

std::vector<std::byte> OperationRecorder::kernel_read(const std::vector<Extent>& extents) {
  return engine_.kernel_read(extents);
}

}  // namespace kb::data
