// A faster part makes nothing slower by much: random transfers and workloads on a machine and on one with a bandwidth
// doubled or an overhead halved.
#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "sim/evaluate/bars.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/lines.h"
#include "sim/evaluate/validation/section.h"
#include "sim/evaluate/validation/traffic.h"

namespace kb::evaluate {
namespace {

constexpr const char* kName = "monotony";
constexpr std::uint64_t kDefaultPairs = 120;
constexpr std::uint64_t kPairsPerDraw = 3;   // a drawn run and three faster machines
constexpr std::uint64_t kWorkloadEvery = 4;  // of the draws, the others are transfers
constexpr double kMostTransfers = 1.15, kMostWorkloads = 1.02;

struct Shape {
  int sips, width, height;  // cubes of 8 PEs
};
constexpr Shape kShapes[] = {{1, 1, 1}, {1, 2, 2}, {2, 2, 1}, {2, 4, 2}};

struct Knob {
  const char* key;
  const char* faster;  // twice the bandwidth or half the overhead of the defaults
};
constexpr Knob kFabricKnobs[] = {{"cube.links.router_link_bw_gbs", "512"},
                                 {"cube.links.router_overhead_ns", "1"},
                                 {"cube.links.pe_to_router_bw_gbs", "512"},
                                 {"cube.links.noc_to_ucie_conn_bw_gbs", "256"},
                                 {"cube.links.ucie_link_bw_gbs", "1024"},
                                 {"cube.ucie.attrs.overhead_ns", "4"},
                                 {"cube.memory_map.hbm_channel_bw_gbs", "64"},
                                 {"sip.io_chiplets[0].links.pcie_ep_to_noc_bw_gbs", "512"},
                                 {"sip.io_chiplets[0].links.per_connection_bw_gbs", "1024"},
                                 {"sip.io_chiplets[0].components.pcie_ep.attrs.overhead_ns", "2.5"},
                                 {"sip.io_chiplets[0].components.io_ucie.attrs.overhead_ns", "4"},
                                 {"system.links.io_ep_to_switch_bw_gbs", "1024"},
                                 {"system.components.switch.attrs.overhead_ns", "2.5"}};
constexpr std::size_t kOfOneCube = 7;  // of the above: those that a transfer between PEs of one SIP can meet
constexpr Knob kEngineKnobs[] = {{"cube.pe_template.components.pe_gemm.attrs.mac_per_ns", "8192"},
                                 {"cube.pe_template.components.pe_math.attrs.elements_per_ns", "512"},
                                 {"cube.pe_template.components.pe_tcm.attrs.read_bw_gbs", "1024"},
                                 {"cube.pe_template.links.fetch_store_to_tcm_bw_gbs", "1024"}};

struct Workload {
  const char* workload;
  std::vector<std::pair<const char*, std::vector<const char*>>> params;  // with the values to draw from
};
const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = {
      {"matmul-composite", {{"m", {"32", "64", "96"}}, {"k", {"256", "512"}}, {"n", {"32", "128"}}}},
      {"gemm-single-pe", {{"m", {"32", "64"}}, {"k", {"64", "128"}}, {"n", {"32", "64"}}}},
      {"gemm-multi-pe", {{"rows_per_pe", {"16", "32"}}, {"k", {"64", "128"}}, {"n", {"64", "128"}}}},
      {"qkv-gemm-multi-pe", {}},
      {"mlp", {}},
      {"softmax", {}},
      {"layernorm", {}},
      {"elementwise", {}},
      {"vector-add", {}},
      {"copy", {}},
      {"ccl-allreduce", {{"n_elem", {"8", "512", "2048"}}}}};
  return all;
}

std::string machine_text(const Shape& shape) {
  std::string ports = "{ cube: { xy: [0, 0] }, cube_side: N, phy: P0 }";
  if (shape.width > 1) ports += ", { cube: { xy: [1, 0] }, cube_side: N, phy: P1 }";
  return fmt::format(
      "system: {{ sips: {{ count: {} }} }}\nsip:\n  cube_mesh: {{ w: {}, h: {} }}\n  io_chiplets:\n    - {{ id: io0, "
      "cube_ports: [{}] }}\ncube:\n  pe_layout: {{ corners: [NW, NE, SW, SE], pe_per_corner: 2 }}\n",
      shape.sips, shape.width, shape.height, ports);
}

std::string drawn_transfers(Draws& draws, const Shape& shape) {
  constexpr std::uint64_t kSizes[] = {32, 256, 1024, 4096, 16384, 65536};
  constexpr std::uint64_t kSliceBytes = std::uint64_t{6} << 30, kPlaces = 1024, kWindowNs = 500;
  Trace trace(kSliceBytes);
  const auto cubes = static_cast<std::uint64_t>(shape.width * shape.height);
  const auto sips = static_cast<std::uint64_t>(shape.sips);
  const auto pe = [&] {
    const std::uint64_t sip = draws.below(sips), cube = draws.below(cubes);
    return pe_at(sip, cube, draws.below(8));
  };
  const std::uint64_t count = 4 + draws.below(61);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bytes = kSizes[draws.below(std::size(kSizes))], issue = draws.below(kWindowNs);
    const char* const op = draws.below(2) == 0 ? "pe_read" : "pe_write";
    const PeCoord source = pe(), target = pe();
    trace.add(issue, op, source, target, draws.below(kPlaces) * 65536, bytes);
  }
  return trace.take();
}

