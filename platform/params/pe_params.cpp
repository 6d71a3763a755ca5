// Field tables of the nine blocks of a PE.
#include "platform/params/pe_cpu_params.h"
#include "platform/params/pe_dma_params.h"
#include "platform/params/pe_engine_params.h"
#include "platform/params/pe_fetch_store_params.h"
#include "platform/params/pe_gemm_params.h"
#include "platform/params/pe_ipcq_params.h"
#include "platform/params/pe_math_params.h"
#include "platform/params/pe_mmu_params.h"
#include "platform/params/pe_scheduler_params.h"
#include "platform/params/pe_tcm_params.h"

namespace kb::params {
namespace {

const std::vector<std::string> kReuseA{"auto", "off"};
const std::vector<std::string> kSharedResources{"accel_slot", "none"};
constexpr const char* kQueueDepthText =
    "tasks that may wait in each input queue besides those being served; 0 = no limit (P-34)";

}  // namespace

const FieldTable& PeCpuParams::fields() {
  using P = PeCpuParams;
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead, "decode of a launch that has arrived")
          .add("dispatch_cycles", &P::dispatch_cycles, at_least(0, 1e6),
               "scalar work charged before each call of the tl facade that emits a command (P-45)")
          .add("clock_ghz", &P::clock, "clock of scalar work")
          .table();
  return table;
}

const FieldTable& PeSchedulerParams::fields() {
  using P = PeSchedulerParams;
  const Bounds tile = at_least(1, 65536);
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead, "time per dispatch")
          .add("tile_m", &P::tile_m, tile, "rows of a tile, for composites that bring no tile sizes of their own")
          .add("tile_k", &P::tile_k, tile, "depth of a tile, for composites that bring no tile sizes of their own")
          .add("tile_n", &P::tile_n, tile, "columns of a tile, for composites that bring no tile sizes of their own")
          .add("reuse_a", &P::reuse_a, kReuseA,
               "of composite GEMMs that do not say it: `auto` keeps the rows of A that a row of tiles uses in the "
               "reserved "
               "TCM when they fit (P-102), `off` reads them for each column of tiles")
          .add("charge_fetch_store", &P::charge_fetch_store,
               "GEMM and MATH commands pay for moving their operands between TCM and register file (P-9)")
          .table();
  return table;
}

const FieldTable& PeDmaParams::fields() {
  using P = PeDmaParams;
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead,
               "paid before the requests are offered to the first wire, and again by each response")
          .add("rd_engines", &P::rd_engines, at_least(1, 64), "read channels (P-36)")
          .add("rd_outstanding", &P::rd_outstanding, at_least(1, 1024),
               "reads that a read channel has under way at the same time")
          .add("wr_engines", &P::wr_engines, at_least(1, 64), "write channels (P-36)")
          .add("wr_outstanding", &P::wr_outstanding, at_least(1, 1024),
               "writes that a write channel has under way at the same time; they end in the order of their starts")
          .add("queue_depth", &P::queue_depth, at_least(0, 1e6), kQueueDepthText)
          .add("baaw_overhead_ns", &P::baaw_overhead, "translation of an access by segments (A-76)")
          .table();
  return table;
}

const FieldTable& PeFetchStoreParams::fields() {
  using P = PeFetchStoreParams;
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead, "paid before each access to the TCM (C-TCM-6)")
          .add("register_file_kb", &P::register_file_kb, at_least(1, 1e6),
               "register file: two tiles of A, B and accumulator must fit, one that computes and one that is fetched "
               "or stored")
          .add("queue_depth", &P::queue_depth, at_least(0, 1e6), kQueueDepthText)
          .table();
  return table;
}

const FieldTable& PeGemmParams::fields() {
  using P = PeGemmParams;
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead, "least time of a command")
          .add("mac_per_ns", &P::macs_per_ns,
               "multiply-accumulates per ns: a number, which is the rate of f16, or a mapping by dtype")
          .add("gemm_granularity", &P::granularity,
               "block M x K x N in which the array works; `none` = 1x1x1. Each size 1 to 4096")
          .add("queue_depth", &P::queue_depth, at_least(0, 1e6), kQueueDepthText)
          .add("shared_resource", &P::shared_resource, kSharedResources,
               "the compute slot shared with PE_MATH; `none` lets both compute at once")
          .table();
  return table;
}

