#include "sim/evaluate/gemm/gemm_model.h"

#include <algorithm>
#include <limits>
#include <set>

#include "platform/routing/address_resolver.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"

namespace kb::evaluate {
namespace {

using topology::NodeKind;

double ns(TimeFs time) {
  return static_cast<double>(time) / static_cast<double>(kFsPerNs);
}

// Distinct steps of a tile that neither begins nor ends a K loop.
int stages_inside(const plan::TileShape& tile) {
  const plan::PipelinePlan plan = plan_of({tile.m, 3 * tile.k, tile.n}, {}, tile);
  const plan::Tile middle = plan.tile(1);
  std::set<plan::StageType> types;
  for (std::uint32_t i = 0; i < plan.stage_count(middle); ++i) types.insert(plan.stage(middle, i).type);
  return static_cast<int>(types.size());
}

void add_path(GemmPlatform& platform, const topology::Graph& graph, const PeCoord& pe) {
  const routing::AddressResolver resolver(graph);
  routing::PathRouter router(graph);
  const topology::Node& hbm = graph.node(resolver.find_hbm(pe));
  const routing::Route& route = router.find_path(resolver.find_pe_node(pe, NodeKind::pe_dma), resolver.find_hbm(pe));
  const double burst = hbm.number("burst_bytes");
  const double channel_gbs = hbm.number("pc_bw_gbs");
  platform.link_gbs = channel_gbs * hbm.number("num_pcs");
  double flit_ns = 0;  // a flit stands on every wire, but only the narrowest one's time is part of the bytes' time
  for (const EdgeId edge : route.reverse_edges) {
    const std::optional<double> gbs = graph.edge(edge).bw_gbs;
    if (!gbs || *gbs <= 0) continue;
    platform.link_gbs = std::min(platform.link_gbs, *gbs);
    flit_ns += burst / *gbs;
  }
  const double there_and_back = 2 * ns(routing::overhead_fs(graph, route) + routing::wire_fs(graph, route));
  platform.read_latency_ns = there_and_back - hbm.number("overhead_ns") + burst / channel_gbs +
                             std::max(0.0, flit_ns - burst / platform.link_gbs);
}

}  // namespace

std::string GemmShape::text() const {
  return std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
}

plan::PipelinePlan plan_of(const GemmShape& shape, const GemmVariant& variant, const plan::TileShape& tile) {
  plan::GemmProblem problem;
  problem.m = shape.m;
  problem.k = shape.k;
  problem.n = shape.n;
  problem.a_pinned = variant.a_pinned;
  problem.b_pinned = variant.b_pinned;
  return plan::gemm_plan(problem, tile);
}

double GemmPlatform::tile_ns() const {
  return std::max(gemm_overhead_ns, static_cast<double>(tile.m * tile.k * tile.n) / mac_per_ns);
}

Json GemmPlatform::json() const {
  return {{"mac_per_ns", mac_per_ns}, {"gemm_overhead_ns", gemm_overhead_ns},
          {"tile_ns", tile_ns()},     {"fetch_gbs", fetch_gbs},
          {"link_gbs", link_gbs},     {"read_latency_ns", read_latency_ns},
          {"rd_engines", rd_engines}, {"pipeline_stages", pipeline_stages}};
}

GemmPlatform gemm_platform(const topology::LoadedTopology& machine, const PeCoord& pe) {
  const topology::Graph& graph = machine.graph;
  const routing::AddressResolver resolver(graph);
  const auto block = [&](NodeKind kind) -> const topology::Node& {
    return graph.node(resolver.find_pe_node(pe, kind));
  };
  GemmPlatform platform;
  const topology::Node& scheduler = block(NodeKind::pe_scheduler);
  platform.tile = {scheduler.integer("tile_m"), scheduler.integer("tile_k"), scheduler.integer("tile_n")};
  platform.mac_per_ns = block(NodeKind::pe_gemm).number("mac_per_ns");
  platform.gemm_overhead_ns = block(NodeKind::pe_gemm).number("overhead_ns");
  platform.fetch_gbs = block(NodeKind::pe_tcm).number("read_bw_gbs");
  if (graph.spec.fetch_store_to_tcm_bw_gbs > 0) {  // 0 = no limit
    platform.fetch_gbs = std::min(platform.fetch_gbs, graph.spec.fetch_store_to_tcm_bw_gbs);
  }
  platform.rd_engines = static_cast<int>(block(NodeKind::pe_dma).integer("rd_engines"));
  platform.pipeline_stages = stages_inside(platform.tile);
  add_path(platform, graph, pe);
  return platform;
}

GemmTheory gemm_theory(const GemmPlatform& platform, const GemmShape& shape, const GemmVariant& variant,
                       bool round_trips) {
  const plan::PipelinePlan plan = plan_of(shape, variant, platform.tile);
  double steady = 0;
  for (std::uint64_t id = 0; id < plan.tiles(); ++id) {
    const plan::Tile tile = plan.tile(id);
    double read = 0, held = 0, fetch = 0;
    for (std::uint32_t i = 0; i < plan.stage_count(tile); ++i) {
      const plan::Stage stage = plan.stage(tile, i);
      const auto bytes = static_cast<double>(stage.nbytes);
      if (stage.type == plan::StageType::fetch) fetch += bytes / platform.fetch_gbs;
      if (stage.type != plan::StageType::dma_read) continue;
      read += bytes / platform.link_gbs;
      held += (bytes / platform.link_gbs + platform.read_latency_ns) / platform.rd_engines;
    }
    steady += std::max({platform.tile_ns(), fetch, round_trips ? std::max(read, held) : read});
  }
  const double products = static_cast<double>(plan.tiles()) * platform.tile_ns();
  GemmTheory theory;
  theory.total_ns = steady + (platform.pipeline_stages - 1) * platform.tile_ns();
  theory.utilisation = products / theory.total_ns;
  theory.bound = products / steady;
  return theory;
}

double useful_share(const GemmShape& shape, const plan::TileShape& tile) {
  const auto padded = [](std::int64_t size, std::int64_t step) { return (size + step - 1) / step * step; };
  const auto volume = [](std::int64_t m, std::int64_t k, std::int64_t n) {
    return static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  };
  return volume(shape.m, shape.k, shape.n) /
         volume(padded(shape.m, tile.m), padded(shape.k, tile.k), padded(shape.n, tile.n));
}

}  // namespace kb::evaluate
