// Collectives between the ranks of a model by the formula of a ring: analytical, without contention.
#pragma once

namespace kb::profile {

struct RankLinks {
  double latency_ns = 0;
  double link_gib_s = 0;   // 2^30 bytes per second
  double memory_gb_s = 0;  // 10^9 bytes per second; sums read two parts and write one
};

// Times in ns of n ranks and S bytes (M-66):
//   all-gather of S per rank:  (n - 1) (latency + S / link)
//   reduce-scatter:            (n - 1) (latency + (S / n) / link + 3 (S / n) / memory)
//   all-reduce:                a reduce-scatter and an all-gather of S / n
double ring_all_gather_ns(const RankLinks& links, double ranks, double bytes);
double ring_reduce_scatter_ns(const RankLinks& links, double ranks, double bytes);
double ring_all_reduce_ns(const RankLinks& links, double ranks, double bytes);

}  // namespace kb::profile
