#include "kernels/collective/sip_exchange.h"

#include <fmt/format.h>

#include "kernels/collective/line_exchange.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::TensorHandle;

constexpr Axis kRow{"global_E", "global_W"};
constexpr Axis kColumn{"global_S", "global_N"};

}  // namespace

SipPlace sip_place(Context& tl, std::int64_t count, std::int64_t rank, std::int64_t topology, std::int64_t width,
                   std::int64_t height) {
  if (topology < 0 || topology > 2) {
    tl.fail(fmt::format("SIP topology kind {} is unknown; 0 is a ring, 1 a torus, 2 a mesh without wrap", topology));
  }
  const SipPlace place{count, rank, static_cast<SipTopology>(topology), width, height};
  if (place.topology != SipTopology::ring && width * height != count) {
    tl.fail(fmt::format("a grid of {} x {} does not hold {} SIPs", width, height, count));
  }
  return place;
}

void exchange_between_sips(Context& tl, const SipPlace& sip, const Reduction& reduction, TensorHandle& acc) {
  if (sip.topology == SipTopology::ring) return combine_ring(tl, kRow, sip.count, reduction, acc);
  const std::int64_t x = sip.rank % sip.width, y = sip.rank / sip.width;
  if (sip.topology == SipTopology::torus) {
    combine_ring(tl, kRow, sip.width, reduction, acc);
    combine_ring(tl, kColumn, sip.height, reduction, acc);
    return;
  }
  combine_chain(tl, kRow, sip.width, x, reduction, acc);
  combine_chain(tl, kColumn, sip.height, y, reduction, acc);
}

}  // namespace kb::kernels
