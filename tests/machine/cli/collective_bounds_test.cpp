// The time of uncontended collectives against the bounds that docs/architecture/collectives.md gives: never below, at
// most 10 % above. The bounds come from the compiled topology and the formulas alone, no simulation has a part in them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "modules/kit/params.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"
#include "platform/topology/topology.h"
#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using Settings = std::vector<std::pair<std::string, std::string>>;

// Latencies of messages of one flit at most, in ns.
class Formulas {
 public:
  Formulas(const std::string& file, const Settings& settings, double nbytes)
      : topology_(topology::load(file, settings)), router_(topology_.graph), nbytes_(nbytes) {}

  // L(b): from PE_DMA to PE_DMA of PE 0.
  double message(int sip, int cube, int to_sip, int to_cube) {
    return latency(dma(sip, cube), dma(to_sip, to_cube), nbytes_);
  }
  double credit(int sip, int cube, int to_sip, int to_cube) {
    return latency(dma(to_sip, to_cube), dma(sip, cube), 16);
  }
  double slot() const { return attr("pe_ipcq", "tcm_slot_setup_ns") + nbytes_ / attr("pe_ipcq", "tcm_slot_bw_gbs"); }
  double hop(int sip, int cube, int to_sip, int to_cube) {
    return message(sip, cube, to_sip, to_cube) + 2 * slot() + credit(sip, cube, to_sip, to_cube);
  }
  double hop_between_sips(int cube) { return hop(0, cube, 1, cube); }
  // There, one burst in its pseudo-channel, the data, and back.
  double memory() {
    const NodeId bank = node("sip0.cube0.hbm_ctrl.pe0");
    const double burst =
        test::number(topology_.graph.node(bank), "burst_bytes") / test::number(topology_.graph.node(bank), "pc_bw_gbs");
    return latency(dma(0, 0), bank, nbytes_) + latency(dma(0, 0), bank, 0) + burst;
  }
  double math() const {  // of f16
    return nbytes_ / 2 / attr("pe_math", "elements_per_ns");
  }

 private:
  NodeId node(const std::string& id) const { return topology_.graph.find_node(id).value(); }
  NodeId dma(int sip, int cube) const {
    return node("sip" + std::to_string(sip) + ".cube" + std::to_string(cube) + ".pe0.pe_dma");
  }
  double attr(const std::string& kind, const std::string& name) const {
    return test::number(topology_.graph.node(node("sip0.cube0.pe0." + kind)), name);
  }
  double latency(NodeId from, NodeId to, double nbytes) {
    return fs_to_ns(
        routing::one_flit_latency_fs(topology_.graph, router_.find_path(from, to), static_cast<std::uint64_t>(nbytes)));
  }
  topology::LoadedTopology topology_;
  routing::PathRouter router_;
  double nbytes_;
};

class CollectiveBoundsTest : public CommandLineTest {
 protected:
  double measured(const std::string& machine, const Settings& settings, const std::string& workload,
                  const std::string& options) {
    std::string line =
        "run --quiet --topology '" + machine + "' --bench ccl-" + workload + " --data off --out out " + options;
    for (const auto& [key, value] : settings) line += " --set " + key + "=" + value;
    const Outcome outcome = kernbench(line);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    double time = 0;
    const Json result = Json::parse(read("out/result.json"));
    for (const Json& launch : result["launches"]) time = std::max(time, launch["pe_exec_ns"]["max"].get<double>());
    return time;
  }
  static void expect_near_bound(double time, double bound, const std::string& what) {
    EXPECT_GE(time, bound - 1e-3) << what;  // a femtosecond per wire
    EXPECT_LE(time, 1.1 * bound) << what;
  }
  std::string one_pe_per_sip() {
    return folder() + "/" +
           write("machine.yaml",
                 "sip: { cube_mesh: { w: 1, h: 1 } }\ncube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n");
  }
  static Settings sips(int count, const std::string& topology = "ring_1d", int w = 0, int h = 0) {
    Settings out{{"system.sips.count", std::to_string(count)}, {"system.sips.topology", topology}};
    if (w > 0) out.push_back({"system.sips.w", std::to_string(w)});
    if (h > 0) out.push_back({"system.sips.h", std::to_string(h)});
    return out;
  }
};

