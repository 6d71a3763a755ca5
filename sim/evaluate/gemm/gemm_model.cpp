#include "sim/evaluate/gemm/gemm_model.h"

#include <algorithm>
#include <cmath>
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
  platform.memory_gbs = hbm.number("pc_bw_gbs") * hbm.number("num_pcs");
  platform.link_gbs = narrower(narrowest(platform.path.back), platform.memory_gbs);
  platform.write_link_gbs = narrower(narrowest(platform.path.there), platform.memory_gbs);
}

double translation_ns(const topology::Graph& graph, const topology::Node& mmu, const topology::Node& dma) {
  switch (graph.spec.address_model) {
    case AddressModel::va:
      return mmu.number_or("tlb_overhead_ns", 0);
    case AddressModel::la:
      return dma.number_or("baaw_overhead_ns", 0);
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
  return ns(occupancy_fs(bytes, gbs));
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
  return std::max(gemm_overhead_ns, ns(std::llround(macs * static_cast<double>(kFsPerNs) / mac_per_ns)));
}

double GemmPlatform::read_ns(std::uint64_t bytes) const {
  if (channels) return 2 * dma_overhead_ns + translation_ns + at_rate(static_cast<double>(bytes), link_gbs);
  return 2 * dma_overhead_ns + translation_ns + ns(routing::lone_read(path, bytes).answered);
}

double GemmPlatform::write_ns(std::uint64_t bytes) const {
  if (channels) return 2 * dma_overhead_ns + translation_ns + at_rate(static_cast<double>(bytes), write_link_gbs);
  return 2 * dma_overhead_ns + translation_ns + ns(routing::lone_write(path, bytes).answered);
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
  const topology::Node& scheduler = block(NodeKind::pe_scheduler);
  platform.tile = {scheduler.integer("tile_m"), scheduler.integer("tile_k"), scheduler.integer("tile_n")};
  platform.mac_per_ns = block(NodeKind::pe_gemm).rates("mac_per_ns", RateUnit::macs).of(Dtype::f16);
  platform.granularity = parse_granularity(block(NodeKind::pe_gemm).text_or("gemm_granularity", "none")).value();
  platform.gemm_overhead_ns = block(NodeKind::pe_gemm).number("overhead_ns");
  const topology::Node& tcm = block(NodeKind::pe_tcm);
  const double register_link = graph.spec.fetch_store_to_tcm_bw_gbs;
  platform.fetch_gbs = narrower(tcm.number("read_bw_gbs"), register_link);
  platform.store_gbs = narrower(tcm.number("write_bw_gbs"), register_link);
  platform.fetch_overhead_ns = block(NodeKind::pe_fetch_store).number_or("overhead_ns", 0);
  const topology::Node& dma = block(NodeKind::pe_dma);
  platform.dma_overhead_ns = dma.number_or("overhead_ns", 0);
  platform.translation_ns = translation_ns(graph, block(NodeKind::pe_mmu), dma);
  platform.rd_engines = static_cast<int>(dma.integer("rd_engines"));
  platform.rd_outstanding = static_cast<int>(dma.integer("rd_outstanding"));
  platform.wr_engines = static_cast<int>(dma.integer("wr_engines"));
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
