#include "kernels/collective/sip_exchange.h"

#include <fmt/format.h>

#include "kernels/collective/line_exchange.h"

namespace kb::kernels {

using tl::Context;
using tl::TensorHandle;

SipPlace sip_place(Context& tl, std::int64_t count, std::int64_t rank, std::int64_t topology, std::int64_t width,
                   std::int64_t height, const std::string& links) {
  if (topology < 0 || topology > 2) {
    tl.fail(fmt::format("SIP topology kind {} is unknown; 0 is a ring, 1 a torus, 2 a mesh without wrap", topology));
  }
  const SipPlace place{count, rank, static_cast<SipTopology>(topology), width, height, SipLinks(links)};
  if (place.topology != SipTopology::ring && width * height != count) {
    tl.fail(fmt::format("a grid of {} x {} does not hold {} SIPs", width, height, count));
  }
  return place;
}

void exchange_between_sips(Context& tl, const SipPlace& sip, const Reduction& reduction, TensorHandle& acc) {
  const Axis row{sip.links.east, sip.links.west}, column{sip.links.south, sip.links.north};
  if (sip.topology == SipTopology::ring) return combine_ring(tl, row, sip.count, reduction, acc);
  const std::int64_t x = sip.rank % sip.width, y = sip.rank / sip.width;
  if (sip.topology == SipTopology::torus) {
    combine_ring(tl, row, sip.width, reduction, acc);
    combine_ring(tl, column, sip.height, reduction, acc);
    return;
  }
  combine_chain(tl, row, sip.width, x, reduction, acc);
  combine_chain(tl, column, sip.height, y, reduction, acc);
}

}  // namespace kb::kernels