// One cube per SIP works: no other traffic shares its way out of the SIP.
TEST_F(CollectiveBoundsTest, BetweenRanksOnAClosedPath) {
  KB_SKIP_UNDER_SANITIZERS();
  const std::string machine = one_pe_per_sip();
  struct Case {
    int n;
    Settings settings;
    std::string group = {};  // of some of the ranks
  };
  const std::vector<Case> groups{{2, sips(2)},
                                 {3, sips(3)},
                                 {5, sips(5)},
                                 {8, sips(8)},
                                 {9, sips(9, "torus_2d", 3, 3)},
                                 {6, sips(6, "torus_2d", 3, 2)},
                                 {2, sips(5), "4,1"},
                                 {3, sips(6, "torus_2d", 3, 2), "5,0,4"},
                                 {4, sips(6, "mesh_2d_no_wrap", 3, 2), "1,3,2,5"}};
  for (const auto& [n, settings, group] : groups) {
    for (const int elements : {8, 128}) {
      Formulas f(machine, settings, 2.0 * elements);
      const double hop = f.hop_between_sips(0), mem = f.memory(), math = f.math();
      const int rounds = n / 2, ways = n % 2 == 1 ? 2 : 1;
      std::vector<std::pair<std::string, double>> bounds{{"send-recv --set target=1", 2 * mem + hop},
                                                         {"broadcast", 2 * mem + rounds * hop},
                                                         {"reduce", 2 * mem + rounds * (hop + math)},
                                                         {"gather", mem + rounds * hop + ways * mem},
                                                         {"scatter", ways * mem + rounds * hop + mem},
                                                         {"all-gather", mem + rounds * hop + ways * mem},
                                                         {"reduce-scatter", ways * mem + rounds * (hop + math) + mem}};
      if (settings[1].second == "ring_1d" || !group.empty()) {
        bounds.push_back({"allreduce-ranks --set blocks=no", 2 * mem + (n - 1) * (hop + math)});
      }
      bounds.push_back({"all-to-all", 2 * ways * mem + rounds * (rounds + 1) / 2 * hop});
      for (const auto& [workload, bound] : bounds) {
        const std::string options =
            "--set exchange=path --set n_elem=" + std::to_string(elements) + " --set groups=" + group;
        expect_near_bound(measured(machine, settings, workload, options), bound,
                          workload + " of " + std::to_string(n) + " ranks, " + options);
      }
      const std::string by_blocks =
          "--set exchange=path --set blocks=yes --set n_elem=" + std::to_string(n * elements) +
          " --set groups=" + group;
      expect_near_bound(measured(machine, settings, "allreduce-ranks", by_blocks),
                        2 * ways * mem + rounds * (2 * hop + math),
                        "all-reduce by blocks of " + std::to_string(n) + " ranks, " + by_blocks);
    }
  }
}

// On a mesh without wrap the path is a line, and a block goes to its end.
TEST_F(CollectiveBoundsTest, BetweenRanksOnALine) {
  const std::string machine = one_pe_per_sip();
  for (const auto& [w, h] : std::vector<std::pair<int, int>>{{3, 1}, {1, 4}, {2, 2}, {3, 2}}) {
    const int n = w * h;
    const Settings settings = sips(n, "mesh_2d_no_wrap", w, h);
    for (const int elements : {8, 128}) {
      Formulas f(machine, settings, 2.0 * elements);
      const double hop = f.hop_between_sips(0), mem = f.memory(), math = f.math();
      const std::vector<std::pair<std::string, double>> bounds{
          {"send-recv", 2 * mem + (h % 2 == 0 ? n - w : n - 1) * hop},  // rows go east and west in turn
          {"broadcast", 2 * mem + (n - 1) * hop},
          {"reduce", 2 * mem + (n - 1) * (hop + math)},
          {"gather", 2 * mem + (n - 1) * hop},
          {"scatter", 2 * mem + (n - 1) * hop},
          {"all-gather", 2 * mem + (n - 1) * hop},
          {"reduce-scatter", 2 * mem + (n - 1) * (hop + math)},
          {"allreduce-ranks --set blocks=no", 2 * mem + 2 * (w - 1 + h - 1) * hop + (w - 1 + h - 1) * math}};
      for (const auto& [workload, bound] : bounds) {
        const std::string options = "--set exchange=path --set n_elem=" + std::to_string(elements);
        expect_near_bound(measured(machine, settings, workload, options), bound,
                          workload + " of a line of " + std::to_string(n) + " ranks, " + options);
      }
      const std::string by_blocks = "--set exchange=path --set blocks=yes --set n_elem=" + std::to_string(n * elements);
      expect_near_bound(measured(machine, settings, "allreduce-ranks", by_blocks), 2 * mem + (n - 1) * (2 * hop + math),
                        "all-reduce by blocks of a line of " + std::to_string(n) + " ranks, " + by_blocks);
    }
  }
}

// A rank of a binary tree takes its left child's part, then the right one's (K-66).
double tree_sum_ready(Formulas& f, int rank, int ranks) {
  double ready = 0;
  for (const int child : {2 * rank + 1, 2 * rank + 2}) {
    if (child >= ranks) continue;
    const double arrived = tree_sum_ready(f, child, ranks) + f.message(0, 0, 1, 0) + f.slot();
    ready = std::max(ready, arrived) + f.slot() + f.credit(0, 0, 1, 0) + f.math();
  }
  return ready;
}

