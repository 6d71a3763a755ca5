// PE_GEMM with an RTL model of its MAC array.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "modules/pe/accel_engine.h"
#include "modules/rtl/mac_array.h"
#include "modules/rtl/mac_signals.h"
#include "modules/rtl/rtl_clock.h"
#include "modules/rtl/rtl_pins.h"
#include "platform/base/granularity.h"
#include "platform/elab/registry.h"
#include "platform/ops/engine_rates.h"
#include "platform/params/pe_gemm_params.h"

namespace kb::modules {

struct RtlGemmParams {
  Gigahertz clock{1.0};
  Nanoseconds phase;
  bool verify = false;
  bool pins = false;
  std::int64_t hang_cycles = 100'000;

  static const params::FieldTable& fields();
};

// Cycle counts of all products by shape. All engines of a machine with the same array share one.
class RtlGemmCycles {
 public:
  explicit RtlGemmCycles(RtlMaker<IMacArray> make) : make_(std::move(make)) {}

  // Cycles of a product. The first call with these sizes and `verify` clocks the array with generated numbers.
  std::int64_t of(std::int64_t m, std::int64_t k, std::int64_t n, const RtlGemmParams& params);
  // Clocks the array with these numbers and compares the sums.
  std::int64_t verified(const MacOperands& operands, const RtlGemmParams& params);
  std::int64_t clocked() const { return clocked_; }  // number of parts of products
  MacArrayRunner another_array(const RtlGemmParams& params) const { return {make_, params.hang_cycles}; }

 private:
  struct Shape {
    std::int64_t m, k, n;
    bool verified;
    friend bool operator==(const Shape& a, const Shape& b) {
      return a.m == b.m && a.k == b.k && a.n == b.n && a.verified == b.verified;
    }
  };
  struct Hash {
    std::size_t operator()(const Shape& shape) const {
      return static_cast<std::size_t>(((shape.m * 1'000'003 + shape.k) * 1'000'003 + shape.n) * 2 + shape.verified);
    }
  };
  std::int64_t of_part(std::int64_t m, std::int64_t k, std::int64_t n, const RtlGemmParams& params);
  MacArrayRunner& runner(const RtlGemmParams& params);

  RtlMaker<IMacArray> make_;
  std::map<std::int64_t, MacArrayRunner> runners_;       // key: hang_cycles
  std::unordered_map<Shape, std::int64_t, Hash> known_;  // never iterated
  std::int64_t clocked_ = 0;
};

// Models: the time of one matrix product on an array whose RTL is simulated; one compute operation at a time (P-39).
// Does not model: data of the result (computed by the data engine), TCM traffic (modelled by PE_FETCH_STORE). Timing:
// max(overhead_ns, edge - t + cycles / clock_ghz) after acquiring the slot at t, where `edge` is the first rising edge
// after t and `cycles` is the RTL's cycle count for m x k x n, independent of the dtype. The 8 x 8 array in the
// repository takes ceil(m / 8) * ceil(n / 8) * (k + 22) cycles.
class RtlGemm final : public AccelEngine, private IPinSource {
 public:
  RtlGemm(const sc_core::sc_module_name& name, NodeId node, const params::PeGemmParams& kind,
          const RtlGemmParams& params, PeContext& pe, RtlGemmCycles& cycles, elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

 private:
  TimeFs work(CommandTask& task) override;
  void show_edge(std::int64_t number) override;
  void show_product(std::int64_t number, const plan::Stage& stage);
  std::int64_t cycles_of(const CommandTask& task);
  std::optional<MacOperands> operands_of(const CommandTask& task) const;
  TimeFs analytic_time(const CommandTask& task) const;

  RtlGemmParams params_;
  MacRates mac_per_ns_;
  Granularity granularity_;
  RtlClock clock_;
  RtlGemmCycles& cycles_;
  std::unique_ptr<MacPins> pins_;        // null: no waveforms
  std::unique_ptr<MacSignals> signals_;  // null: no SystemC signals
  std::int64_t macs_ = 0, useful_macs_ = 0, clocked_cycles_ = 0, compared_ = 0;
  TimeFs rtl_time_ = 0_fs, analytic_time_ = 0_fs;
};

// Defines `impl` as a PE_GEMM with this array.
elab::BlockDefinition rtl_gemm_block(const std::string& impl, const RtlMaker<IMacArray>& make);

}  // namespace kb::modules
