#include "tests/support/random_machine.h"

#include <fmt/format.h>

#include "platform/address/phys_addr.h"

namespace kb::test {
namespace {

int pick(std::mt19937& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}
template <typename T>
T one_of(std::mt19937& random, std::initializer_list<T> values) {
  return *(values.begin() + random() % values.size());
}

// Lengths that routes count in place of their own, now and then.
std::string routing_weights(std::mt19937& random) {
  if (pick(random, 0, 2) > 0) return "";
  std::string weights;
  for (const char* kind : {"router_mesh", "ucie_mesh", "ucie_internal", "noc_to_ucie_conn", "ucie_conn_to_noc",
                           "router_to_ucie_conn", "ucie_conn_to_router", "io_to_cube", "cube_to_io", "pcie"}) {
    if (pick(random, 0, 2) > 0) continue;
    weights += fmt::format("{}{}: {}", weights.empty() ? "" : ", ", kind, one_of(random, {0.5, 2.0, 40.0}));
  }
  return ", routing_weight_mm: { " + weights + " }";
}

std::string memory_rules(std::mt19937& random, int burst) {
  return fmt::format("read_order: {}, access_ns: {}, access_bytes: {}, channel_hash: {}",
                     one_of(random, {"fair", "fair", "arrival"}), one_of(random, {0.0, 0.0, 34.0, 3.5}),
                     one_of(random, {burst, burst, 32}), one_of(random, {"none", "none", "xor"}));
}

}  // namespace

std::string random_machine_yaml(std::mt19937& random) {
  const int corners = pick(random, 1, 4);
  const int per_corner = pick(random, 1, 2);
  const int pes = corners * per_corner;
  const int channels = one_of(random, {2, 4, 8});
  const double channel_bw = one_of(random, {16.0, 32.0, 30.0});
  const int burst = one_of(random, {256, 256, 64, 512});
  // Small machines with many kinds of each block; now and then one of the reference's size, or many SIPs.
  const int scale = pick(random, 0, 9);
  const int w = scale == 0 ? 4 : pick(random, 1, 3), h = scale == 0 ? 4 : pick(random, 1, 2);
  const int sips = scale == 1 ? 16 : pick(random, 1, 2);
  const int decoding = pick(random, 0, 3);  // all pipelined (twice as often), all serial, mixed
  const auto decode = [&] {
    return decoding < 2 || (decoding == 3 && pick(random, 0, 1) == 0) ? "pipelined" : "serial";
  };
  const auto chiplet_rules = [&] {
    return fmt::format(
        "components: {{ io_noc: {{ attrs: {{ decode: {} }} }}, io_ucie: {{ attrs: {{ decode: {} }} }}, "
        "ucie_conn: {{ attrs: {{ decode: {} }} }} }}",
        decode(), decode(), decode());
  };
  std::string chiplets = "  io_chiplets:\n";
  if (pick(random, 0, 2) > 0) {
    chiplets += fmt::format("    - {{ id: io0, {} }}\n", chiplet_rules());
  } else {
    chiplets +=
        fmt::format("    - {{ id: io0, {}, cube_ports: [{{ cube: {{ xy: [0, 0] }}, cube_side: N, phy: P0 }}] }}\n",
                    chiplet_rules());
    chiplets +=
        fmt::format("    - {{ id: io1, {}, cube_ports: [{{ cube: {{ xy: [{}, {}] }}, cube_side: S, phy: P0 }}] }}\n",
                    chiplet_rules(), w - 1, h - 1);
  }
  return fmt::format(R"(
routing: {{ metric: {}{} }}
system:
  ns_per_mm: {}
  sips: {{ count: {}, topology: ring_1d }}
  components:
    switch: {{ kind: switch, attrs: {{ decode: {} }} }}
sip:
  cube_mesh: {{ w: {}, h: {} }}
{}cube:
  ucie: {{ attrs: {{ decode: {} }} }}
  pe_layout: {{ corners: [{}], pe_per_corner: {} }}
  memory_map:
    hbm_pseudo_channels: {}
    hbm_channels_per_pe: {}
    hbm_channel_bw_gbs: {}
    hbm_slices_per_cube: {}
    hbm_total_gb_per_cube: {}
  components:
    noc_router: {{ kind: noc_router, attrs: {{ decode: {} }} }}
    ucie_conn: {{ attrs: {{ decode: {} }} }}
    hbm_ctrl: {{ kind: hbm_ctrl, impl: builtin.hbm_ctrl, attrs: {{ num_pcs: {}, burst_bytes: {}, switch_penalty_ns: {}, overhead_ns: {}, {} }} }}
  links:
    router_link_bw_gbs: {}
    router_overhead_ns: {}
    pe_to_router_bw_gbs: {}
    hbm_to_router_bw_gbs: {}
    ucie_link_bw_gbs: {}
    noc_to_ucie_conn_bw_gbs: {}
)",
                     one_of(random, {"latency", "latency", "distance"}), routing_weights(random),
                     one_of(random, {0.01, 0.0, 0.13}), sips, decode(), w, h, chiplets, decode(),
                     corners == 1   ? "NW"
                     : corners == 2 ? "NW, NE"
                     : corners == 3 ? "NW, NE, SW"
                                    : "NW, NE, SW, SE",
                     per_corner, channels * pes, channels, channel_bw, pes, pes, decode(), decode(), channels, burst,
                     one_of(random, {0.0, 0.0, 3.0}), one_of(random, {0.0, 0.0, 1.5}), memory_rules(random, burst),
                     one_of(random, {256.0, 128.0, 300.0}), one_of(random, {2.0, 0.0, 1.25}),
                     one_of(random, {256.0, 512.0, 100.0}), channels * channel_bw, one_of(random, {512.0, 128.0}),
                     one_of(random, {128.0, 256.0}));
}

