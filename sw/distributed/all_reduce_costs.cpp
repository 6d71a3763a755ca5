#include "sw/distributed/all_reduce_costs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "platform/base/units.h"

namespace kb::sw {
namespace {

PeCoord pe_at(int sip, int cube, int pe) {
  return {SipId(static_cast<std::uint32_t>(sip)), CubeId(static_cast<std::uint32_t>(cube)),
          PeId(static_cast<std::uint32_t>(pe))};
}

// Messages of at most `message` bytes that `bytes` take.
double messages(double bytes, double message) {
  return std::max(1.0, std::ceil(bytes / message));
}

}  // namespace

// PEs or cubes in a row, reduced into one of them.
struct AllReduceCosts::Line {
  std::vector<PeCoord> places;
  int root = 0;
};

AllReduceCosts::AllReduceCosts(contract::IHost& host, QueueMemory memory, Dtype dtype, bool average)
    : host_(host),
      costs_(host.pe_costs(memory, average ? combined_dtype(dtype, "avg") : dtype)),
      slot_setup_(fs_to_ns(costs_.slot_setup)),
      item_(static_cast<double>(item_size(average ? combined_dtype(dtype, "avg") : dtype))),
      average_(average),
      floats_(is_float(dtype)),
      begins_(average && (is_float(dtype) || combined_dtype(dtype, "avg") != dtype)) {}

// What is left of an average of `ranks`: of floats nothing where these are a power of two.
double AllReduceCosts::finish(double bytes, double ranks) const {
  return average_ && !(floats_ && std::log2(ranks) == std::floor(std::log2(ranks))) ? math(bytes) : 0;
}

double AllReduceCosts::memory(double bytes) const {
  return fs_to_ns(costs_.memory_latency) + (costs_.memory_bw.limited() ? bytes / costs_.memory_bw.gbs() : 0);
}

const contract::MessageRoute& AllReduceCosts::route(const PeCoord& from, const PeCoord& to) {
  const auto [entry, is_new] = routes_.try_emplace({from, to});
  if (is_new) entry->second = host_.message_route(from, to);
  return entry->second;
}

AllReduceCosts::Pattern AllReduceCosts::pattern(const std::vector<Pair>& messages) {
  Pattern p;
  std::map<std::uint32_t, double> ns_per_byte;  // by wire
  for (const Pair& message : messages) {
    const contract::MessageRoute& way = route(message.from, message.to);
    p.latency = std::max(p.latency, fs_to_ns(way.latency));
    p.credit = std::max(p.credit, fs_to_ns(way.credit));
    p.flit = static_cast<double>(way.flit_bytes);
    double all = 0, slowest = 0, parts = 0, part = 0;  // ns per byte; a part ends where a message is stored
    for (const auto& wire : way.wires) {
      const double its = wire.bw.ns_per_byte();
      all += its;
      part = std::max(part, its);
      slowest = std::max(slowest, its);
      if (its > 0) p.beta = std::max(p.beta, ns_per_byte[wire.id] += its);
      if (wire.stored || &wire == &way.wires.back()) parts += std::exchange(part, 0.0);
    }
    p.first_flit = std::max(p.first_flit, all - slowest);
    p.stored = std::max(p.stored, parts - slowest);
  }
  return p;
}

const AllReduceCosts::Pattern& AllReduceCosts::shifts(const std::vector<PeCoord>& ranks,
                                                      const std::vector<int>& distances) {
  const auto [entry, is_new] = patterns_.try_emplace({ranks, distances});
  if (!is_new) return entry->second;
  std::vector<Pair> all;
  const std::size_t n = ranks.size();
  for (std::size_t r = 0; r < n; ++r) {
    for (const int distance : distances) {
      const std::size_t to = (r + n + static_cast<std::size_t>(distance + static_cast<int>(n))) % n;
      if (to != r) all.push_back({ranks[r], ranks[to]});
    }
  }
  return entry->second = pattern(all);
}

// alpha + C from each rank to the next one.
std::vector<double> AllReduceCosts::ring_hops(const std::vector<PeCoord>& ranks, double message) {
  std::vector<double> hops;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const Pattern p = pattern({{ranks[r], ranks[(r + 1) % ranks.size()]}});
    hops.push_back(p.alpha(message) + p.credit);
  }
  return hops;
}

