#include "platform/contract/command.h"

#include "platform/base/error.h"
#include "platform/engine/engine_row.h"

namespace kb::contract {
namespace {

static_assert(kMathOps <= kNamesPerKind && kDtypes <= kNamesPerKind);

// The dtype that the name of a product has.
Dtype product_dtype_of(const Command& command) {
  return named_dtype(command.inputs.at(0).dtype, command.inputs.at(1).dtype);
}

// Commands of one kind are a group, and those of each built-in engine.
std::size_t group_of(const Command& command) {
  constexpr auto kFirst = static_cast<std::size_t>(CommandKind::engine);
  const auto kind = static_cast<std::size_t>(command.kind);
  if (command.kind < CommandKind::engine) return kind;
  if (command.kind == CommandKind::engine) return kFirst + index_of(command.engine);
  if (command.kind == CommandKind::composite) return kFirst + engine::kBuiltInEngines + index_of(command.engine);
  return kind + 2 * (engine::kBuiltInEngines - 1);
}

std::size_t number_in_group(const Command& command) {
  if (command.kind == CommandKind::dma_write) return command.added ? 1 : 0;
  if (command.kind != CommandKind::engine) return 0;
  return form_of(command) == engine::CommandForm::math_op ? static_cast<std::size_t>(command.math_op)
                                                          : static_cast<std::size_t>(product_dtype_of(command));
}

}  // namespace

std::string_view command_kind_name(CommandKind kind) {
  switch (kind) {
    case CommandKind::dma_read:
      return "dma_read";
    case CommandKind::dma_write:
      return "dma_write";
    case CommandKind::engine:
      return "engine";
    case CommandKind::composite:
      return "composite";
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

engine::CommandForm form_of(const Command& command) {
  if (command.row != nullptr) return command.row->form;
  throw Error::model("a command of kind " + std::string(command_kind_name(command.kind)) +
                     " names no command of an engine");
}

std::string command_name(CommandKind kind, engine::EngineId engine) {
  const std::string_view name = engine::engine_word(engine).name;
  if (kind == CommandKind::engine) return std::string(name);
  if (kind == CommandKind::composite) return "composite_" + std::string(name);
  return std::string(command_kind_name(kind));
}

std::optional<std::size_t> operation_number(const Command& command) {
  if (command.kind == CommandKind::engine && form_of(command) == engine::CommandForm::function) return std::nullopt;
  return group_of(command) * kNamesPerKind + number_in_group(command);
}

std::string operation_name(const Command& command) {
  if (command.kind == CommandKind::engine) {
    if (form_of(command) != engine::CommandForm::product) return command.row->name;
    return command.row->name + "_" + std::string(dtype_name(product_dtype_of(command)));
  }
  return command.added ? "atomic_add" : command_name(command.kind, command.engine);
}

}  // namespace kb::contract
