#include "sw/distributed/direct_costs.h"

#include <algorithm>
#include <cmath>

namespace kb::sw {
namespace {

constexpr double kLeastDirectBytes = 256;

bool has_parts(DirectCall call) {
  return call == DirectCall::broadcast || call == DirectCall::reduce || call == DirectCall::all_reduce;
}

}  // namespace

std::vector<std::vector<PeCoord>> members_on(const std::vector<int>& sips, const std::vector<int>& cubes) {
  std::vector<std::vector<PeCoord>> members;
  for (const int sip : sips) {
    members.emplace_back();
    for (const int cube : cubes) {
      members.back().push_back(pe_at(sip, cube, 0));
    }
  }
  return members;
}

void DirectCosts::link(std::vector<AllReduceCosts::Pair>& pairs, int from, int to) const {
  const auto &here = members_[static_cast<std::size_t>(from)], &there = members_[static_cast<std::size_t>(to)];
  for (std::size_t i = 0; i < here.size(); ++i) pairs.push_back({here[i], there[i]});
}

DirectCosts::Step DirectCosts::step(DirectCall call, bool in_parts, double block, int root, int target) {
  const auto n = static_cast<int>(members_.size());
  std::vector<AllReduceCosts::Pair> pairs;
  const bool rooted = call == DirectCall::broadcast || call == DirectCall::reduce || call == DirectCall::gather ||
                      call == DirectCall::scatter;
  const bool to_root = call == DirectCall::reduce || call == DirectCall::gather;
  if (call == DirectCall::send_recv) {
    if (root != target) link(pairs, root, target);
  } else {
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        if (from == to) continue;
        const bool of_root = to_root ? to == root || (in_parts && from == root) : from == root;
        const bool between = from != root && to != root && in_parts;
        if (!rooted || of_root || between) link(pairs, from, to);
      }
    }
  }
  Step step;
  step.pattern = costs_.pattern(pairs);
  step.bytes = block;
  const double others = n - 1;
  if (call == DirectCall::reduce_scatter || call == DirectCall::all_reduce || call == DirectCall::reduce) {
    step.added = others;
    step.stores = true;
  }
  step.loads = call != DirectCall::broadcast && call != DirectCall::send_recv;
  if (!in_parts) return step;
  step.steps = 2;
  step.few = call == DirectCall::reduce;
  step.stores = step.stores && call != DirectCall::reduce;  // the root receives directly into memory
  step.bytes = call == DirectCall::all_reduce ? block / n : block / others;
  step.same_links = call == DirectCall::all_reduce;
  return step;
}

DirectPlan DirectCosts::timed(const Step& step, double message) const {
  const double s = std::min(message, step.bytes), k = std::max(1.0, std::ceil(step.bytes / message));
  const AllReduceCosts::Pattern& p = step.pattern;
  const double first = p.alpha(s) + 2 * costs_.slot(s) + p.credit, wire = p.beta * s,
               adding = step.added * costs_.adding(s), lanes = (twice_ ? 2 : 1) * (members_.size() == 2 ? 2 : 1);
  const double memory = step.loads ? costs_.memory(s) : 0, stored = step.stores ? memory : 0;
  // A result shares the wire out of its PE with the message of its chunk, and the next one waits for it.
  const double own = step.stores ? std::max(memory, costs_.memory(2 * s)) : memory;
  const double interval = std::max(wire, (costs_.slot(s) + p.credit) / lanes), filled = (first + wire) / slots_ / lanes;
  const double each = std::max({interval, step.steps * filled, adding, own});
  DirectPlan plan;
  if (step.same_links) {
    // Contributions arrive one after the other, and are added on arrival.
    const double z = std::max(interval, filled), one = step.added > 0 ? 1 / step.added : 0;
    const double sums = std::max(wire + (k - 1) * z + one * adding, one * wire + k * std::max(adding, own));
    plan.ns = std::max(first + wire + (2 * k - 1) * z, 2 * first + wire + sums);
  } else {
    plan.ns = step.steps * first + (k - 1) * each + wire + adding + stored;
  }
  plan.message = message;
  plan.ahead = static_cast<std::int64_t>(step.few ? std::clamp(std::ceil(first / each), 1.0, slots_) : slots_ * lanes);
  return plan;
}

DirectPlan DirectCosts::best(DirectCall call, bool in_parts, double block, double item, double most, int root,
                             int target) {
  const Step its = step(call, in_parts, block, root, target);
  DirectPlan best;
  // Tries halves, and three quarters of each.
  for (double size = std::max(item, std::min(most, std::ceil(its.bytes / item) * item));;
       size = std::ceil(size / 2 / item) * item) {
    for (const double part : {1.0, 0.75}) {
      const DirectPlan plan = timed(its, std::ceil(part * size / item) * item);
      if (best.message == 0 || plan.ns < best.ns) best = plan;
    }
    best.in_parts = in_parts;
    if (size < 2 * kLeastDirectBytes || size <= item) return best;
  }
}

DirectPlan DirectCosts::best(DirectCall call, double block, double item, double most, int root, int target) {
  const DirectPlan whole = best(call, false, block, item, most, root, target);
  if (!has_parts(call) || (members_.size() < 3 && call != DirectCall::all_reduce)) return whole;
  const DirectPlan parts = best(call, true, block, item, most, root, target);
  return parts.ns < whole.ns ? parts : whole;
}

}  // namespace kb::sw
