// The part of a hierarchical collective between the SIPs (K-60 .. K-62).
#pragma once

#include <cstdint>
#include <string>

#include "kernels/collective/reduction.h"
#include "kernels/tl/context.h"
#include "platform/base/machine_choices.h"

namespace kb::kernels {

// Directions to the neighbours of a SIP.
struct SipLinks {
  explicit SipLinks(const std::string& prefix = "global_")
      : east(prefix + "E"), west(prefix + "W"), south(prefix + "S"), north(prefix + "N") {}
  std::string east, west, south, north;
};

// This SIP in the grid; SIPs are numbered row by row (K-11). A ring has no grid: width and height are 0.
struct SipPlace {
  std::int64_t count = 1;
  std::int64_t rank = 0;
  SipTopology topology = SipTopology::ring_1d;
  std::int64_t width = 0, height = 0;
  SipLinks links = SipLinks();
};

// The SIPs among the arguments of a kernel (K-45).
struct SipArguments {
  std::int64_t n_sips = 0, sip_rank = 0, sip_topo_kind = 0, sip_topo_w = 0, sip_topo_h = 0;
};

// `links` is what the labels of the directions begin with. Program Error KERNEL_ERROR when the topology is none of the
// three or the grid does not hold the SIPs (K-46).
SipPlace sip_place(tl::Context& tl, const SipArguments& args, const std::string& links = "global_");

// In which order the SIPs of a ring add up.
enum class SumOrder {
  of_arrival,  // while messages are under way; ranks may differ in the last bits
  of_ranks,    // when all are here; all ranks get the same bits
};

// Combines `acc` of all SIPs over their links; every SIP returns the same value, on rings up to the rounding
// of another order unless it is that of ranks. All SIPs call it with equal shapes; `acc` lies in scratch and holds the
// result.
//   ring:  n - 1 rounds; the block of the round before goes on, so that each SIP adds every other's once (K-60)
//   torus: a ring along the row, then a ring of the row sums along the column (K-61)
//   mesh:  along the row to its east end and back, then along the column to its south end and back (K-62)
void exchange_between_sips(tl::Context& tl, const SipPlace& sip, const Reduction& reduction, tl::TensorHandle& acc,
                           SumOrder order = SumOrder::of_arrival);

}  // namespace kb::kernels
