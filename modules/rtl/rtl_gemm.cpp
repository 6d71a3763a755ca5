#include "modules/rtl/rtl_gemm.h"

#include <algorithm>
#include <string>
#include <utility>

#include "modules/pe/pe_context.h"
#include "platform/base/error.h"
#include "platform/contract/command.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/elab/foreign_call.h"

namespace kb::modules {

namespace {

// Calls f(row, depth, column, rows, depths, columns) for the parts of a product.
template <typename F>
void for_each_part(std::int64_t m, std::int64_t k, std::int64_t n, F f) {
  using Runner = MacArrayRunner;
  for (std::int64_t row = 0; row < m; row += Runner::kMaxRows) {
    for (std::int64_t column = 0; column < n; column += Runner::kMaxColumns) {
      for (std::int64_t depth = 0; depth < k; depth += Runner::kMaxDepth) {
        f(row, depth, column, std::min(Runner::kMaxRows, m - row), std::min(Runner::kMaxDepth, k - depth),
          std::min(Runner::kMaxColumns, n - column));
      }
    }
  }
}

// Cycle counts that the engines of a machine share, by implementation.
struct SharedCycles {
  std::map<std::string, RtlGemmCycles> by_impl;
};

}  // namespace

const params::FieldTable& RtlGemmParams::fields() {
  using P = RtlGemmParams;
  static const params::FieldTable table =
      params::Fields<P>()
          .add("clock_ghz", &P::clock, "clock of the array")
          .add("phase_ns", &P::phase, "time of its first rising edge")
          .add("verify", &P::verify, "compare the sums of the array with those of its operands")
          .add("pins", &P::pins, "show the pins as signals of SystemC, from a clock that never stops")
          .add("hang_cycles", &P::hang_cycles, at_least(1, 1e9),
               "cycles beyond k without a sum after which a busy array hangs")
          .table();
  return table;
}

MacArrayRunner& RtlGemmCycles::runner(const RtlGemmParams& params) {
  const auto found = runners_.find(params.hang_cycles);
  if (found != runners_.end()) return found->second;
  return runners_.emplace(params.hang_cycles, MacArrayRunner(make_, params.hang_cycles)).first->second;
}

std::int64_t RtlGemmCycles::of(std::int64_t m, std::int64_t k, std::int64_t n, const RtlGemmParams& params) {
  const Shape shape{m, k, n, params.verify};
  const auto found = known_.find(shape);
  if (found != known_.end()) return found->second;
  std::int64_t total = 0;
  for_each_part(m, k, n,
                [&](std::int64_t, std::int64_t, std::int64_t, std::int64_t rows, std::int64_t depths,
                    std::int64_t columns) { total += of_part(rows, depths, columns, params); });
  known_.emplace(shape, total);
  return total;
}

std::int64_t RtlGemmCycles::of_part(std::int64_t m, std::int64_t k, std::int64_t n, const RtlGemmParams& params) {
  const Shape shape{m, k, n, params.verify};
  const auto found = known_.find(shape);
  if (found != known_.end()) return found->second;
  ++clocked_;
  const std::int64_t cycles = runner(params).run(MacOperands::pattern(m, k, n), params.verify);
  known_.emplace(shape, cycles);
  return cycles;
}

std::int64_t RtlGemmCycles::verified(const MacOperands& operands, const RtlGemmParams& params) {
  std::int64_t total = 0;
  for_each_part(operands.m, operands.k, operands.n,
                [&](std::int64_t row, std::int64_t depth, std::int64_t column, std::int64_t rows, std::int64_t depths,
                    std::int64_t columns) {
                  ++clocked_;
                  total += runner(params).run(operands.part(row, depth, column, rows, depths, columns), true);
                });
  return total;
}

RtlGemm::RtlGemm(const sc_core::sc_module_name& name, NodeId node, const params::PeGemmParams& kind,
                 const RtlGemmParams& params, PeContext& pe, RtlGemmCycles& cycles, elab::BlockContext& context)
    : AccelEngine(name, node, kind.overhead.time(), kind.queue_depth, kind.shared_resource, pe, context),
      params_(params),
      mac_per_ns_(kind.macs_per_ns),
      granularity_(kind.granularity),
      clock_(params.clock, params.phase),
      cycles_(cycles) {
  if (params.pins) {
    const PinPlace place{node_id(), context.shared<PinSharing>(), context.scheduler};
    signals_ = std::make_unique<MacSignals>("pins", place, clock_, static_cast<IPinSource&>(*this),
                                            cycles.another_array(params));
  }
  if (context.observer != nullptr) pins_ = std::make_unique<MacPins>(*context.observer, node_id());
}

TimeFs RtlGemm::work(CommandTask& task) {
  plan::Stage& stage = task.stage;
  constexpr Granularity kArray{IMacArray::kSize, 1, IMacArray::kSize};
  stage.macs = kArray.padded_macs(stage.m, stage.k, stage.n);
  accumulate(macs_, stage.macs);
  accumulate(useful_macs_, stage.useful_macs());
  accumulate(analytic_time_, analytic_time(task));
  const std::int64_t cycles = cycles_of(task);
  accumulate(clocked_cycles_, cycles);
  const TimeFs time = time_product(static_cast<std::uint64_t>(cycles), clock_.period());
  accumulate(rtl_time_, time);
  const TimeFs edge = clock_.edge_after(now());
  if (pins_ != nullptr) pins_->product(edge, time, stage.m, stage.k, stage.n, cycles);
  if (signals_ != nullptr) show_product(clock_.number(edge), stage);
  return time_sum(edge - now(), time);
}

void RtlGemm::show_product(std::int64_t number, const plan::Stage& stage) {
  const MacOperands operands = MacOperands::pattern(stage.m, stage.k, stage.n);
  std::vector<MacOperands> parts;
  for_each_part(
      stage.m, stage.k, stage.n,
      [&](std::int64_t row, std::int64_t depth, std::int64_t column, std::int64_t rows, std::int64_t depths,
          std::int64_t columns) { parts.push_back(operands.part(row, depth, column, rows, depths, columns)); });
  signals_->play(number, std::move(parts));
}

void RtlGemm::show_edge(std::int64_t number) {
  elab::call_block(node_record(), context().scheduler, [&] { signals_->show(number); });
}

std::int64_t RtlGemm::cycles_of(const CommandTask& task) {
  const plan::Stage& stage = task.stage;
  try {
    if (params_.verify) {
      if (const std::optional<MacOperands> operands = operands_of(task)) {
        ++compared_;
        return cycles_.verified(*operands, params_);
      }
    }
    return cycles_.of(stage.m, stage.k, stage.n, params_);
  } catch (const Error& error) {
    throw Error(error.family(), error.code(),
                "at " + format_ns(now()) + " ns, product of " + std::to_string(stage.m) + " x " +
                    std::to_string(stage.k) + " x " + std::to_string(stage.n) + ": " + error.what());
  }
}

// The operands of an i8 product if they are known: not for tiles, whose operands are in flight, and not in runs without
// data.
std::optional<MacOperands> RtlGemm::operands_of(const CommandTask& task) const {
  const contract::Command& command = *task.command;
  if (contract::is_composite(command.kind) || context().operations == nullptr) return std::nullopt;
  MacOperands operands{command.m, command.k, command.n, {}, {}};
  const auto read = [&](const OperandRef& operand, std::int64_t rows, std::int64_t columns,
                        std::vector<std::int8_t>& values) {
    if (operand.dtype != Dtype::i8 || operand.extents.empty()) return false;
    std::vector<std::byte> bytes;
    try {
      bytes = context().operations->kernel_read(operand.extents);
    } catch (const Error& error) {
      if (error.code() == "DATA_ACCESS") return false;
      throw;
    }
    if (static_cast<std::int64_t>(bytes.size()) != rows * columns) return false;
    values.resize(bytes.size());
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const std::int64_t at = operand.transposed ? i % columns * rows + i / columns : i;
      values[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(bytes[static_cast<std::size_t>(at)]);
    }
    return true;
  };
  if (!read(command.inputs.at(0), command.m, command.k, operands.a)) return std::nullopt;
  if (!read(command.inputs.at(1), command.k, command.n, operands.b)) return std::nullopt;
  return operands;
}

TimeFs RtlGemm::analytic_time(const CommandTask& task) const {
  const auto& inputs = task.command->inputs;
  const MacRate rate = product_rate(mac_per_ns_, inputs.at(0).dtype, inputs.at(1).dtype);
  return rate.time(static_cast<double>(granularity_.padded_macs(task.stage.m, task.stage.k, task.stage.n)));
}

void RtlGemm::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  AccelEngine::collect_statistics(statistics);
  if (macs_ == 0) return;
  statistics.push_back({"macs", macs_, "1"});
  statistics.push_back({"useful_macs", useful_macs_, "1"});
  statistics.push_back({"rtl_cycles", clocked_cycles_, "1"});
  statistics.push_back({"rtl_time", rtl_time_});
  statistics.push_back({"analytic_time", analytic_time_});
  if (compared_ > 0) statistics.push_back({"rtl_compared", compared_, "1"});
}

elab::BlockDefinition rtl_gemm_block(const std::string& impl, const RtlMaker<IMacArray>& make) {
  const elab::BlockFactory factory = [impl, make](const sc_core::sc_module_name& name, NodeId node,
                                                  elab::BlockContext& context) -> std::unique_ptr<elab::Block> {
    auto& shared = context.shared<SharedCycles>().by_impl;
    RtlGemmCycles& cycles = shared.try_emplace(impl, make).first->second;
    const topology::Node& record = context.graph.node(node);
    return std::make_unique<RtlGemm>(name, node, record.params.as<params::PeGemmParams>(),
                                     record.impl_params.as<RtlGemmParams>(), PeContext::of(node, context), cycles,
                                     context);
  };
  return {topology::NodeKind::pe_gemm, impl, RtlGemmParams::fields(), factory};
}

}  // namespace kb::modules
