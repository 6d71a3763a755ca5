#include <fmt/format.h>

#include <cmath>

#include "platform/base/names.h"
#include "platform/topology/compile.h"
#include "platform/topology/component_rules.h"
#include "platform/topology/schema.h"

namespace kb::topology {
namespace {

constexpr std::array<Side, 4> kSideOrder{Side::N, Side::S, Side::E, Side::W};

class CubeCompiler {
 public:
  CubeCompiler(GraphBuilder& builder, const MachineSpec& spec, const MeshLayout& mesh, const Templates& templates,
               SipId sip, CubeId cube)
      : builder_(builder), spec_(spec), mesh_(mesh), templates_(templates), prefix_(cube_name(sip, cube) + ".") {
    owner_.sip = sip;
    owner_.cube = cube;
  }

  CubeNodes compile() {
    add_routers();
    for (std::uint32_t pe = 0; pe < mesh_.pes.size(); ++pe) add_pe(PeId(pe));
    add_shared_blocks();
    for (std::uint32_t pe = 0; pe < mesh_.pes.size(); ++pe) add_hbm(PeId(pe));
    return add_ucie();
  }

 private:
  NodeId& router(GridPoint point) {
    return routers_[static_cast<std::size_t>(point.row) * static_cast<std::size_t>(mesh_.cols()) +
                    static_cast<std::size_t>(point.col)];
  }
  Owner pe_owner(PeId pe) const {
    Owner owner = owner_;
    owner.pe = pe;
    return owner;
  }

  // T-50: no edge crosses the hole.
  void add_routers() {
    routers_.resize(static_cast<std::size_t>(mesh_.rows()) * static_cast<std::size_t>(mesh_.cols()));
    const auto each = [&](const auto& visit) {
      for (int row = 0; row < mesh_.rows(); ++row) {
        for (int col = 0; col < mesh_.cols(); ++col) {
          if (mesh_.exists({row, col})) visit(GridPoint{row, col});
        }
      }
    };
    each([&](GridPoint at) {
      router(at) = builder_.add(prefix_ + router_name(at), templates_.router, owner_, mesh_.position(at));
    });
    const auto join = [&](GridPoint a, GridPoint b) {
      if (!mesh_.exists(b)) return;
      const Position p = mesh_.position(a);
      const Position q = mesh_.position(b);
      const double distance = std::round((q.x - p.x + q.y - p.y) * 1000.0) / 1000.0;
      builder_.link(router(a), router(b), EdgeKind::router_mesh, EdgeKind::router_mesh, distance, spec_.router_link_bw);
    };
    each([&](GridPoint at) {
      join(at, {at.row, at.col + 1});
      join(at, {at.row + 1, at.col});
    });
  }

  // T-25, T-51: the PE's blocks, their template links, and the links that leave the PE.
  void add_pe(PeId pe) {
    const PeAttachment& place = mesh_.pes[pe.value];
    const auto add = [&](const BlockTemplate& sub_block) {
      return builder_.add(fmt::format("{}pe{}.{}", prefix_, pe.value, node_kind_name(sub_block.kind)), sub_block,
                          pe_owner(pe), place.center);
    };
    std::array<NodeId, 9> block;
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = add(templates_.pe[i]);
    const auto [cpu, scheduler, dma, fetch_store, gemm, math, tcm, mmu, ipcq] = block;
    const auto dispatch = [&](NodeId from, NodeId to, const char* length) {
      builder_.edge(from, to, EdgeKind::pe_internal, spec_.pe_link_mm.at(length), kNoLimit);
    };
    builder_.edge(cpu, scheduler, EdgeKind::pe_internal, 0.0, kNoLimit);
    dispatch(scheduler, dma, "scheduler_to_dma_mm");
    dispatch(scheduler, fetch_store, "scheduler_to_fetch_store_mm");
    dispatch(scheduler, gemm, "scheduler_to_gemm_mm");
    dispatch(scheduler, math, "scheduler_to_math_mm");
    dispatch(dma, fetch_store, "dma_to_fetch_store_mm");
    dispatch(fetch_store, gemm, "fetch_store_to_gemm_mm");
    dispatch(fetch_store, math, "fetch_store_to_math_mm");
    dispatch(gemm, fetch_store, "gemm_to_fetch_store_mm");
    dispatch(gemm, math, "gemm_to_math_mm");
    dispatch(math, fetch_store, "math_to_fetch_store_mm");
    dispatch(fetch_store, dma, "fetch_store_to_dma_mm");
    const auto inside = [&](NodeId a, NodeId b, Bandwidth bw) {
      builder_.link(a, b, EdgeKind::pe_internal, EdgeKind::pe_internal, 0.0, bw);
    };
    inside(fetch_store, tcm, spec_.fetch_store_to_tcm_bw);
    inside(cpu, ipcq, kNoLimit);
    inside(ipcq, dma, kNoLimit);
    for (std::size_t i = block.size(); i < templates_.pe.size(); ++i) {
      const NodeId engine = add(templates_.pe[i]);
      const EngineLinks lengths(templates_.pe[i].kind);
      dispatch(scheduler, engine, lengths.from_scheduler.c_str());
      dispatch(fetch_store, engine, lengths.from_fetch_store.c_str());
      dispatch(engine, fetch_store, lengths.to_fetch_store.c_str());
    }
    attach_pe(place, dma, cpu, mmu);
  }