TEST_F(CollectiveBoundsTest, FlatAlgorithmsWithOneRankPerSip) {
  const std::string machine = one_pe_per_sip();
  const auto ccl = [&](const std::string& text) {
    return " --set ccl=" + write("flat.yaml", "algorithms: { flat: { wiring: flat, " + text + " } }\n") +
           " --set algorithm=flat";
  };
  for (const int elements : {8, 128}) {
    Formulas f(machine, sips(2), 2.0 * elements);
    const double hop = f.hop_between_sips(0), mem = f.memory(), math = f.math();
    const std::string size = "--set n_elem=" + std::to_string(elements);
    for (const int n : {2, 3, 6, 8}) {
      expect_near_bound(measured(machine, sips(n), "allreduce", size + ccl("module: ring_allreduce")),
                        2 * mem + (n - 1) * hop + math, size + " ring of " + std::to_string(n));
      const double depth = std::floor(std::log2(n));
      expect_near_bound(
          measured(machine, sips(n), "allreduce", size + ccl("module: tree_allreduce, topology: tree_binary")),
          2 * mem + tree_sum_ready(f, 0, n) + depth * hop, size + " tree of " + std::to_string(n));
    }
    for (const auto& [w, h] : std::vector<std::pair<int, int>>{{3, 2}, {3, 3}, {4, 2}}) {
      const std::string grid = ", w: " + std::to_string(w) + ", h: " + std::to_string(h);
      const int hops = w - 1 + h - 1;
      expect_near_bound(
          measured(machine, sips(w * h), "allreduce", size + ccl("module: mesh_allreduce, topology: torus_2d" + grid)),
          2 * mem + hops * hop + 2 * math, size + " torus" + grid);
      expect_near_bound(measured(machine, sips(w * h), "allreduce",
                                 size + ccl("module: mesh_allreduce, topology: mesh_2d_no_wrap" + grid)),
                        2 * mem + 2 * hops * hop + hops * math, size + " mesh" + grid);
    }
  }
}

// When each cube has what it waits for (K-57), with the second of two receives in a row paying its own slot and credit.
struct Hierarchy {
  Formulas& f;
  int w, h, root;
  int column() const { return root % w; }
  int row() const { return root / w; }
  int at(int c, int r) const { return r * w + c; }

  double take(double ready, double sent, int from, int to) const {
    const double arrived = sent + f.message(0, from, 0, to) + f.slot();
    return std::max(ready, arrived) + f.slot() + f.credit(0, from, 0, to) + f.math();
  }
  double row_ready(int c, int r) const {
    double ready = 0;
    if (c <= column() && c > 0) ready = take(ready, row_ready(c - 1, r), at(c - 1, r), at(c, r));
    if (c >= column() && c < w - 1) ready = take(ready, row_ready(c + 1, r), at(c + 1, r), at(c, r));
    return ready;
  }
  double column_ready(int r) const {
    double ready = row_ready(column(), r);
    if (r <= row() && r > 0) ready = take(ready, column_ready(r - 1), at(column(), r - 1), at(column(), r));
    if (r >= row() && r < h - 1) ready = take(ready, column_ready(r + 1), at(column(), r + 1), at(column(), r));
    return ready;
  }
  double reduce() const { return column_ready(row()); }
  double broadcast() const {
    double last = 0;
    for (int c = 0; c < w; ++c) {
      for (int r = 0; r < h; ++r) last = std::max(last, given(c, r));
    }
    return last;
  }
  double given(int c, int r) const {
    if (c != column()) {
      const int from = c < column() ? c + 1 : c - 1;
      return given(from, r) + f.hop(0, at(from, r), 0, at(c, r));
    }
    if (r == row()) return 0;
    const int from = r < row() ? r + 1 : r - 1;
    return given(c, from) + f.hop(0, at(c, from), 0, at(c, r));
  }
};

TEST_F(CollectiveBoundsTest, HierarchicalAllReduce) {
  KB_SKIP_UNDER_SANITIZERS();
  const std::string machine = config("reference");
  struct Case {
    Settings settings;
    int ring_rounds, chain_rounds;
  };
  for (const Case& one : {Case{sips(1), 0, 0}, Case{sips(2), 1, 0}, Case{sips(6), 5, 0},
                          Case{sips(6, "torus_2d", 3, 2), 3, 0}, Case{sips(6, "mesh_2d_no_wrap", 3, 2), 0, 6}}) {
    for (const int root : {10, 1}) {
      for (const int elements : {8, 128}) {
        Formulas f(machine, one.settings, 2.0 * elements);
        const Hierarchy cubes{f, 4, 4, root};
        double bound = 2 * f.memory() + cubes.reduce() + cubes.broadcast();
        if (one.ring_rounds + one.chain_rounds > 0) {
          bound += (one.ring_rounds + one.chain_rounds) * f.hop_between_sips(root) +
                   (one.ring_rounds > 0 ? 1 : 3) * f.math();
        }
        const std::string options = "--set root=" + std::to_string(root) + " --set n_elem=" + std::to_string(elements);
        expect_near_bound(measured(machine, one.settings, "allreduce", options), bound,
                          options + " on " + one.settings[0].second + " " + one.settings[1].second);
      }
    }
  }
}

}  // namespace
}  // namespace kb::test
