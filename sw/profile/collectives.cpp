#include "sw/profile/collectives.h"

namespace kb::profile {
namespace {

constexpr double kGib = 1.073741824;  // GiB in GB: bytes per ns

double hop_ns(const RankLinks& links, double bytes) {
  return links.latency_ns + bytes / (links.link_gib_s * kGib);
}

}  // namespace

double ring_all_gather_ns(const RankLinks& links, double ranks, double bytes) {
  return (ranks - 1) * hop_ns(links, bytes);
}

double ring_reduce_scatter_ns(const RankLinks& links, double ranks, double bytes) {
  const double part = bytes / ranks;
  return (ranks - 1) * (hop_ns(links, part) + 3 * part / links.memory_gb_s);
}

double ring_all_reduce_ns(const RankLinks& links, double ranks, double bytes) {
  return ring_reduce_scatter_ns(links, ranks, bytes) + ring_all_gather_ns(links, ranks, bytes / ranks);
}

}  // namespace kb::profile
