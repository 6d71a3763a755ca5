// Speed of the fabric: fabric_speed SCENARIO TOPOLOGY [BYTES]. Prints tab-separated figures; start-up is not included
// except where the scenario is about it.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <systemc>

#include "modules/catalog.h"
#include "modules/fabric/fabric_endpoint.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/elab/platform.h"
#include "platform/topology/topology.h"

namespace kb {
namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double resident_mb() {
  std::ifstream statm("/proc/self/statm");
  long total = 0, resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * 4096.0 / 1e6;
}

class Traffic final : public payload::IInitiator {
 public:
  explicit Traffic(elab::Platform& platform) : platform_(platform) {}

  void issue(TimeFs at, PeCoord from, bool read, PeCoord to, std::uint64_t offset, std::uint64_t bytes) {
    const topology::MachineSpec& spec = platform_.graph().spec;
    const auto target = address::PhysAddr::pe_hbm_addr(to.sip, to.cube, to.pe, offset, spec.hbm_slice_bytes());
    const routing::AddressResolver& resolver = platform_.routes().resolver();
    const NodeId source = resolver.find_pe_node(from, topology::NodeKind::pe_dma);
    const payload::FabricRoute& route = platform_.routes().pe_dma(source, resolver.resolve(target));
    payload::Transaction& t =
        platform_.pool().acquire(read ? payload::Op::read : payload::Op::write, route, target.value(), bytes);
    t.hbm_offset = target.hbm_offset();
    t.initiator = this;
    hops_ += t.flits * (route.nodes.size() - 1);
    platform_.block_as<modules::FabricEndpoint>(source).issue(t, at);
    last_route_ = &route;
  }
  void on_response(payload::Transaction& t) override {
    last_ = t.completed;
    platform_.pool().release(t);
  }
  std::uint64_t hops() const { return hops_; }
  const payload::FabricRoute& last_route() const { return *last_route_; }