struct Draw {
  Point base;
  bool workload = false;
  std::vector<Knob> knobs;  // of its pairs
};

std::string id_of(std::uint64_t draw, std::uint64_t pair) {
  return pair == 0 ? fmt::format("{}_{}", kName, draw) : fmt::format("{}_{}_{}", kName, draw, pair);
}

Draw draw_of(std::uint64_t number) {
  Draws draws(number + 1);
  Draw draw;
  draw.workload = number % kWorkloadEvery == kWorkloadEvery - 1;
  const Shape& shape = kShapes[draws.below(std::size(kShapes))];
  draw.base.id = id_of(number, 0);
  draw.base.topology = machine_text(shape);
  draw.base.oplog = false;
  std::vector<Knob> knobs(std::begin(kFabricKnobs),
                          shape.sips > 1 ? std::end(kFabricKnobs) : std::begin(kFabricKnobs) + kOfOneCube);
  if (draw.workload) {
    const Workload& workload = workloads()[draws.below(workloads().size())];
    draw.base.workload = workload.workload;
    draw.base.ccl = workload.workload == std::string("ccl-allreduce") ? "{}\n" : "";
    for (const auto& [name, values] : workload.params) {
      draw.base.params.emplace_back(name, values[draws.below(values.size())]);
    }
    knobs.insert(knobs.end(), std::begin(kEngineKnobs), std::end(kEngineKnobs));
  } else {
    draw.base.trace = drawn_transfers(draws, shape);
  }
  for (std::uint64_t i = 0; i < kPairsPerDraw; ++i) draw.knobs.push_back(knobs[draws.below(knobs.size())]);
  return draw;
}

class MonotonySection final : public ISection {
 public:
  explicit MonotonySection(std::uint64_t pairs)
      : draws_(((pairs == 0 ? kDefaultPairs : pairs) + kPairsPerDraw - 1) / kPairsPerDraw) {}
  std::string name() const override { return kName; }

  std::vector<Point> points(const topology::LoadedTopology&) const override {
    std::vector<Point> list;
    for (std::uint64_t number = 0; number < draws_; ++number) {
      const Draw draw = draw_of(number);
      list.push_back(draw.base);
      for (std::uint64_t pair = 1; pair <= kPairsPerDraw; ++pair) {
        Point point = draw.base;
        point.id = id_of(number, pair);
        point.machine_sets = {{draw.knobs[pair - 1].key, draw.knobs[pair - 1].faster}};
        list.push_back(std::move(point));
      }
    }
    return list;
  }

