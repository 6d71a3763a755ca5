// Commands of engines that plug-ins bring.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "kernels/tl/call.h"
#include "kernels/tl/dispatch.h"
#include "kernels/tl/engine_parameter.h"
#include "kernels/tl/tensors.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "platform/engine/engine_catalog.h"

namespace kb::tl {

// Creates these commands by name; ComputeCommands creates those of the built-in engines.
class EngineCommands {
 public:
  EngineCommands(const contract::PeInfo& pe, const Call& call, Tensors& tensors)
      : pe_(pe), call_(call), tensors_(tensors) {
    command_.kind = contract::CommandKind::engine;
  }

  using Inputs = std::vector<TensorHandle>;
  using Parameters = std::initializer_list<EngineParameter>;
  Dispatch::Work make(std::string_view name, const Inputs& inputs, Parameters parameters);
  contract::Command& into(const TensorHandle& out, std::string_view name, const Inputs& inputs, Parameters parameters);

 private:
  // Fills in command_ without the result, and returns the type of the result.
  TensorType prepare(std::string_view name, const Inputs& inputs, Parameters parameters);
  engine::CommandRef find(std::string_view name) const;
  void set_parameters(Parameters parameters);

  const contract::PeInfo& pe_;
  const Call& call_;
  Tensors& tensors_;
  contract::Command command_;  // used again by each call
};

}  // namespace kb::tl