// Rounds in which every rank takes a message from behind and passes it on, then one from ahead, and then loads.
double AllReduceCosts::both_ways(const std::vector<double>& hops, int rounds, double under_way, double adding,
                                 double loading) {
  const std::size_t n = hops.size();
  std::vector<double> ready(n, loading), forward(n, 0), backward(n, 0);
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> next_forward(n), next_backward(n);
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t behind = (r + n - 1) % n, ahead = (r + 1) % n;
      next_forward[r] = std::max(ready[r], forward[behind] + hops[behind] + under_way) + adding;
      next_backward[r] = std::max(next_forward[r], backward[ahead] + hops[r] + under_way) + adding;
      ready[r] = next_backward[r] + loading;
    }
    forward = next_forward;
    backward = next_backward;
  }
  return *std::max_element(backward.begin(), backward.end());
}

double AllReduceCosts::around(const std::vector<PeCoord>& ranks, int rounds, double message) {
  const std::size_t n = ranks.size();
  const std::vector<double> hops = ring_hops(ranks, message);
  double sum = 0, most = 0;
  for (std::size_t r = 0; r < n + static_cast<std::size_t>(rounds); ++r) {
    sum += hops[r % n];
    if (r >= static_cast<std::size_t>(rounds)) sum -= hops[r - static_cast<std::size_t>(rounds)];
    most = std::max(most, sum);
  }
  return most;
}

double AllReduceCosts::ring_of(const Pattern& p, double around, int rounds, double message) const {
  if (rounds < 1) return 0;
  return std::max(around + rounds * (p.beta * message + 2 * slot(message)),
                  rounds * (slot(message) + p.credit + math(message))) +
         math(message);
}

double AllReduceCosts::ring(const std::vector<PeCoord>& ranks, double tile, double message) {
  const double s = std::min(tile, message);
  const int rounds = static_cast<int>(ranks.size()) - 1;
  const double n = rounds + 1;
  const double once =
      contribution(s) + ring_of(shifts(ranks, {1}), around(ranks, rounds, s), rounds, s) + finish(s, n) + memory(s);
  return messages(tile, message) * once;
}

double AllReduceCosts::reduce_scatter(const std::vector<PeCoord>& ranks, double tile, double message) {
  const auto n = static_cast<double>(ranks.size());
  if (n < 2) return 0;
  const Pattern& p = shifts(ranks, n > 2 ? std::vector<int>{1, -1} : std::vector<int>{1});
  const double b = std::ceil(tile / item_ / n) * item_, s = std::min(b, message), k = messages(b, message);
  const double ways = n > 2 ? 2 : 1, rounds = std::floor(n / 2);
  const double step = std::max(p.beta * s, slot(s) + p.credit);
  const std::vector<double> hops = ring_hops(ranks, s);
  const auto phase = [&](double adding, double loading) {
    const double passing = both_ways(hops, static_cast<int>(rounds), p.beta * s + 2 * slot(s), adding, ways * loading);
    const double work = ways * k * (loading + adding);
    return std::max(passing + (k - 1) * step, rounds * std::max(k * step, work) + passing / rounds - step);
  };
  return phase(math(s), contribution(s)) + finish(s, n) + phase(0, 0);
}

double AllReduceCosts::tree(const std::vector<PeCoord>& ranks, double tile, double message) {
  const std::size_t n = ranks.size();
  if (n < 2) return 0;
  const double s = std::min(tile, message), k = messages(tile, message);
  std::vector<double> up(n, contribution(s)), down(n, 0);
  double credit = 0, depth = 0, beta = 0;
  std::size_t distance = 1;
  for (; distance < n; distance *= 2, ++depth) {
    for (std::size_t r = 0; r + distance < n; r += 2 * distance) {
      up[r] = take(up[r], up[r + distance], ranks[r + distance], ranks[r], s);
      const Pattern p = pattern({{ranks[r + distance], ranks[r]}});
      credit = std::max(credit, p.credit);
      beta = std::max(beta, p.beta);
    }
  }
  while ((distance /= 2) > 0) {
    for (std::size_t r = 0; r + distance < n; r += 2 * distance) {
      down[r + distance] = down[r] + hop(pattern({{ranks[r], ranks[r + distance]}}), s);
    }
  }
  const double receive = slot(s) + credit, back = *std::max_element(down.begin(), down.end()) + memory(s);
  return up[0] + finish(s, static_cast<double>(n)) + back +
         (k - 1) *
             (std::max(contribution(s), depth * (receive + math(s))) + std::max(memory(s) + receive, depth * beta * s));
}

