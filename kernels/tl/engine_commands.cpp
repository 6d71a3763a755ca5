#include "kernels/tl/engine_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "platform/base/nearest.h"

namespace kb::tl {

engine::CommandRef EngineCommands::find(std::string_view name) const {
  if (const auto found = pe_.engines->find_command(name)) return *found;
  const std::vector<std::string> known = pe_.engines->command_names();
  call_.raise("KERNEL_ERROR",
              fmt::format("no engine of this machine has a command '{}'; {}", name,
                          known.empty() ? "it has engines of plug-ins that are loaded and that its topology names in "
                                          "cube.pe_template.components, e.g. pe_transpose: {}"
                                        : suggest(name, known)));
}

void EngineCommands::set_parameters(Parameters parameters) {
  const std::vector<engine::Parameter>& known = command_.row->parameters;
  command_.parameters.clear();
  for (const engine::Parameter& parameter : known) command_.parameters.push_back(parameter.fallback);
  for (const EngineParameter& given : parameters) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const engine::Parameter& parameter) { return parameter.name == given.name; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const engine::Parameter& parameter : known) names.push_back(parameter.name);
      call_.raise("KERNEL_ERROR", fmt::format("command '{}' has no parameter '{}'; {}", command_.row->name, given.name,
                                              names.empty() ? "it has none" : suggest(given.name, names)));
    }
    if (given.value < found->least || given.value > found->most) {
      call_.raise("VALUE_ERROR", fmt::format("parameter '{}' of command '{}' is {}, but must be {} to {}", given.name,
                                             command_.row->name, given.value, found->least, found->most));
    }
    command_.parameters[static_cast<std::size_t>(found - known.begin())] = given.value;
  }
}

TensorType EngineCommands::prepare(std::string_view name, const Inputs& inputs, Parameters parameters) {
  const engine::CommandRef found = find(name);
  command_.use(found);
  const std::vector<std::string>& reads = found.row->reads;
  if (inputs.size() != reads.size()) {
    call_.raise("SCHEMA_ERROR", fmt::format("command '{}' reads {} operand{} ({}), not {}", name, reads.size(),
                                            reads.size() == 1 ? "" : "s", fmt::join(reads, ", "), inputs.size()));
  }
  set_parameters(parameters);
  command_.inputs.clear();
  for (const TensorHandle& input : inputs) {
    command_.inputs.push_back(tensors_.operand(input, static_cast<int>(command_.inputs.size()) + 1));
    if (command_.inputs.back().dtype != Dtype::i4) continue;
    call_.raise("DTYPE_ERROR",
                fmt::format("command '{}' cannot read i4, of which two share a byte; cast it first", name));
  }
  return call_.located([&] { return command_.row->result({command_.inputs, command_.parameters}); });
}

Dispatch::Work EngineCommands::make(std::string_view name, const Inputs& inputs, Parameters parameters) {
  TensorType result = prepare(name, inputs, parameters);
  TensorHandle out = tensors_.allocate(std::move(result.shape), result.dtype);
  command_.out = Tensors::target(out);
  return {command_, std::move(out)};
}

contract::Command& EngineCommands::into(const TensorHandle& out, std::string_view name, const Inputs& inputs,
                                        Parameters parameters) {
  const TensorType result = prepare(name, inputs, parameters);
  tensors_.check_writable(out, 0);
  tensors_.check_target(out, 0, result);
  command_.out = Tensors::target(out);
  return command_;
}

}  // namespace kb::tl
