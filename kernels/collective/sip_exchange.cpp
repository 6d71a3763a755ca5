#include "kernels/collective/sip_exchange.h"

#include <fmt/format.h>

#include "kernels/collective/line_exchange.h"
#include "platform/base/checked.h"

namespace kb::kernels {

using tl::Context;
using tl::TensorHandle;

SipPlace sip_place(Context& tl, const SipArguments& args, const std::string& links) {
  if (args.sip_topo_kind < 0 || args.sip_topo_kind > 2) {
    tl.fail(fmt::format("SIP topology kind {} is unknown; 0 is a ring, 1 a torus, 2 a mesh without wrap",
                        args.sip_topo_kind));
  }
  SipPlace place;
  place.count = args.n_sips;
  place.rank = args.sip_rank;
  place.topology = static_cast<SipTopology>(args.sip_topo_kind);
  place.width = args.sip_topo_w;
  place.height = args.sip_topo_h;
  place.links = SipLinks(links);
  const bool grid = place.topology != SipTopology::ring_1d;
  if (grid && checked_product("width x height of the SIPs", {place.width, place.height}) != place.count) {
    tl.fail(fmt::format("a grid of {} x {} does not hold {} SIPs", place.width, place.height, place.count));
  }
  return place;
}

void exchange_between_sips(Context& tl, const SipPlace& sip, const Reduction& reduction, TensorHandle& acc,
                           SumOrder order) {
  const Axis row{sip.links.east, sip.links.west}, column{sip.links.south, sip.links.north};
  const auto ring = [&](const Axis& axis, std::int64_t size, std::int64_t place) {
    if (order == SumOrder::of_ranks) return combine_ring_in_order(tl, axis, size, place, reduction, acc);
    combine_ring(tl, axis, size, reduction, acc);
  };
  if (sip.topology == SipTopology::ring_1d) return ring(row, sip.count, sip.rank);
  const std::int64_t x = sip.rank % sip.width, y = sip.rank / sip.width;
  if (sip.topology == SipTopology::torus_2d) {
    ring(row, sip.width, x);
    ring(column, sip.height, y);
    return;
  }
  combine_chain(tl, row, sip.width, x, reduction, acc);
  combine_chain(tl, column, sip.height, y, reduction, acc);
}

}  // namespace kb::kernels