topology::LoadedTopology random_machine(std::mt19937& random) {
  return topology::load_text(random_machine_yaml(random), "random machine");
}

std::vector<sim::TraceRow> random_rows(std::mt19937& random, const topology::Graph& graph, int count) {
  const topology::MachineSpec& spec = graph.spec;
  const int window_ns = one_of(random, {200, 2000, 20000});
  const auto sip = [&] { return SipId(static_cast<std::uint32_t>(pick(random, 0, spec.sip_count - 1))); };
  const auto cube = [&] { return CubeId(static_cast<std::uint32_t>(pick(random, 0, spec.cubes_per_sip() - 1))); };
  const auto pe = [&] { return PeId(static_cast<std::uint32_t>(pick(random, 0, spec.pes_per_cube() - 1))); };
  const bool hot_spot = pick(random, 0, 3) == 0;
  std::vector<sim::TraceRow> rows;
  for (int i = 0; i < count; ++i) {
    sim::TraceRow row;
    row.id = std::to_string(i);
    row.line = i + 2;
    // Coarse issue times make equal arrival times common.
    row.issue = pick(random, 0, window_ns) * 1_ns;
    if (pick(random, 0, 3) == 0) row.issue += random() % 1'000'000 * 1_fs;
    const bool host = pick(random, 0, 5) == 0;
    const bool read = pick(random, 0, 1) == 0;
    row.op = host ? (read ? sim::TraceOp::host_read : sim::TraceOp::host_write)
                  : (read ? sim::TraceOp::pe_read : sim::TraceOp::pe_write);
    row.src = {sip(), cube(), pe()};
    const int scale = pick(random, 0, 3);
    row.bytes = scale == 0   ? static_cast<std::uint64_t>(pick(random, 1, 256))
                : scale == 1 ? static_cast<std::uint64_t>(256 * pick(random, 1, 8))
                : scale == 2 ? static_cast<std::uint64_t>(pick(random, 1, 8192))
                             : static_cast<std::uint64_t>(256 * pick(random, 1, 256));
    const SipId to_sip = hot_spot ? SipId(0) : sip();
    const CubeId to_cube = hot_spot ? CubeId(0) : cube();
    if (pick(random, 0, 9) == 0) {
      row.dst = address::PhysAddr::cube_sram_addr(to_sip, to_cube, 16u * static_cast<unsigned>(pick(random, 0, 4096)))
                    .value();
    } else {
      const PeId to_pe = hot_spot ? PeId(0) : pe();
      const auto offset =
          static_cast<std::uint64_t>(pick(random, 0, 2) == 0 ? pick(random, 0, 100000) : 256 * pick(random, 0, 4096));
      const bool own = !host && row.src == PeCoord{to_sip, to_cube, to_pe};
      row.dst = i % 6 == 5 && !own
                    ? address::PhysAddr::pe_tcm_addr(to_sip, to_cube, to_pe, offset).value()
                    : address::PhysAddr::pe_hbm_addr(to_sip, to_cube, to_pe, offset, spec.hbm_slice_bytes()).value();
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace kb::test