  // Transfers: until the last response; workloads: the longest PE of each launch, all launches together.
  Json row(const Point& point, const PointFiles& files) const override {
    double time = 0;
    if (point.workload.empty()) {
      for (const Transfer& transfer : read_transfers(files.result)) time = std::max(time, transfer.completed_ns);
    } else {
      const Json result = Json::parse(read_file(files.result));
      for (const Json& launch : result.at("launches")) time += launch.at("pe_exec_ns").at("max").get<double>();
    }
    if (time <= 0) throw Error::model("point " + point.id + " takes no time");
    return {{"time_ns", time}};
  }

  Json details(const RowMap& rows) const override {
    Json list = Json::array();
    for (std::uint64_t number = 0; number < draws_; ++number) {
      const Draw draw = draw_of(number);
      const double before = rows.at(id_of(number, 0)).at("time_ns");
      for (std::uint64_t pair = 1; pair <= kPairsPerDraw; ++pair) {
        const double after = rows.at(id_of(number, pair)).at("time_ns");
        list.push_back({{"draw", number},
                        {"kind", draw.workload ? "workload" : "transfers"},
                        {"run", draw.workload ? describe(draw.base) : "random transfers"},
                        {"set", std::string(draw.knobs[pair - 1].key) + "=" + draw.knobs[pair - 1].faster},
                        {"before_ns", before},
                        {"ratio", after / before}});
      }
    }
    return list;
  }

  std::vector<Measured> measured(const topology::LoadedTopology&, const RowMap& rows) const override {
    const Json pairs = details(rows);
    std::vector<Measured> list;
    for (const auto& [kind, most] : {std::pair("transfers", kMostTransfers), std::pair("workload", kMostWorkloads)}) {
      std::size_t count = 0;
      const Json* worst = nullptr;
      for (const Json& pair : pairs) {
        if (pair.at("kind") != kind) continue;
        ++count;
        if (worst == nullptr || pair.at("ratio") > worst->at("ratio")) worst = &pair;
      }
      if (worst == nullptr) continue;
      list.push_back({kName,
                      fmt::format("{} on a faster machine: draw {} with {}: {}", kind, worst->at("draw").dump(),
                                  worst->at("set").get<std::string>(), worst->at("run").get<std::string>()),
                      "pairs", static_cast<double>(count), "slowest", worst->at("ratio"), "times before", "", 1, 0,
                      most});
    }
    return list;
  }

  Figure draw(const Json& data) const override {
    constexpr int kWidth = 900, kHeight = 560;
    constexpr double kPercent = 100;
    std::vector<LineSeries> lines;
    for (const auto& [kind, colour] : {std::pair("transfers", kBlue), std::pair("workload", kRed)}) {
      std::vector<double> ratios;
      for (const Json& pair : data.at("details").at(kName)) {
        if (pair.at("kind") == kind) ratios.push_back(pair.at("ratio").get<double>());
      }
      std::sort(ratios.begin(), ratios.end());
      LineSeries line{fmt::format("{}, {} pairs", kind, ratios.size()), colour, {}};
      line.marker = 0;
      for (std::size_t i = 0; i < ratios.size(); ++i) {
        line.points.emplace_back(kPercent * static_cast<double>(i + 1) / static_cast<double>(ratios.size()), ratios[i]);
      }
      if (!ratios.empty()) lines.push_back(std::move(line));
    }
    require_runs(!lines.empty(), "the monotony");
    return {"validation_monotony",
            chart_head("One bandwidth doubled or one overhead halved: time after / before", "time after / before") +
                "set bmargin 7\nset xlabel 'pairs up to this ratio [%]'\nset xrange [0:100]\nset yrange [0.4:1.2]\n" +
                caption({"Random transfers and workloads on machines of 8 to 128 PEs; above 1: slower on the faster "
                         "machine.",
                         made_by(data)},
                        kHeight) +
                level(1) + plot_lines(lines) + "\n",
            kWidth, kHeight};
  }

 private:
  std::uint64_t draws_;
};

}  // namespace

std::unique_ptr<ISection> monotony_section(std::uint64_t pairs) {
  return std::make_unique<MonotonySection>(pairs);
}

}  // namespace kb::evaluate
