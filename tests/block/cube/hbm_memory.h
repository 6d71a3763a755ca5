// One HBM controller alone at a scripted router: 8 channels of 32 GB/s, 256 B bursts of 8 ns, unless stated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/cube/hbm_ctrl.h"
#include "tests/support/fabric_bench.h"

namespace kb::test {

inline constexpr TimeFs kHop = 1;
constexpr TimeFs ns(double value) {
  return static_cast<TimeFs>(value * 1e6);
}

struct Shape {
  double overhead_ns = 0.0;
  double switch_penalty_ns = 0.0;
  std::int64_t burst_bytes = 256;
  double return_bw_gbs = 256.0;
};

struct Memory {
  explicit Memory(const Shape& s = {}) : bench(s.burst_bytes), shape(s) {
    router = bench.add_scripted("router");
    hbm = bench.add("hbm", topology::NodeKind::hbm_ctrl, "builtin.hbm_ctrl",
                    {{"num_pcs", std::int64_t{8}},
                     {"burst_bytes", s.burst_bytes},
                     {"pc_bw_gbs", 32.0},
                     {"switch_penalty_ns", s.switch_penalty_ns},
                     {"overhead_ns", s.overhead_ns}});
    bench.link(router, hbm, 0.0, s.return_bw_gbs);  // into the controller a flit arrives exactly when told
    bench.start();
  }
  payload::Transaction& make(payload::Op op, std::uint64_t bytes, std::uint64_t offset) {
    return bench.transaction(op, {router, hbm}, bytes, offset);
  }
  payload::Transaction& write(std::uint64_t bytes, std::uint64_t offset, TimeFs arrival, TimeFs spacing) {
    payload::Transaction& t = make(payload::Op::write, bytes, offset);
    bench.scripted(router).send(0, t, payload::Leg::request, 0, t.flits, arrival, spacing);
    return t;
  }
  payload::Transaction& read(std::uint64_t bytes, std::uint64_t offset, TimeFs arrival) {
    payload::Transaction& t = make(payload::Op::read, bytes, offset);
    bench.scripted(router).send_message(t, payload::Leg::request, arrival);
    return t;
  }
  // Arrivals of the answer to one transaction.
  std::vector<TimeFs> answer(const payload::Transaction& t) {
    std::vector<TimeFs> times;
    for (const Arrival& a : bench.checker().arrivals(hbm, router)) {
      if (a.transaction == t.id) times.push_back(a.time);
    }
    return times;
  }
  using Edges = std::vector<Waves::Change>;
  Edges busy(int pc) const { return bench.waves().shown("hbm.pc" + std::to_string(pc) + ".busy"); }
  Edges queue(int pc) const { return bench.waves().shown("hbm.pc" + std::to_string(pc) + ".queue"); }
  std::vector<TimeFs> channels() {
    std::vector<TimeFs> free;
    for (std::size_t pc = 0; pc < 8; ++pc)
      free.push_back(bench.platform().block_as<modules::HbmCtrl>(hbm).channel_free_at(pc));
    return free;
  }

  FabricBench bench;
  Shape shape;
  NodeId router, hbm;
};

}  // namespace kb::test
