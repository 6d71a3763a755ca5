#include "sim/evaluate/gemm/gemm_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "platform/params/hbm_ctrl_params.h"
#include "platform/params/pe_dma_params.h"
#include "platform/params/pe_fetch_store_params.h"
#include "platform/params/pe_gemm_params.h"
#include "platform/params/pe_mmu_params.h"
#include "platform/params/pe_scheduler_params.h"
#include "platform/params/pe_tcm_params.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"

namespace kb::evaluate {
namespace {

using topology::NodeKind;

// Distinct steps of a tile that neither begins nor ends a K loop.
int stages_inside(const plan::TileShape& tile) {
  const plan::PipelinePlan plan = plan_of({tile.m, 3 * tile.k, tile.n}, {}, tile);
  const plan::Tile middle = plan.tile(1);
  std::set<plan::StageType> types;
  for (std::uint32_t i = 0; i < plan.stage_count(middle); ++i) types.insert(plan.stage(middle, i).type);
  return static_cast<int>(types.size());
}

double narrowest(const std::vector<routing::PathStep>& steps) {
  double narrow = 0;
  for (const routing::PathStep& step : steps) {
    if (step.gbs > 0 && (narrow == 0 || step.gbs < narrow)) narrow = step.gbs;
  }
  return narrow;
}

// Of limits that stand in a row; 0 is none.
double narrower(double one, double other) {
  return one > 0 && other > 0 ? std::min(one, other) : std::max(one, other);
}

void add_path(GemmPlatform& platform, const topology::Graph& graph, const PeCoord& pe) {
  const routing::AddressResolver resolver(graph);
  routing::PathRouter router(graph);
  const topology::Node& hbm = graph.node(resolver.find_hbm(pe));
  platform.path = routing::transfer_path(
      graph, router.find_path(resolver.find_pe_node(pe, NodeKind::pe_dma), resolver.find_hbm(pe)));
  const auto& memory = hbm.params.as<params::HbmCtrlParams>();
  platform.memory_gbs = memory.pc_bw.gbs * static_cast<double>(memory.num_pcs);
  platform.link_gbs = narrower(narrowest(platform.path.back), platform.memory_gbs);
  platform.write_link_gbs = narrower(narrowest(platform.path.there), platform.memory_gbs);
}

double translation_ns(const topology::Graph& graph, const params::PeMmuParams& mmu, const params::PeDmaParams& dma) {
  switch (graph.spec.address_model) {
    case AddressModel::va:
      return mmu.tlb_overhead.ns;
    case AddressModel::la:
      return dma.baaw_overhead.ns;
    case AddressModel::pa:
      break;
  }
  return 0;
}

double at_rate(double bytes, double gbs) {
  return gbs > 0 ? bytes / gbs : 0;
}

// Rounded as the memory port does.
double on_port(std::uint64_t bytes, double gbs) {
  return fs_to_ns(occupancy_fs(bytes, gbs));
}

// For how long a plan needs each resource, all tiles together.
struct Demand {
  double products = 0, fetch = 0, store = 0;
  double read_link = 0, write_link = 0, memory = 0;
  double readers = 0, writers = 0;  // engines of PE_DMA, spread over them