  double stub_mm(const PeAttachment& place) const {
    const Position at = mesh_.position(place.router);
    const double stub = std::abs(place.center.x - at.x) + std::abs(place.center.y - at.y);
    return std::round(stub * 1000.0) / 1000.0;
  }

  void attach_pe(const PeAttachment& place, NodeId dma, NodeId cpu, NodeId mmu) {
    builder_.link(dma, router(place.router), EdgeKind::pe_to_router, EdgeKind::router_to_pe, stub_mm(place),
                  spec_.pe_to_router_bw);
    dma_.push_back(dma);
    command(router(place.router), cpu);
    command(router(place.router), mmu);
  }

  void command(NodeId from_router, NodeId block) {
    builder_.link(from_router, block, EdgeKind::command, EdgeKind::command, 0.0, kNoLimit);
  }

  void add_shared_blocks() {
    const NodeId m_cpu =
        builder_.add(prefix_ + "m_cpu", templates_.m_cpu, owner_, Position{spec_.m_cpu_x, spec_.m_cpu_y});
    command(router(mesh_.m_cpu), m_cpu);
    const NodeId sram = builder_.add(prefix_ + "sram", templates_.sram, owner_, Position{spec_.sram_x, spec_.sram_y});
    builder_.link(router(mesh_.sram), sram, EdgeKind::router_to_sram, EdgeKind::sram_to_router, 0.0,
                  spec_.sram_to_router_bw);
  }

  // T-52: a partition is connected only to its own PE's router.
  void add_hbm(PeId pe) {
    const GridPoint at = mesh_.pes[pe.value].router;
    const NodeId hbm = builder_.add(fmt::format("{}hbm_ctrl.pe{}", prefix_, pe.value), templates_.hbm_ctrl,
                                    pe_owner(pe), mesh_.position(at));
    const double efficiency = spec_.hbm_ctrl().efficiency;
    builder_.link(router(at), hbm, EdgeKind::router_to_hbm, EdgeKind::hbm_to_router, 0.0,
                  spec_.hbm_to_router_bw * efficiency);
    if (!templates_.channels.empty()) add_channels(pe, hbm, spec_.hbm_channel_bw * efficiency);
  }

  // T-56, A-87: channel routers split the PE's accesses to its own partition. A lane is as wide as the PE's link if the
  // link can carry all channels at once; otherwise the lanes share the link and each has an N-th of it, so that
  // together they are never wider than the link.
  void add_channels(PeId pe, NodeId hbm, Bandwidth channel_bw) {
    const PeAttachment& place = mesh_.pes[pe.value];
    const auto count = static_cast<double>(templates_.channels.size());
    const bool wide = !(spec_.pe_to_router_bw < channel_bw * count);
    const Bandwidth lane_bw = wide ? spec_.pe_to_router_bw : spec_.pe_to_router_bw / count;
    for (std::size_t i = 0; i < templates_.channels.size(); ++i) {
      const NodeId router = builder_.add(fmt::format("{}pe{}.ch_r{}", prefix_, pe.value, i), templates_.channels[i],
                                         pe_owner(pe), mesh_.position(place.router));
      builder_.link(dma_[pe.value], router, EdgeKind::pe_to_channel, EdgeKind::channel_to_pe, stub_mm(place), lane_bw);
      builder_.link(router, hbm, EdgeKind::channel_to_hbm, EdgeKind::hbm_to_channel, 0.0, channel_bw);
    }
  }

  Position port_position(Side side) const {
    const double w = spec_.cube_mm_w;
    const double h = spec_.cube_mm_h;
    switch (side) {
      case Side::N:
        return {w / 2, 0.0};
      case Side::S:
        return {w / 2, h};
      case Side::E:
        return {w, h / 2};
      case Side::W:
        return {0.0, h / 2};
    }
    return {};
  }

  // T-37
  CubeNodes add_ucie() {
    CubeNodes nodes;
    for (Side side : kSideOrder) {
      const auto s = static_cast<std::size_t>(side);
      const std::string name = fmt::format("{}ucie-{}", prefix_, side_names()[s]);
      nodes.ucie[s] = builder_.add(name, templates_.ucie, owner_, port_position(side));
      for (std::size_t c = 0; c < mesh_.ucie[s].size(); ++c) {
        const GridPoint at = mesh_.ucie[s][c];
        const NodeId connection =
            builder_.add(fmt::format("{}.conn{}", name, c), templates_.ucie_conn, owner_, mesh_.position(at));
        builder_.graph.nodes[connection.value].connection = static_cast<std::uint32_t>(c);
        builder_.link(connection, router(at), EdgeKind::ucie_conn_to_router, EdgeKind::router_to_ucie_conn, 0.0,
                      spec_.noc_to_ucie_conn_bw);
        builder_.link(connection, nodes.ucie[s], EdgeKind::ucie_internal, EdgeKind::ucie_internal, 0.0, kNoLimit);
      }
    }
    return nodes;
  }

  GraphBuilder& builder_;
  const MachineSpec& spec_;
  const MeshLayout& mesh_;
  const Templates& templates_;
  std::string prefix_;
  Owner owner_;
  std::vector<NodeId> routers_;  // index: row * cols + col; not valid in the hole
  std::vector<NodeId> dma_;      // indexed by PE
};

}  // namespace

CubeNodes compile_cube(GraphBuilder& builder, const MachineSpec& spec, const MeshLayout& mesh,
                       const Templates& templates, SipId sip, CubeId cube) {
  return CubeCompiler(builder, spec, mesh, templates, sip, cube).compile();
}

}  // namespace kb::topology