 private:
  elab::Platform& platform_;
  const payload::FabricRoute* last_route_ = nullptr;
  std::uint64_t hops_ = 0;
  TimeFs last_ = 0_fs;
};

void figure(const char* name, double value) {
  std::printf("%s\t%.6g\n", name, value);
}

// Runs what was issued and prints the rate of flit-hops.
void measure(elab::Platform& platform, const Traffic& traffic) {
  const std::uint64_t events = platform.scheduler().events();
  const double start = cpu_seconds();
  sc_core::sc_start();
  const double used = cpu_seconds() - start;
  figure("cpu_us", used * 1e6);
  figure("events", static_cast<double>(platform.scheduler().events() - events));
  figure("flit_hops", static_cast<double>(traffic.hops()));
  figure("mflit_hops_per_cpu_s", static_cast<double>(traffic.hops()) / used / 1e6);
  figure("simulated_ns", fs_to_ns(platform.scheduler().now()));
}

PeCoord any_pe(std::mt19937& random, const topology::MachineSpec& spec) {
  return {SipId(random() % static_cast<unsigned>(spec.sip_count)),
          CubeId(random() % static_cast<unsigned>(spec.cubes_per_sip())),
          PeId(random() % static_cast<unsigned>(spec.pes_per_cube()))};
}

// Every PE issues its 16 KiB accesses to random slices in the first 100 ns, half of them inside its cube: hundreds of
// thousands of flits are under way until the last ones drain.
void random_traffic(elab::Platform& platform, Traffic& traffic) {
  const topology::MachineSpec& spec = platform.graph().spec;
  std::mt19937 random(1);
  const int per_pe = std::max(4, 4096 / spec.pe_count());
  for (int round = 0; round < per_pe; ++round) {
    for (int s = 0; s < spec.sip_count; ++s) {
      for (int c = 0; c < spec.cubes_per_sip(); ++c) {
        for (int p = 0; p < spec.pes_per_cube(); ++p) {
          const PeCoord from{SipId(static_cast<unsigned>(s)), CubeId(static_cast<unsigned>(c)),
                             PeId(static_cast<unsigned>(p))};
          PeCoord to = any_pe(random, spec);
          if (random() % 2 == 0) to.sip = from.sip, to.cube = from.cube;
          const auto at = random() % 100'000 * 1000_fs;
          traffic.issue(at, from, random() % 2 == 0, to, 256 * (random() % 65536), 16384);
        }
      }
    }
  }
}

// 16 KiB accesses of random PEs to random slices of their own SIP, 12 000 of them within 2 us: far more than the mesh
// of cubes carries, so that most of them wait everywhere.
void dense_traffic(elab::Platform& platform, Traffic& traffic) {
  const topology::MachineSpec& spec = platform.graph().spec;
  std::mt19937 random(1);
  for (int i = 0; i < 12000; ++i) {
    const PeCoord from = any_pe(random, spec);
    PeCoord to = any_pe(random, spec);
    to.sip = from.sip;
    const auto at = random() % 2'000'000 * 1000_fs;
    traffic.issue(at, from, random() % 2 == 0, to, 256 * (random() % 65536), 16384);
  }
}

// All PEs of the SIP's first cubes stream to one slice: every flit crosses the same last hops.
void hotspot_traffic(elab::Platform& platform, Traffic& traffic) {
  const topology::MachineSpec& spec = platform.graph().spec;
  const PeCoord to{SipId(0), CubeId(0), PeId(0)};
  for (int round = 0; round < 8; ++round) {
    for (int c = 0; c < std::min(4, spec.cubes_per_sip()); ++c) {
      for (int p = 0; p < spec.pes_per_cube(); ++p) {
        traffic.issue(0_fs, {SipId(0), CubeId(static_cast<unsigned>(c)), PeId(static_cast<unsigned>(p))}, false, to,
                      static_cast<std::uint64_t>(round) << 20, 65536);
      }
    }
  }
}

// One transfer between PEs of different cubes, at least 15 hops apart.
void single_transfer(elab::Platform& platform, std::uint64_t bytes) {
  const PeCoord from{SipId(0), CubeId(0), PeId(0)}, to{SipId(0), CubeId(4), PeId(1)};
  Traffic warm(platform);
  for (int i = 0; i < 3; ++i) {
    warm.issue(platform.scheduler().now(), from, true, to, 0, bytes);
    sc_core::sc_start();
  }
  const std::uint64_t events = platform.scheduler().events();
  const double start = cpu_seconds();
  constexpr int kRepeat = 2000;
  for (int i = 0; i < kRepeat; ++i) {
    warm.issue(platform.scheduler().now(), from, true, to, 0, bytes);
    sc_core::sc_start();
  }
  figure("cpu_us", (cpu_seconds() - start) * 1e6 / kRepeat);
  figure("events", static_cast<double>(platform.scheduler().events() - events) / kRepeat);
  figure("hops", static_cast<double>(warm.last_route().nodes.size() - 1));
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: fabric_speed random|dense|hotspot|single|startup TOPOLOGY [BYTES]\n");
    return 2;
  }
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const std::string scenario = argv[1];
  const topology::LoadedTopology topology = topology::load(argv[2]);
  elab::Platform platform("platform", topology.graph, modules::builtin_registry());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  figure("startup_cpu_s", cpu_seconds());
  figure("rss_mb", resident_mb());
  Traffic traffic(platform);
  if (scenario == "random") {
    random_traffic(platform, traffic);
    measure(platform, traffic);
  } else if (scenario == "dense") {
    dense_traffic(platform, traffic);
    measure(platform, traffic);
  } else if (scenario == "hotspot") {
    hotspot_traffic(platform, traffic);
    measure(platform, traffic);
  } else if (scenario == "single") {
    single_transfer(platform, argc > 3 ? std::stoull(argv[3]) : 256);
  } else if (scenario != "startup") {
    std::fprintf(stderr, "unknown scenario %s\n", scenario.c_str());
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace kb

int sc_main(int argc, char** argv) {
  try {
    return kb::run(argc, argv);
  } catch (const kb::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kb::exit_code(error.family());
  }
}
