#include "kernels/collective/sip_path.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/collective/line_exchange.h"

namespace kb::kernels {
namespace {

struct Step {
  std::string_view there, back;
};

// The path through all SIPs, line by line, where lines are rows or columns of the grid.
struct Walk {
  std::int64_t width, lines, length;
  bool rows;
  Axis along, across;
  std::vector<std::int64_t> ranks;
  std::vector<Step> steps;  // from each place to the next one, cyclically

  void visit(std::int64_t line, std::int64_t at) { ranks.push_back(rows ? line * width + at : at * width + line); }
  void step(const Axis& axis, bool up) { steps.push_back(up ? Step{axis.up, axis.down} : Step{axis.down, axis.up}); }

  // The last `upwards` lines all go up, the others alternate.
  void go(std::int64_t upwards) {
    std::int64_t at = 0;
    for (std::int64_t line = 0; line < lines; ++line) {
      const bool up = line >= lines - upwards || line % 2 == 0;
      visit(line, at);
      for (std::int64_t i = 1; i < length; ++i) {
        at = (at + (up ? 1 : length - 1)) % length;
        step(along, up);
        visit(line, at);
      }
      step(across, true);
    }
  }
};

// A torus path closes when the shifts of its lines, +1 or -1 each, sum to a multiple of their length: an even number of
// lines alternates; when both numbers are odd, as many lines as their length go in the same direction.
Walk walk(const SipPlace& sip) {
  const bool ring = sip.topology == SipTopology::ring_1d;
  const std::int64_t w = ring ? sip.count : sip.width, h = ring ? 1 : sip.height;
  const bool rows = sip.topology == SipTopology::mesh_2d_no_wrap || (!ring && (h % 2 == 0 || (w % 2 == 1 && h >= w)));
  const Axis row{sip.links.east, sip.links.west}, column{sip.links.south, sip.links.north};
  Walk path{w, rows ? h : w, rows ? w : h, rows, rows ? row : column, rows ? column : row, {}, {}};
  path.go(sip.topology == SipTopology::torus_2d && path.lines % 2 == 1 ? path.length : 0);
  return path;
}

}  // namespace

SipPath::SipPath(const SipPlace& sip) {
  Walk path = walk(sip);
  ranks_ = std::move(path.ranks);
  place_ = place_of(sip.rank);
  const std::int64_t n = count();
  closed_ = sip.topology != SipTopology::mesh_2d_no_wrap && n > 1;
  const auto& steps = path.steps;
  const Step next = steps[static_cast<std::size_t>(place_)],
             last = steps[static_cast<std::size_t>((place_ + n - 1) % n)];
  forward_ = {last.back, next.there, closed_ ? n / 2 : place_, closed_ ? n / 2 : n - 1 - place_, closed_};
  backward_ = {next.there, last.back, closed_ ? (n - 1) / 2 : n - 1 - place_, closed_ ? (n - 1) / 2 : place_, closed_};
}

std::int64_t SipPath::place_of(std::int64_t rank) const {
  return std::distance(ranks_.begin(), std::find(ranks_.begin(), ranks_.end(), rank));
}

std::int64_t SipPath::rank_ahead(const PathDirection& direction, std::int64_t distance) const {
  const std::int64_t shift = &direction == &forward_ ? distance : -distance;
  return ranks_.at(static_cast<std::size_t>((place_ + shift + count()) % count()));
}

PathToRank SipPath::arm_from(std::int64_t rank) const {
  return arm(rank, ranks_.at(static_cast<std::size_t>(place_)));
}

PathToRank SipPath::arm(std::int64_t from, std::int64_t to) const {
  const std::int64_t n = count(), ahead = place_of(to) - place_of(from);
  if (ahead == 0) return {};
  if (!closed_) return ahead > 0 ? PathToRank{&forward_, ahead} : PathToRank{&backward_, -ahead};
  const std::int64_t around = (ahead + n) % n;
  return around <= n / 2 ? PathToRank{&forward_, around} : PathToRank{&backward_, n - around};
}

namespace {

struct Progress {
  const Lane& lane;
  std::int64_t next = 0;
  tl::Future future = {};
  tl::TensorHandle received = {};

  bool done() const { return next == lane.items; }
  std::int64_t round() const { return lane.first_round + next; }
  const tl::TensorHandle* message() const { return next < lane.unreceived ? nullptr : &received; }
};

}  // namespace

void run_lanes(tl::Context& tl, Dtype dtype, const std::vector<Lane>& lanes) {
  std::vector<Progress> all;
  for (const Lane& lane : lanes) all.push_back({lane});
  const auto post = [&](Progress& direction, std::int64_t item) {
    const std::int64_t next = std::max(item, direction.lane.unreceived);
    if (next < direction.lane.items)
      direction.future = tl.recv_async(direction.lane.from, direction.lane.shape(next), dtype);
  };
  for (Progress& direction : all) post(direction, 0);
  while (true) {
    std::vector<Progress*> round;
    for (Progress& direction : all) {
      if (direction.done()) continue;
      if (!round.empty() && direction.round() < round.front()->round()) round.clear();
      if (round.empty() || direction.round() == round.front()->round()) round.push_back(&direction);
    }
    if (round.empty()) return;
    for (Progress* direction : round) direction->lane.prepare(direction->next);
    for (Progress* direction : round) {
      if (direction->message() != nullptr) {
        direction->received = tl.wait(direction->future);
        post(*direction, direction->next + 1);
      }
      direction->lane.act(direction->next, direction->message());
    }
    for (Progress* direction : round) {
      direction->lane.settle(direction->next, direction->message());
      ++direction->next;
    }
  }
}

}  // namespace kb::kernels
