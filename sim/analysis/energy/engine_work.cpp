#include "sim/analysis/energy/engine_work.h"

#include <algorithm>

#include "platform/contract/composite_plan.h"
#include "platform/engine/engine_catalog.h"
#include "platform/params/pe_gemm_params.h"
#include "platform/plan/pipeline_plan.h"

namespace kb::sim {
namespace {

using contract::Command;

std::uint64_t bits_of(Dtype dtype) {
  return dtype == Dtype::i4 ? 4 : 8 * item_size(dtype);
}

// The wider input, whose rate the product has.
Dtype product_dtype(const Command& command) {
  const Dtype a = command.inputs.at(0).dtype, b = command.inputs.at(1).dtype;
  return bits_of(a) >= bits_of(b) ? a : b;
}

// The widest dtype of inputs and result that PE_MATH computes with.
Dtype math_dtype(const Command& command) {
  Dtype widest = is_storage(command.out.dtype) ? Dtype::f16 : command.out.dtype;
  for (const OperandRef& input : command.inputs) {
    if (!is_storage(input.dtype) && bits_of(input.dtype) > bits_of(widest)) widest = input.dtype;
  }
  return widest;
}

}  // namespace

std::int64_t EngineWork::padded_macs(NodeId engine, const Command& command) const {
  const topology::Node& node = graph_.node(engine);
  if (node.kind != topology::NodeKind::pe_gemm || node.foreign) return command.m * command.k * command.n;
  return node.params.as<params::PeGemmParams>().granularity.padded_macs(command.m, command.k, command.n);
}

void EngineWork::add_macs(const Command& command, account::PlaceId place, std::int64_t padded, std::int64_t useful) {
  counts_[energy::mac_of(product_dtype(command))][place] += static_cast<std::uint64_t>(padded);
  useful_macs_ += static_cast<std::uint64_t>(useful);
}

void EngineWork::add_elements(Dtype dtype, MathOp op, account::PlaceId place, std::int64_t elements) {
  const std::uint64_t passes = math_passes(op).size();
  counts_[energy::element_of(dtype)][place] += passes * static_cast<std::uint64_t>(elements);
}

void EngineWork::on_command(NodeId component, const Command& command, const contract::ITranslator* translator,
                            TimeFs start, TimeFs end) {
  if (command.kind == contract::CommandKind::engine) {
    switch (contract::form_of(command)) {
      case engine::CommandForm::product:
        add_macs(command, command.place, padded_macs(component, command), command.m * command.k * command.n);
        break;
      case engine::CommandForm::math_op:
        add_elements(math_dtype(command), command.math_op, command.place,
                     math_elements(command.math_op, command.inputs, command.out.shape));
        break;
      case engine::CommandForm::function:
        of_plugins_[graph_.spec.engines->row(command.engine).name] +=
            command.row->work({command.inputs, command.parameters});
        break;
    }
  }
  next_->on_command(component, command, translator, start, end);
}

void EngineWork::on_stage(NodeId component, const TileStage& tile, TimeFs start, TimeFs end) {
  const plan::Stage& stage = tile.stage;
  if (tile.command != nullptr && plan::engine_of(stage.type)) {
    if (stage.useful_macs() > 0) {
      add_macs(*tile.command, tile.place, stage.macs, stage.useful_macs());
    } else {
      const Command& command = *tile.command;
      const Dtype dtype = stage.is_epilogue ? epilogue_dtype(command.epilogues, stage.epilogue, command.acc_dtype)
                                            : math_dtype(command);
      add_elements(dtype, contract::math_op_of(command, stage), tile.place, stage.elements);
    }
  }
  next_->on_stage(component, tile, start, end);
}

}  // namespace kb::sim