  double busiest_alone() const { return std::max({products, fetch, store, read_link, write_link}); }
};

// What one tile takes on its way when nothing else is in it.
struct TileTimes {
  double read = 0, fetch = 0, product = 0;
  double store = 0, write = 0;  // of the last of a K loop
};

TileTimes add_tile(Demand& demand, const GemmPlatform& platform, const plan::PipelinePlan& plan,
                   const plan::Tile& tile) {
  TileTimes times;
  times.product = platform.product_ns(tile.m, tile.k, tile.n);
  for (std::uint32_t i = 0; i < plan.stage_count(tile); ++i) {
    const plan::Stage stage = plan.stage(tile, i);
    const auto bytes = static_cast<double>(stage.nbytes);
    const std::uint64_t unit = platform.path.access_bytes;
    const double accessed = static_cast<double>((stage.nbytes + unit - 1) / unit * unit);  // a part costs whole ones
    if (stage.type == plan::StageType::fetch)
      times.fetch += platform.fetch_overhead_ns + on_port(stage.nbytes, platform.fetch_gbs);
    if (stage.type == plan::StageType::store)
      times.store += platform.fetch_overhead_ns + on_port(stage.nbytes, platform.store_gbs);
    if (stage.type == plan::StageType::dma_read) {
      times.read += platform.read_ns(stage.nbytes);
      demand.read_link += at_rate(bytes, platform.link_gbs);
      demand.memory += at_rate(accessed, platform.memory_gbs);
    }
    if (stage.type == plan::StageType::dma_write) {
      times.write += platform.write_ns(stage.nbytes);
      demand.write_link += at_rate(bytes, platform.write_link_gbs);
      demand.memory += at_rate(accessed, platform.memory_gbs);
    }
  }
  demand.products += times.product;
  demand.fetch += times.fetch;
  demand.store += times.store;
  demand.readers += times.read / (platform.rd_engines * platform.rd_outstanding);
  demand.writers += times.write / platform.wr_engines;
  return times;
}

struct PlanTimes {
  Demand demand;
  TileTimes least;  // each step's shortest time: whichever tile comes first or last takes no less
};

PlanTimes times_of(const GemmPlatform& platform, const GemmShape& shape, const GemmVariant& variant) {
  const plan::PipelinePlan plan = plan_of(shape, variant, platform.tile);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  PlanTimes times{{}, {kNone, kNone, kNone, kNone, kNone}};
  const auto shorten = [](double& least, double time) { least = std::min(least, time); };
  for (std::uint64_t id = 0; id < plan.tiles(); ++id) {
    const plan::Tile tile = plan.tile(id);
    const TileTimes one = add_tile(times.demand, platform, plan, tile);
    shorten(times.least.read, one.read);
    shorten(times.least.fetch, one.fetch);
    shorten(times.least.product, one.product);
    if (!tile.last_k) continue;
    shorten(times.least.store, one.store);
    shorten(times.least.write, one.write);
  }
  return times;
}

GemmTheory theory(double products, double busiest, double total) {
  return {total, products / total, products / busiest};
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

// Rounded like the engine's (AccelEngine::work_time).
double GemmPlatform::product_ns(std::int64_t m, std::int64_t k, std::int64_t n) const {
  const auto macs = static_cast<double>(granularity.padded_macs(m, k, n));
  return std::max(gemm_overhead_ns, fs_to_ns(round_fs(macs * static_cast<double>(kFsPerNs) / mac_per_ns)));
}

double GemmPlatform::read_ns(std::uint64_t bytes) const {
  if (channels) return 2 * dma_overhead_ns + translation_ns + at_rate(static_cast<double>(bytes), link_gbs);
  return 2 * dma_overhead_ns + translation_ns + fs_to_ns(routing::uncontended_read(path, bytes).answered);
}

double GemmPlatform::write_ns(std::uint64_t bytes) const {
  if (channels) return 2 * dma_overhead_ns + translation_ns + at_rate(static_cast<double>(bytes), write_link_gbs);
  return 2 * dma_overhead_ns + translation_ns + fs_to_ns(routing::uncontended_write(path, bytes).answered);
}

double GemmPlatform::read_latency_ns() const {
  const auto bytes = static_cast<std::uint64_t>(tile.k * tile.n) * item_size(Dtype::f16);
  return read_ns(bytes) - at_rate(static_cast<double>(bytes), link_gbs);
}

Json GemmPlatform::json() const {
  return {{"mac_per_ns", mac_per_ns},
          {"gemm_overhead_ns", gemm_overhead_ns},
          {"tile_ns", tile_ns()},
          {"fetch_gbs", fetch_gbs},
          {"store_gbs", store_gbs},
          {"fetch_overhead_ns", fetch_overhead_ns},
          {"link_gbs", link_gbs},
          {"write_link_gbs", write_link_gbs},
          {"memory_gbs", memory_gbs},
          {"read_latency_ns", read_latency_ns()},
          {"translation_ns", translation_ns},
          {"rd_engines", rd_engines},
          {"rd_outstanding", rd_outstanding},
          {"wr_engines", wr_engines},
          {"pipeline_stages", pipeline_stages},
          {"channels", channels}};
}

GemmPlatform gemm_platform(const topology::LoadedTopology& machine, const PeCoord& pe) {
  const topology::Graph& graph = machine.graph;
  const routing::AddressResolver resolver(graph);
  const auto block = [&](NodeKind kind) -> const topology::Node& {
    return graph.node(resolver.find_pe_node(pe, kind));
  };
  GemmPlatform platform;
  const auto& scheduler = block(NodeKind::pe_scheduler).params.as<params::PeSchedulerParams>();
  platform.tile = {scheduler.tile_m, scheduler.tile_k, scheduler.tile_n};
  const auto& gemm = block(NodeKind::pe_gemm).params.as<params::PeGemmParams>();
  platform.mac_per_ns = gemm.macs_per_ns.of(Dtype::f16);
  platform.granularity = gemm.granularity;
  platform.gemm_overhead_ns = gemm.overhead.ns;
  const auto& tcm = block(NodeKind::pe_tcm).params.as<params::PeTcmParams>();
  const double register_link = graph.spec.fetch_store_to_tcm_bw_gbs;
  platform.fetch_gbs = narrower(tcm.read_bw.gbs, register_link);
  platform.store_gbs = narrower(tcm.write_bw.gbs, register_link);
  platform.fetch_overhead_ns = block(NodeKind::pe_fetch_store).params.as<params::PeFetchStoreParams>().overhead.ns;
  const auto& dma = block(NodeKind::pe_dma).params.as<params::PeDmaParams>();
  platform.dma_overhead_ns = dma.overhead.ns;
  platform.translation_ns = translation_ns(graph, block(NodeKind::pe_mmu).params.as<params::PeMmuParams>(), dma);
  platform.rd_engines = static_cast<int>(dma.rd_engines);
  platform.rd_outstanding = static_cast<int>(dma.rd_outstanding);
  platform.wr_engines = static_cast<int>(dma.wr_engines);
  platform.pipeline_stages = stages_inside(platform.tile);
  platform.channels = graph.spec.hbm_mapping_mode == topology::HbmMapping::one_to_one;
  add_path(platform, graph, pe);
  return platform;
}

GemmTheory ideal_theory(const GemmPlatform& platform, const GemmShape& shape, const GemmVariant& variant) {
  const Demand demand = times_of(platform, shape, variant).demand;
  const double busiest = demand.busiest_alone();
  return theory(demand.products, busiest, busiest + (platform.pipeline_stages - 1) * platform.tile_ns());
}

GemmTheory round_trip_theory(const GemmPlatform& platform, const GemmShape& shape, const GemmVariant& variant) {
  const auto [demand, least] = times_of(platform, shape, variant);
  const double fetched = least.read + least.fetch, computed = fetched + least.product;
  const double stored = least.store + least.write, multiplied = least.product + stored;
  const double total =
      std::max({std::max(demand.readers, demand.read_link) + least.fetch + multiplied, demand.memory,
                least.read + demand.fetch + multiplied, fetched + demand.products + stored,
                computed + demand.store + least.write, computed + std::max(demand.writers, demand.write_link)});
  return theory(demand.products, std::max({demand.busiest_alone(), demand.memory, demand.readers, demand.writers}),
                total);
}

double array_ns(const GemmPlatform& platform, const GemmShape& shape) {
  return times_of(platform, shape, {}).demand.products;
}

double useful_share(const GemmPlatform& platform, const GemmShape& shape) {
  const plan::PipelinePlan plan = plan_of(shape, {}, platform.tile);
  double macs = 0;
  for (std::uint64_t id = 0; id < plan.tiles(); ++id) {
    const plan::Tile tile = plan.tile(id);
    macs += static_cast<double>(platform.granularity.padded_macs(tile.m, tile.k, tile.n));
  }
  return static_cast<double>(shape.m) * static_cast<double>(shape.k) * static_cast<double>(shape.n) / macs;
}

}  // namespace kb::evaluate