// --- Hierarchy

// The end of a receive and its addition (K-57).
double AllReduceCosts::take(double ready, double sent, const PeCoord& from, const PeCoord& to, double message) {
  const Pattern p = pattern({{from, to}});
  return std::max(ready, sent + p.alpha(message) + p.beta * message + slot(message)) + slot(message) + p.credit +
         math(message);
}

double AllReduceCosts::reduce(const Line& line, std::vector<double>& ready, double message) {
  const int size = static_cast<int>(line.places.size());
  const auto at = [](int place) { return static_cast<std::size_t>(place); };
  double result = ready[at(line.root)];
  for (const int step : {1, -1}) {  // from the lower end, then from the upper one
    int place = step > 0 ? 0 : size - 1;
    if (place == line.root) continue;
    double sent = ready[at(place)];
    for (; place + step != line.root; place += step) {
      sent = take(ready[at(place + step)], sent, line.places[at(place)], line.places[at(place + step)], message);
    }
    result = take(result, sent, line.places[at(place)], line.places[at(line.root)], message);
  }
  return result;
}

// From the root to the farther end.
double AllReduceCosts::spread(const Line& line, double message) {
  const int size = static_cast<int>(line.places.size());
  const auto at = [](int place) { return static_cast<std::size_t>(place); };
  double longest = 0;
  for (const int step : {1, -1}) {
    double time = 0;
    for (int place = line.root; place + step >= 0 && place + step < size; place += step) {
      time += hop(pattern({{line.places[at(place)], line.places[at(place + step)]}}), message);
    }
    longest = std::max(longest, time);
  }
  return longest;
}

double AllReduceCosts::between(const Hierarchy& h, int cube, double message) {
  if (h.sips < 2) return 0;
  const auto sip = [&](int x, int y) { return pe_at(y * h.sip_w + x, cube, 0); };
  if (h.topology == SipTopology::ring_1d) {
    std::vector<PeCoord> ranks;
    for (int s = 0; s < h.sips; ++s) ranks.push_back(pe_at(s, cube, 0));
    return ring_of(shifts(ranks, {1}), around(ranks, h.sips - 1, message), h.sips - 1, message);
  }
  const bool mesh = h.topology == SipTopology::mesh_2d_no_wrap;
  std::vector<Pair> row, column;
  for (int y = 0; y < h.sip_h; ++y) {
    for (int x = 0; x < h.sip_w; ++x) {
      if (h.sip_w > 1 && (!mesh || x + 1 < h.sip_w)) row.push_back({sip(x, y), sip((x + 1) % h.sip_w, y)});
      if (h.sip_h > 1 && (!mesh || y + 1 < h.sip_h)) column.push_back({sip(x, y), sip(x, (y + 1) % h.sip_h)});
    }
  }
  const Pattern along = pattern(row), across = pattern(column);
  const auto ring = [&](const Pattern& p, int size) {
    return ring_of(p, (size - 1) * (p.alpha(message) + p.credit), size - 1, message);
  };
  if (!mesh) return ring(along, h.sip_w) + ring(across, h.sip_h);
  const auto chain = [&](const Pattern& p, int size) { return (size - 1) * (2 * hop(p, message) + math(message)); };
  return chain(along, h.sip_w) + chain(across, h.sip_h);
}

