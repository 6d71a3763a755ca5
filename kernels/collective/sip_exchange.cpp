#include "kernels/collective/sip_exchange.h"

#include <fmt/format.h>

#include <string_view>

namespace kb::kernels {
namespace {

using tl::Context;
using tl::TensorHandle;

// Opposite ends of one dimension of the grid.
struct Axis {
  std::string_view up, down;
};
constexpr Axis kRow{"global_E", "global_W"};
constexpr Axis kColumn{"global_S", "global_N"};

void ring(Context& tl, const Axis& axis, std::int64_t size, const Reduction& reduction, TensorHandle& acc) {
  TensorHandle block = acc;
  for (std::int64_t round = 1; round < size; ++round) {
    tl.send(axis.up, block);  // taken as it is now: adding to acc below does not change it
    block = tl.recv(axis.down, acc.shape(), acc.dtype());
    reduction.add(acc, block);
  }
}

void chain(Context& tl, const Axis& axis, std::int64_t size, std::int64_t place, const Reduction& reduction,
           TensorHandle& acc) {
  if (place > 0) reduction.add(acc, tl.recv(axis.down, acc.shape(), acc.dtype()));
  if (place < size - 1) {
    tl.send(axis.up, acc);
    tl.recv_into(axis.up, acc);
  }
  if (place > 0) tl.send(axis.down, acc);
}

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
  if (sip.topology == SipTopology::ring) return ring(tl, kRow, sip.count, reduction, acc);
  const std::int64_t x = sip.rank % sip.width, y = sip.rank / sip.width;
  if (sip.topology == SipTopology::torus) {
    ring(tl, kRow, sip.width, reduction, acc);
    ring(tl, kColumn, sip.height, reduction, acc);
    return;
  }
  chain(tl, kRow, sip.width, x, reduction, acc);
  chain(tl, kColumn, sip.height, y, reduction, acc);
}

}  // namespace kb::kernels
