// An all-reduce of one's own: every SIP sends its tile around the ring of SIPs. For tensors on one cube per SIP.
#include "own_allreduce.h"

#include <kernbench/kernels/tl/tl.h>
#include <kernbench/platform/base/error.h>

namespace own {

void ring(kb::tl::Context& tl, kb::tl::Ptr t, std::int64_t n_elem, std::int64_t sips) {
  kb::tl::TensorHandle sum = tl.load(t, {n_elem});
  kb::tl::TensorHandle block = sum;
  for (std::int64_t round = 1; round < sips; ++round) {
    tl.send("global_E", block);
    block = tl.recv("global_W", {n_elem}, t.dtype());
    sum += block;  // the block that goes on is what came, not the sum
  }
  tl.store(t, sum);
}

kb::contract::Kernel kernel() {
  return kb::tl::make_kernel("own_ring", "all-reduce around the ring of SIPs", {"t", "n_elem", "sips"}, ring);
}

// What a ccl.yaml can name: algorithms: { own_ring: {} }
kb::sw::AllReduceAlgorithm algorithm() {
  kb::sw::AllReduceAlgorithm out;
  out.name = out.kernel = "own_ring";
  out.arguments = [](const kb::sw::AllReduceCall& call) {
    if (call.cube_w * call.cube_h != 1 || call.op != "sum") {
      throw kb::Error::program("LAYOUT_ERROR", "own_ring sums tensors on one cube per SIP");
    }
    return kb::sw::Args{{"t", call.tensor}, {"n_elem", call.n_elem}, {"sips", call.world_size}};
  };
  return out;
}

}  // namespace own
