#include "sw/distributed/all_reduce_costs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "platform/base/units.h"
#include "platform/contract/i_host.h"
#include "platform/ops/op_types.h"

namespace kb::sw {
namespace {

// Number of messages of at most `message` bytes for `bytes` bytes.
double messages(double bytes, double message) {
  return std::max(1.0, std::ceil(bytes / message));
}

}  // namespace

// PEs or cubes on a line, reduced to one of them.
struct AllReduceCosts::Line {
  std::vector<PeCoord> places;
  int root = 0;
};

AllReduceCosts::AllReduceCosts(contract::IHost& host, QueueMemory memory, Dtype dtype, bool average)
    : host_(host),
      costs_(host.pe_costs(memory, average ? combined_dtype(dtype, "avg") : dtype)),
      slot_setup_(fs_to_ns(costs_.slot_setup)),
      item_(static_cast<double>(item_size(average ? combined_dtype(dtype, "avg") : dtype))),
      narrow_item_(static_cast<double>(item_size(dtype))),
      average_(average),
      floats_(is_float(dtype)),
      begins_(average && (is_float(dtype) || combined_dtype(dtype, "avg") != dtype)) {}

// Time of the final operation of an average over `ranks`; 0 for floats when this is a power of two.
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

// Time that a message occupies the wire of its sender.
double AllReduceCosts::sending(const PeCoord& from, const PeCoord& to, double bytes) {
  const auto& wires = route(from, to).wires;
  return wires.empty() ? 0 : bytes * wires.front().bw.ns_per_byte();
}

AllReduceCosts::Pattern AllReduceCosts::pattern(const std::vector<Pair>& messages) {
  Pattern p;
  std::map<std::uint32_t, double> ns_per_byte;  // indexed by wire
  for (const Pair& message : messages) {
    const contract::MessageRoute& path = route(message.from, message.to);
    p.latency = std::max(p.latency, fs_to_ns(path.latency));
    p.credit = std::max(p.credit, fs_to_ns(path.credit));
    p.flit = static_cast<double>(path.flit_bytes);
    double all = 0, slowest = 0, parts = 0, part = 0;  // ns per byte; a part ends where a message is stored
    for (const auto& wire : path.wires) {
      const double its = wire.bw.ns_per_byte();
      all += its;
      part = std::max(part, its);
      slowest = std::max(slowest, its);
      if (its > 0) p.beta = std::max(p.beta, ns_per_byte[wire.id] += its);
      if (wire.stored || &wire == &path.wires.back()) parts += std::exchange(part, 0.0);
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

// Rounds in which every rank forwards the messages of a block from the rank behind, then those of a block from the rank
// ahead, and then loads. The first (n - 1) / 2 rounds have a block from ahead; with `last` the last round has one, and
// for an even number of ranks the round before it has none.
double AllReduceCosts::both_ways(const std::vector<double>& hops, const Passing& x, bool last) {
  const std::size_t n = hops.size(), k = x.messages;
  const std::size_t rounds = n / 2, rounds_back = (n - 1) / 2;
  const auto load = [&](std::size_t round) { return round < rounds ? x.loading : x.own; };  // before the round
  std::vector<double> ready(n, load(1)), forward(n * k), backward(n * k);                   // send times
  for (std::size_t i = 0; i < n * k; ++i) forward[i] = backward[i] = static_cast<double>(i % k) * x.interval;
  std::vector<double> next(n * k);
  double end = 0;
  for (std::size_t round = 1; round <= rounds; ++round) {
    const auto take = [&](std::vector<double>& sent, auto from, auto hop) {
      for (std::size_t r = 0; r < n; ++r) {
        double arrival = 0;
        for (std::size_t m = 0; m < k; ++m) {
          arrival = std::max(sent[from(r) * k + m] + hop(r) + x.in_flight, arrival + (m > 0 ? x.interval : 0));
          ready[r] = std::max(ready[r], arrival) + x.adding;
          next[r * k + m] = ready[r];
        }
        end = std::max(end, ready[r]);
      }
      sent.swap(next);
    };
    const auto behind = [n](std::size_t r) { return (r + n - 1) % n; };
    const auto ahead = [n](std::size_t r) { return (r + 1) % n; };
    take(forward, behind, [&](std::size_t r) { return hops[behind(r)]; });
    const bool both = last ? round < rounds_back || (round == rounds && rounds_back > 0) : round <= rounds_back;
    if (both) take(backward, ahead, [&](std::size_t r) { return hops[r]; });
    for (double& time : ready) time += round < rounds ? load(round + 1) : 0;
  }
  return end;
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
  const std::vector<double> hops = ring_hops(ranks, s);
  const auto total = [&](double messages) {
    Passing reducing;
    reducing.messages = static_cast<std::size_t>(messages);
    reducing.interval = std::max(p.beta * s, slot(s) + p.credit);
    reducing.in_flight = p.beta * s + 2 * slot(s);
    Passing gathering = reducing;
    reducing.adding = math(s);
    reducing.loading = (n > 2 ? 2 : 1) * messages * contribution(s);
    reducing.own = contribution(std::min(b, messages * s));
    // A message of the result leaves as soon as it is complete.
    const double overlap = (messages - 1) * reducing.interval;
    return both_ways(hops, reducing, true) + finish(s, n) + both_ways(hops, gathering, false) - overlap;
  };
  constexpr double kMost = 32;  // each further message takes the same time
  if (k <= kMost) return total(k);
  const double most = total(kMost);
  return most + (k - kMost) * (most - total(kMost / 2)) / (kMost / 2);
}

double AllReduceCosts::tree(const std::vector<PeCoord>& ranks, double tile, double message) {
  const std::size_t n = ranks.size();
  if (n < 2) return 0;
  const double s = std::min(tile, message), k = messages(tile, message);
  std::vector<double> up(n, contribution(s)), down(n, 0);
  std::vector<int> sends(n, 0);
  double credit = 0, taken = contribution(s);  // time of the root per message
  std::vector<Pair> of_root;
  std::size_t distance = 1;
  for (; distance < n; distance *= 2) {
    for (std::size_t r = 0; r + distance < n; r += 2 * distance) {
      const double own = fs_to_ns(route(ranks[r + distance], ranks[r]).credit);
      up[r] = take(up[r], up[r + distance], ranks[r + distance], ranks[r], s);
      credit = std::max(credit, own);
      if (r == 0) taken += slot(s) + own + math(s);
    }
    of_root.push_back({ranks[0], ranks[distance]});
  }
  while ((distance /= 2) > 0) {
    for (std::size_t r = 0; r + distance < n; r += 2 * distance) {
      const PeCoord &from = ranks[r], &to = ranks[r + distance];
      down[r + distance] = down[r] + sends[r]++ * sending(from, to, s) + hop(pattern({{from, to}}), s);
    }
  }
  const double back = *std::max_element(down.begin(), down.end()) + memory(s);
  return up[0] + finish(s, static_cast<double>(n)) + back +
         (k - 1) * (taken + memory(s) + std::max(slot(s) + credit, pattern(of_root).beta * s));
}

// --- Hierarchy

// End of a receive and its addition (K-57).
double AllReduceCosts::take(double ready, double sent, const PeCoord& from, const PeCoord& to, double message) {
  const Pattern p = pattern({{from, to}});
  return std::max(ready, sent + p.alpha(message) + p.beta * message + slot(message)) + slot(message) + p.credit +
         math(message);
}

double AllReduceCosts::reduce(const Line& line, std::vector<double>& ready, double message) {
  const int size = static_cast<int>(line.places.size());
  const auto at = [](int place) { return static_cast<std::size_t>(place); };
  double result = ready[at(line.root)];
  for (const int step : {1, -1}) {  // from the lower end, then from the upper end
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

// From the root to both ends, the lower one first; the messages of a place leave on one wire, one after the other.
std::vector<AllReduceCosts::Arrival> AllReduceCosts::spread(const Line& line, const Arrival& root, double message) {
  const int size = static_cast<int>(line.places.size());
  const auto at = [](int place) { return static_cast<std::size_t>(place); };
  std::vector<Arrival> arrivals(line.places.size());
  arrivals[at(line.root)] = root;
  int& sends = arrivals[at(line.root)].sends;
  for (const int step : {-1, 1}) {
    double time = root.at;
    for (int place = line.root; place + step >= 0 && place + step < size; place += step) {
      const PeCoord &from = line.places[at(place)], &to = line.places[at(place + step)];
      if (place == line.root) time += sends++ * sending(from, to, message);
      if (place != line.root) arrivals[at(place)].sends = 1;
      time += hop(pattern({{from, to}}), message);
      arrivals[at(place + step)].at = time;
    }
  }
  return arrivals;
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
  double inside = contribution(s), credit = 0;  // when PE 0 of a cube has the cube's sum
  int takes = 0;                                // receives of the root per message
  Line pes;
  if (h.pes > 1) {
    pes.root = (h.pes - 1) / 2;
    for (int place = 0; place < h.pes; ++place) {
      pes.places.push_back(pe_at(0, cube_at(root_x, root_y), (place + h.pes - pes.root) % h.pes));
    }
    std::vector<double> ready(pes.places.size(), inside);
    for (std::size_t i = 1; i < ready.size(); ++i) {
      credit = std::max(credit, fs_to_ns(route(pes.places[i - 1], pes.places[i]).credit));
    }
    inside = reduce(pes, ready, s);
    takes += std::min(2, h.pes - 1);
  }
  Line column;
  column.root = root_y;
  std::vector<double> sums;
  std::vector<Line> rows;
  for (int y = 0; y < h.cube_h; ++y) {
    Line row;
    row.root = root_x;
    for (int x = 0; x < h.cube_w; ++x) row.places.push_back(pe_at(0, cube_at(x, y), 0));
    for (int x = 1; x < h.cube_w; ++x) {
      credit = std::max(credit, fs_to_ns(route(pe_at(0, cube_at(x - 1, y), 0), pe_at(0, cube_at(x, y), 0)).credit));
    }
    std::vector<double> ready(row.places.size(), inside);
    sums.push_back(reduce(row, ready, s));
    rows.push_back(row);
    column.places.push_back(pe_at(0, cube_at(root_x, y), 0));
  }
  takes += (root_x > 0) + (root_x < h.cube_w - 1) + (root_y > 0) + (root_y < h.cube_h - 1);
  const double exchanged = between(h, cube_at(root_x, root_y), s);
  const double last = finish(s, static_cast<double>(h.cube_w) * h.cube_h * h.pes * h.sips);
  const double up = reduce(column, sums, s) + exchanged + last;
  double out = 0;
  const std::vector<Arrival> of_rows = spread(column, {}, s);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    for (const Arrival& of_cube : spread(rows[y], of_rows[y], s)) {
      out = std::max(out, of_cube.at);
      if (h.pes < 2) continue;
      for (const Arrival& of_pe : spread(pes, of_cube, s)) out = std::max(out, of_pe.at);
    }
  }
  out += memory(s);
  for (std::size_t y = 1; y < column.places.size(); ++y) {
    credit = std::max(credit, fs_to_ns(route(column.places[y - 1], column.places[y]).credit));
  }
  const double receive = slot(s) + credit;
  const double root_work = contribution(s) + takes * (receive + math(s)) + exchanged + last;
  double sent = 0;  // time that the root's messages to its neighbours occupy its wire
  for (const Line* line : {&column, &rows[static_cast<std::size_t>(root_y)], &pes}) {
    const auto root_at = static_cast<std::size_t>(line->root);
    for (const std::size_t next : {root_at - 1, root_at + 1}) {
      if (next < line->places.size()) sent += sending(line->places[root_at], line->places[next], s);
    }
  }
  return up + out + (k - 1) * (root_work + memory(s) + std::max(receive, sent));
}

// --- Between ranks

// All routes between SIPs pass the switch, so that the neighbours of a grid cost the same as those of a ring.
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
  const double directions = closed && n % 2 == 1 ? 2 : 1, rounds = closed ? n / 2 : n - 1;
  const double once = directions * (contribution(s) + memory(s)) +
                      rounds * (2 * hop(to_neighbours(ranks, n > 2), s) + math(s)) + finish(s, n);
  return messages(b, message) * once;
}

}  // namespace kb::sw
