#include "modules/pe/pe_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/error.h"
#include "platform/engine/engine_row.h"

namespace kb::modules {

PeEngine::PeEngine(const sc_core::sc_module_name& name, NodeId node, const params::PeEngineParams& params,
                   PeContext& pe, elab::BlockContext& context)
    : AccelEngine(name, node, params.overhead.time(), params.queue_depth, params.shared_resource, pe, context),
      elements_per_ns_(params.elements_per_ns) {}

TimeFs PeEngine::work(CommandTask& task) {
  const contract::Command& command = *task.command;
  ElementRate rate = elements_per_ns_.of(command.out.dtype);
  for (const OperandRef& input : command.inputs) rate = std::min(rate, elements_per_ns_.of(input.dtype));
  const double work = command.row->work({command.inputs, command.parameters});
  if (std::isfinite(work) && work >= 0.0) return rate.time(work);
  throw Error::model(
      fmt::format("`work` of command '{}' gives {}; it must be a number of at least 0", command.row->name, work));
}

}  // namespace kb::modules