const FieldTable& PeMathParams::fields() {
  using P = PeMathParams;
  static const FieldTable table = [] {
    Fields<P> fields;
    fields.add("overhead_ns", &P::overhead, "least time of a command")
        .add("elements_per_ns", &P::elements_per_ns,
             "elements per ns: a number, which is the rate of f16, or a mapping by dtype")
        .add("queue_depth", &P::queue_depth, at_least(0, 1e6), kQueueDepthText)
        .add("shared_resource", &P::shared_resource, kSharedResources,
             "the compute slot shared with PE_GEMM; `none` lets both compute at once");
    for (int op = 0; op < kMathOps; ++op) {
      const std::string name(math_op_name(static_cast<MathOp>(op)));
      fields.add_optional(
          "weight_" + name, [op](auto& params) -> auto& { return params.weights[static_cast<std::size_t>(op)]; },
          positive(1e6), "cost of " + name + " relative to an addition, instead of its passes");
    }
    const char* const per_ns = "write elements_per_ns, which is elements_per_cycle times clock_ghz";
    return fields.misplaced("elements_per_cycle", per_ns).misplaced("clock_ghz", per_ns).table();
  }();
  return table;
}

const FieldTable& PeEngineParams::fields() {
  using P = PeEngineParams;
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead, "least time of a command")
          .add("elements_per_ns", &P::elements_per_ns,
               "elements per ns: a number, which is the rate of f16, or a mapping by dtype")
          .add("queue_depth", &P::queue_depth, at_least(0, 1e6), kQueueDepthText)
          .add("shared_resource", &P::shared_resource, kSharedResources,
               "the compute slot shared with the other engines; `none` lets it compute beside them")
          .table();
  return table;
}

const FieldTable& PeTcmParams::fields() {
  using P = PeTcmParams;
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead, "not charged: no request passes through (C-TCM-6)")
          .add("size_mb", &P::size, positive(32.0), "capacity; bounds addresses, costs no time")
          .machine_wide()
          .add("read_bw_gbs", &P::read_bw, "bandwidth of reads (C-TCM-2)")
          .add("write_bw_gbs", &P::write_bw, "bandwidth of writes (C-TCM-2)")
          .table();
  return table;
}

const FieldTable& PeMmuParams::fields() {
  using P = PeMmuParams;
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead, "decode of a table update that arrives")
          .add("page_size", &P::page_size, at_least(256, 1u << 30), "bytes; follows cube.memory_map.page_size")
          .power_of_two()
          .machine_wide()
          .add("tlb_overhead_ns", &P::tlb_overhead, "translation of an access, for which the engine waits (A-42)")
          .add("update_overhead_ns", &P::update_overhead, "time of a table update, per message (A-53)")
          .table();
  return table;
}

const FieldTable& PeIpcqParams::fields() {
  using P = PeIpcqParams;
  static const FieldTable table =
      Fields<P>()
          .add("overhead_ns", &P::overhead, "paid once per send and per receive")
          .add("tcm_slot_bw_gbs", &P::tcm_slot_bw, "bandwidth of a slot of a ring in TCM (Q-62)")
          .add("tcm_slot_setup_ns", &P::tcm_slot_setup, "what an access to a slot in TCM takes besides its bytes")
          .add("sram_slot_bw_gbs", &P::sram_slot_bw,
               "bandwidth of a slot of a ring in cube SRAM (Q-62); the way to it is added")
          .add("sram_slot_setup_ns", &P::sram_slot_setup,
               "what an access to a slot in cube SRAM takes besides its bytes")
          .add("hbm_slot_bw_gbs", &P::hbm_slot_bw,
               "bandwidth of a slot of a ring in the PE's HBM slice (Q-62); the way to it is added")
          .add("hbm_slot_setup_ns", &P::hbm_slot_setup, "what an access to a slot in HBM takes besides its bytes")
          .table();
  return table;
}

}  // namespace kb::params
