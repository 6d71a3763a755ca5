// Two SIPs play ping-pong: PE 0 of cube 0 of each sends a tile to and fro, adding one at every hit.
#include <kernbench/kernels/tl/tl.h>
#include <kernbench/sw/distributed/process_group.h>
#include <kernbench/sw/distributed/spawn.h>
#include <kernbench/sw/plugin/plugin.h>
#include <kernbench/sw/workloads/support.h>

#include <cstdint>

#include "chain.h"
#include "neighbours.h"
#include "own_allreduce.h"

namespace {

namespace tl = kb::tl;
using namespace kb::sw;

// In a ring of two SIPs the one neighbour is both east and west: what rank 0 sends to the east comes out of rank 1's
// west.
void ping_pong(tl::Context& tl, tl::Ptr t, int rank, int rounds, int server) {
  const char* const other = rank == 0 ? "global_E" : "global_W";
  const kb::Shape shape = t.shape();
  tl::TensorHandle ball = tl.load(t, shape);
  for (int round = 0; round < rounds; ++round) {
    const tl::Scratch scope(tl);
    if (rank == server) tl.send(other, ball);
    tl.assign(ball, tl.recv(other, shape, t.dtype()) + 1);
    if (rank != server) tl.send(other, ball);
  }
  tl.store(t, ball);
}

WorkloadResult run(Runtime& rt, const Params& params) {
  ProcessGroup group(rt);  // wires the queues of the whole machine
  const std::int64_t rounds = params.integer("rounds"), server = params.integer("server");
  const kb::Shape shape{1, params.integer("elements")};
  WorkloadResult result;
  spawn(rt, group.world_size(), [&](int rank) {
    ahbm::set_device(rt, rank);
    if (rank > 1) return;
    const Tensor t = rt.zeros(shape, kb::Dtype::f32, one_pe_placement(), "ball" + std::to_string(rank));
    const Args args{{"t", t}, {"rank", rank}, {"rounds", rounds}, {"server", server}};
    const LaunchMetrics metrics = rt.wait(rt.launch("ping_pong", args, on_one_pe()));
    add_launch_figures(result, metrics, "rank " + std::to_string(rank));
    const double hits = static_cast<double>(2 * rounds - (rank == server ? 0 : 1));
    verify_exact(rt, result, t.name(), t.to_host(), HostArray::full(shape, kb::Dtype::f32, hits));
  });
  return result;
}

}  // namespace

KERNBENCH_PLUGIN_GROUP("messages between PEs")

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(own::kernel());
  registrar.add_all_reduce(own::algorithm());
  registrar.add_kernel(neighbours::kernel());
  registrar.add_workload(neighbours::workload());
  registrar.add_kernel(chain::kernel());
  registrar.add_workload(chain::workload());
  registrar.add_kernel(tl::make_kernel("ping_pong", "a tile goes to and fro between two SIPs",
                                       {"t", "rank", "rounds", "server"}, ping_pong));
  registrar.add_workload({"ping-pong",
                          "a tile goes to and fro between SIPs 0 and 1, verified",
                          {
                              Parameter::integer("rounds", 10, "how often it comes back to who serves"),
                              Parameter::integer("elements", 64, "of the tile, f32"),
                              Parameter::integer("server", 0, "rank that sends first; 2: nobody does, a deadlock", 0),
                          },
                          run});
}