double AllReduceCosts::hierarchical(const Hierarchy& h, int root, double tile, double message) {
  const double s = std::min(tile, message), k = messages(tile, message);
  const auto cube_at = [&](int x, int y) { return h.first_cube + y * h.cube_w + x; };
  const int root_x = root % h.cube_w, root_y = root / h.cube_w;
  double inside = contribution(s), out = 0, credit = 0;  // when PE 0 of a cube has the cube's sum
  int takes = 0;                                         // of the root, per message
  if (h.pes > 1) {
    Line pes;
    pes.root = (h.pes - 1) / 2;
    for (int place = 0; place < h.pes; ++place) {
      pes.places.push_back(pe_at(0, cube_at(root_x, root_y), (place + h.pes - pes.root) % h.pes));
    }
    std::vector<double> ready(pes.places.size(), inside);
    for (std::size_t i = 1; i < ready.size(); ++i) {
      credit = std::max(credit, fs_to_ns(route(pes.places[i - 1], pes.places[i]).credit));
    }
    inside = reduce(pes, ready, s);
    out += spread(pes, s);
    takes += std::min(2, h.pes - 1);
  }
  Line column;
  column.root = root_y;
  std::vector<double> sums;
  double rows_out = 0;
  for (int y = 0; y < h.cube_h; ++y) {
    Line row;
    row.root = root_x;
    for (int x = 0; x < h.cube_w; ++x) row.places.push_back(pe_at(0, cube_at(x, y), 0));
    for (int x = 1; x < h.cube_w; ++x) {
      credit = std::max(credit, fs_to_ns(route(pe_at(0, cube_at(x - 1, y), 0), pe_at(0, cube_at(x, y), 0)).credit));
    }
    std::vector<double> ready(row.places.size(), inside);
    sums.push_back(reduce(row, ready, s));
    rows_out = std::max(rows_out, spread(row, s));
    column.places.push_back(pe_at(0, cube_at(root_x, y), 0));
  }
  takes += (root_x > 0) + (root_x < h.cube_w - 1) + (root_y > 0) + (root_y < h.cube_h - 1);
  const double exchanged = between(h, cube_at(root_x, root_y), s);
  const double last = finish(s, static_cast<double>(h.cube_w) * h.cube_h * h.pes * h.sips);
  const double up = reduce(column, sums, s) + exchanged + last;
  out += rows_out + spread(column, s) + memory(s);
  for (std::size_t y = 1; y < column.places.size(); ++y) {
    credit = std::max(credit, fs_to_ns(route(column.places[y - 1], column.places[y]).credit));
  }
  const double receive = slot(s) + credit;
  const double root_work = contribution(s) + takes * (receive + math(s)) + exchanged + last;
  return up + out + (k - 1) * (root_work + memory(s) + receive);
}

// --- Between ranks

// Every route between SIPs passes the switch, so the neighbours of a grid cost what those of a ring cost.
AllReduceCosts::Pattern AllReduceCosts::to_neighbours(const Ranks& ranks, bool both_ways) {
  std::vector<Pair> all;
  const std::size_t n = ranks.sips.size();
  for (std::size_t r = 0; r < n; ++r) {
    for (const int cube : ranks.cubes) {
      const PeCoord here = pe_at(ranks.sips[r], cube, 0), next = pe_at(ranks.sips[(r + 1) % n], cube, 0);
      all.push_back({here, next});
      if (both_ways) all.push_back({next, here});
    }
  }
  return pattern(all);
}

double AllReduceCosts::whole_tiles(const Ranks& ranks, double tile, double message) {
  const auto n = static_cast<int>(ranks.sips.size());
  if (n < 2) return 0;
  const double s = std::min(tile, message);
  const bool ring = ranks.topology == SipTopology::ring_1d, mesh = ranks.topology == SipTopology::mesh_2d_no_wrap;
  const int rounds = ring ? n - 1 : (mesh ? 2 : 1) * (ranks.grid_w - 1 + ranks.grid_h - 1);
  const double once =
      contribution(s) + memory(s) + rounds * (hop(to_neighbours(ranks, false), s) + math(s)) + finish(s, n);
  return messages(tile, message) * once;
}

double AllReduceCosts::by_blocks(const Ranks& ranks, double tile, double message) {
  const auto n = static_cast<int>(ranks.sips.size());
  if (n < 2) return 0;
  const double b = std::ceil(tile / item_ / n) * item_, s = std::min(b, message);
  const bool closed = ranks.topology != SipTopology::mesh_2d_no_wrap;
  const double ways = closed && n % 2 == 1 ? 2 : 1, rounds = closed ? n / 2 : n - 1;
  const double once = ways * (contribution(s) + memory(s)) +
                      rounds * (2 * hop(to_neighbours(ranks, n > 2), s) + math(s)) + finish(s, n);
  return messages(b, message) * once;
}

}  // namespace kb::sw
