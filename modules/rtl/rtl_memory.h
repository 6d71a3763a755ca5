// The SRAM of a cube or the HBM slice of a PE as an AXI4 memory whose RTL is simulated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/fabric/arrival_node.h"
#include "modules/fabric/sliding_deque.h"
#include "modules/rtl/axi_manager.h"
#include "modules/rtl/axi_scoreboard.h"
#include "modules/rtl/axi_signals.h"
#include "modules/rtl/pin_use.h"
#include "modules/rtl/rtl_clock.h"
#include "modules/rtl/rtl_pins.h"
#include "platform/elab/registry.h"

namespace kb::modules {

// Pins of `busy_when` and `stall_when`, in the order of tell_use().
const std::vector<std::string>& memory_pins();

struct RtlMemoryParams {
  Gigahertz clock{1.0};
  Nanoseconds phase;
  std::int64_t read_latency = 4;
  std::int64_t write_latency = 2;
  std::int64_t beat_bytes = 0;
  std::int64_t ids = 1;
  std::int64_t max_reads = 1024;
  std::int64_t max_writes = 1024;
  bool verify = false;
  RtlGate gate = RtlGate::on;
  bool pins = false;
  bool check_unknown = true;
  std::int64_t hang_cycles = 10'000;
  PinText<memory_pins> busy_when{"open"};
  PinText<memory_pins> stall_when{"arvalid & !arready, awvalid & !awready, wvalid & !wready"};

  static const params::FieldTable& fields();
};

// Models: reads and writes as AXI4 bursts on the pins of a memory, clock edge by clock edge.
// Does not model: contents, which the data engine keeps; the data pins carry generated numbers, which `verify`
// compares.
// Timing: rising edges at phase + n T. An edge samples the flits and commands that arrived strictly before it. Each
// flit of a read or write becomes one burst of beats, or two when it crosses a multiple of 4 KiB. Bursts of one
// transaction have one id. A read flit leaves at the edge that takes its last beat; a write is answered at the edge
// that takes the answer of its last burst. Without requests and with busy = 0 the clock is stopped, without events.
// With `gate: off`, or for a memory without busy, these edges are simulated later, when the next request comes.
class RtlMemory final : public ArrivalNode, private IPinSource {
 public:
  RtlMemory(const sc_core::sc_module_name& name, NodeId node, const RtlMemoryParams& params,
            const RtlMaker<IAxiMemory>& make, elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;
  void conclude() override;

 private:
  // A flit in the memory; its index is the token of its bursts.
  struct Access {
    payload::Transaction* transaction = nullptr;  // null: unused
    std::uint32_t index = 0;
    std::uint32_t bursts = 0;  // number of unfinished bursts
    TimeFs since = 0_fs;
  };

  void on_arrival(const Arrival& arrival) override;
  void on_wake() override;
  void start(const Arrival& arrival);
  void access(payload::Transaction& transaction, std::uint32_t index, TimeFs since, std::uint8_t id);
  std::uint8_t next_id();
  void check_port(const RtlMemoryParams& params) const;
  bool gated() const { return params_.gate == RtlGate::on && port_.busy && signals_ == nullptr; }
  void skip_to(std::int64_t number);
  void show_edge(std::int64_t number) override;
  void edge();
  AxiManager::Done clock();
  void finish(std::uint64_t token);
  void watch(bool moved);
  void tell_use(const AxiManagerPins& manager, const AxiMemoryPins& memory);
  [[noreturn]] void fail(const Error& error, std::int64_t number) const;

  TimeFs overhead_;
  RtlMemoryParams params_;
  RtlClock clock_;
  std::unique_ptr<IAxiMemory> memory_, shadow_;
  AxiPort port_;
  std::uint8_t beat_size_;  // log2 of the bytes per beat
  AxiManager manager_;
  AxiRules rules_;
  std::unique_ptr<AxiScoreboard> scoreboard_;  // null: data are not compared
  PinUse use_;
  std::unique_ptr<AxiPins> pins_;        // null: no waveforms
  std::unique_ptr<AxiSignals> signals_;  // null: no SystemC signals
  AxiManagerPins shown_manager_;         // before the last edge
  AxiMemoryPins shown_memory_;           // before the last edge
  SlidingDeque<Arrival> arrived_;        // not sampled yet
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_;
  struct Write {
    std::uint32_t left = 0;  // number of unfinished flits
    std::uint8_t id = 0;
  };
  std::unordered_map<const payload::Transaction*, Write> writes_;  // never iterated
  TimeFs edge_ = kNever;
  std::int64_t next_number_ = 0;  // number of the first edge that the RTL has not seen
  std::uint32_t used_ids_ = 0;
  std::int64_t silent_ = 0, clocked_ = 0, read_count_ = 0, write_count_ = 0;
};

// Defines `impl` as a memory of this kind, sram or hbm_ctrl.
elab::BlockDefinition rtl_memory_block(topology::NodeKind kind, const std::string& impl, RtlMaker<IAxiMemory> make);

}  // namespace kb::modules
