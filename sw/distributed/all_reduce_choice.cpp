#include "sw/distributed/all_reduce_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "platform/base/error.h"
#include "platform/base/ids.h"
#include "platform/ops/op_types.h"
#include "sw/distributed/all_reduce_costs.h"
#include "sw/distributed/direct_costs.h"
#include "sw/distributed/neighbours.h"

namespace kb::sw {
namespace {

// Indices of candidate_names().
enum Candidate : std::size_t { kRing, kReduceScatter, kPairwise, kTree, kHierarchical };

constexpr double kLeastMessageBytes = 256;

std::vector<std::size_t> candidates(const topology::CclConfig& config) {
  if (!config.candidates.empty()) return config.candidates;
  return {kRing, kReduceScatter, kPairwise, kTree, kHierarchical};
}

constexpr std::size_t kCandidates = kHierarchical + 1;

// Reason why a candidate is not eligible; empty when it is.
std::string obstacle(std::size_t which, const CandidateQuery& use) {
  if (which == kHierarchical) return "";
  if (use.has_root) return "the call names a root cube, and only 'hierarchical' has one";
  if (use.ranks < 2) return "it needs two ranks, and there is one";
  if (which == kPairwise && use.ranks > kMaxPairedRanks) {
    return fmt::format("it links every rank with every other one, for up to {} ranks; there are {}", kMaxPairedRanks,
                       use.ranks);
  }
  if (!use.sips_only) return "";
  if (which == kPairwise || which == kTree) {
    return "one tile per SIP has links to the neighbouring SIPs only, and it needs more of them";
  }
  if (use.sip_topology == SipTopology::ring_1d) return "";
  return fmt::format(
      "one tile per SIP has the links between SIPs only, and it needs them in a ring; "
      "system.sips.topology is '{}'",
      names_of<SipTopology>()[static_cast<std::size_t>(use.sip_topology)]);
}

std::string able_candidates(const CandidateQuery& use) {
  std::string names;
  for (std::size_t which = 0; which < kCandidates; ++which) {
    if (!obstacle(which, use).empty()) continue;
    names += (names.empty() ? "'" : ", '") + topology::candidate_names()[which] + "'";
  }
  return names;
}

// The additional links that a candidate needs.
std::optional<Hops> hops_of(std::size_t which) {
  if (which == kHierarchical) return std::nullopt;
  if (which == kPairwise) return Hops::all;
  return which == kTree ? Hops::powers_of_two : Hops::neighbours;
}

const char* kernel_of(const std::string& algorithm) {
  const auto& names = topology::candidate_names();
  if (algorithm == names[kRing]) return "hop_ring_allreduce";
  if (algorithm == names[kReduceScatter]) return "hop_scatter_allreduce";
  return algorithm == names[kPairwise] ? "hop_pairwise_allreduce" : "hop_tree_allreduce";
}

}  // namespace

std::vector<int> ring_of_cubes(int w, int h) {
  std::vector<int> order;
  if (w == 1 || h == 1) {  // every second one on the way there, the others on the way back
    const int n = w * h;
    for (int i = 0; i < n; i += 2) order.push_back(i);
    for (int i = n - 1 - n % 2; i > 0; i -= 2) order.push_back(i);
    return order;
  }
  const bool columns = h % 2 == 0;  // first column downwards, then the rest row by row upwards; or the transposed order
  const int along = columns ? h : w, across = columns ? w : h;
  const auto cube = [&](int a, int b) { return columns ? a * w + b : b * w + a; };
  for (int a = 0; a < along; ++a) order.push_back(cube(a, 0));
  for (int i = 0; i < along; ++i) {
    for (int b = 1; b < across; ++b) order.push_back(cube(along - 1 - i, i % 2 == 0 ? b : across - b));
  }
  return order;
}

TileOwners chosen_owners(const topology::CclConfig& config, const contract::MachineInfo& machine) {
  if (config.tiles == topology::TileSet::pes) return TileOwners::pes;
  if (config.tiles == topology::TileSet::cubes) return TileOwners::cubes;
  return machine.sips * machine.cubes_per_sip == 1 ? TileOwners::pes : TileOwners::cubes;
}

std::vector<PeCoord> ring_of_owners(const contract::MachineInfo& machine, TileOwners owners) {
  std::vector<PeCoord> ring;
  const int pes = owners == TileOwners::pes ? machine.pes_per_cube : 1;
  for (int sip = 0; sip < machine.sips; ++sip) {
    for (const int cube : ring_of_cubes(machine.cube_mesh_w, machine.cube_mesh_h)) {
      for (int pe = 0; pe < pes; ++pe) {
        ring.push_back(pe_at(sip, cube, pe));
      }
    }
  }
  return ring;
}

void require_candidates(const topology::CclConfig& config, const CandidateQuery& use) {
  for (const std::size_t which : config.candidates) {
    const std::string why = obstacle(which, use);
    if (why.empty()) continue;
    throw Error(
        {config.problem_at("candidates", fmt::format("'{}' cannot serve: {}", topology::candidate_names()[which], why),
                           fmt::format("can serve here: {}; or leave the key out, then 'auto' takes those that can",
                                       able_candidates(use)))});
  }
}

std::set<Hops> AllReduceChooser::required_rings() const {
  const std::size_t ranks = ring_of_owners(host_.machine(), owners_).size();
  std::set<Hops> rings;
  for (const std::size_t which : candidates(config_)) {
    const std::optional<Hops> hops = hops_of(which);
    if (hops && obstacle(which, {ranks}).empty()) rings.insert(*hops);
  }
  return rings;
}

void AllReduceChooser::use_rings(std::map<Hops, const RingLayout*> rings) {
  rings_ = std::move(rings);
  known_.clear();  // the choices were made for other slots
  whole_pairs_.clear();
  for (const std::size_t which : config_.candidates) {
    if (slot_size(which, false) > 0) continue;
    throw Error({config_.problem_at(
        "candidates",
        fmt::format("'{}' cannot serve: its rings do not fit beside those of the wiring and of groups",
                    topology::candidate_names()[which]),
        "reduce n_slots or slot_size, write 'buffer_kind: hbm', or leave the key out, then "
        "'auto' takes those that can")});
  }
}

std::uint64_t AllReduceChooser::slot_size(std::size_t which, bool sips_only) const {
  const std::optional<Hops> hops = hops_of(which);
  if (!hops || sips_only) return config_.slot_size;
  const auto found = rings_.find(*hops);
  return found == rings_.end() ? 0 : found->second->slot_size;
}

AllReduceCosts& AllReduceChooser::costs(const AllReduceCall& call) {
  auto& entry = costs_[{call.tensor.dtype(), call.op == "avg"}];
  if (!entry) {
    entry = std::make_shared<AllReduceCosts>(host_, config_.buffer_kind, call.tensor.dtype(), call.op == "avg");
  }
  return *entry;
}

// Bytes per message: the call's setting, otherwise halves of the maximum.
std::vector<double> AllReduceChooser::message_sizes(const AllReduceCall& call, double tile,
                                                    std::uint64_t slot_size) const {
  const auto item = static_cast<double>(item_size(combined_dtype(call.tensor.dtype(), call.op)));
  const double most = std::floor(static_cast<double>(slot_size) / item) * item;
  if (call.chunk_elements > 0) return {std::min(most, static_cast<double>(call.chunk_elements) * item)};
  std::vector<double> sizes{std::min(most, tile)};
  while (sizes.back() >= 2 * kLeastMessageBytes) sizes.push_back(std::ceil(sizes.back() / 2 / item) * item);
  return sizes;
}

CollectiveEstimate AllReduceChooser::best_hierarchy(const AllReduceCall& call, int cube, bool whole) {
  const contract::MachineInfo& machine = host_.machine();
  AllReduceCosts::Hierarchy h;
  h.cube_w = call.cube_w;
  h.cube_h = call.cube_h;
  h.pes = owners_ == TileOwners::pes ? machine.pes_per_cube : 1;
  h.first_cube = std::max(0, cube);
  h.sips = call.world_size;
  h.sip_w = call.sip_w;
  h.sip_h = call.sip_h;
  h.topology = call.sip_topology;
  const auto item = static_cast<double>(item_size(combined_dtype(call.tensor.dtype(), call.op)));
  const double tile = static_cast<double>(call.n_elem) * item;
  std::vector<double> sizes = message_sizes(call, tile, config_.slot_size);
  if (whole) sizes.resize(1);
  // The centre is first (K-56), so that it stays the root unless another one is better.
  std::vector<int> roots{call.cube_h / 2 * call.cube_w + call.cube_w / 2};
  for (int root = 0; root < call.cube_w * call.cube_h; ++root) roots.push_back(root);
  if (call.root_cube >= 0) roots = {static_cast<int>(call.root_cube)};
  CollectiveEstimate best;
  for (const int root : roots) {
    for (const double size : sizes) {
      const double ns = costs(call).hierarchical(h, root, tile, size);
      if (best.root >= 0 && ns >= best.ns) continue;
      best = {topology::candidate_names()[kHierarchical], ns, static_cast<std::int64_t>(size / item), root};
    }
  }
  return best;
}

CandidateQuery AllReduceChooser::use_of(int world_size, SipTopology topology, bool has_root, int cube) const {
  const std::size_t ranks =
      cube >= 0 ? static_cast<std::size_t>(world_size) : ring_of_owners(host_.machine(), owners_).size();
  return {ranks, cube >= 0, topology, has_root};
}

CollectiveEstimate AllReduceChooser::best_pairwise(const AllReduceCall& call, const std::vector<PeCoord>& ranks,
                                                   std::uint64_t slot_size) {
  const auto item = static_cast<double>(item_size(call.tensor.dtype()));
  std::vector<std::vector<PeCoord>> members;
  for (const PeCoord& rank : ranks) members.push_back({rank});
  DirectCosts direct(costs(call), std::move(members), config_.n_slots, true);
  // Narrow integers are widened for additions.
  const double fits = std::floor(static_cast<double>(slot_size) / item) * item;
  const double most = call.chunk_elements > 0 ? std::min(fits, static_cast<double>(call.chunk_elements) * item) : fits;
  const DirectPlan best = direct.best(DirectCall::all_reduce, static_cast<double>(call.n_elem) * item, item, most);
  whole_pairs_[{call.tensor.dtype(), call.op == "avg", call.n_elem, call.chunk_elements, ranks.size()}] =
      !best.in_parts;
  return {topology::candidate_names()[kPairwise], best.ns, static_cast<std::int64_t>(best.message / item), -1};
}

CollectiveRecord AllReduceChooser::estimated(const AllReduceCall& call, int cube) {
  const contract::MachineInfo& machine = host_.machine();
  const bool sips_only = cube >= 0;  // then only the links between SIPs are available
  std::vector<PeCoord> ranks = ring_of_owners(machine, owners_);
  if (sips_only) {
    ranks.clear();
    for (int sip = 0; sip < call.world_size; ++sip) {
      ranks.push_back(pe_at(sip, cube, 0));
    }
  }
  const auto item = static_cast<double>(item_size(combined_dtype(call.tensor.dtype(), call.op)));
  const double tile = static_cast<double>(call.n_elem) * item;
  const std::uint64_t tile_bytes = static_cast<std::uint64_t>(call.n_elem) * item_size(call.tensor.dtype());
  CollectiveRecord record{"all_reduce", "", true, tile_bytes, static_cast<int>(ranks.size()), {}};
  const auto consider = [&](std::size_t which,
                            double (AllReduceCosts::*formula)(const std::vector<PeCoord>&, double, double)) {
    CollectiveEstimate best;
    for (const double size : message_sizes(call, tile, slot_size(which, sips_only))) {
      const double ns = (costs(call).*formula)(ranks, tile, size);
      if (best.chunk_elements > 0 && ns >= best.ns) continue;
      best = {topology::candidate_names()[which], ns, static_cast<std::int64_t>(size / item), -1};
    }
    record.estimates.push_back(best);
  };
  const CandidateQuery use = use_of(call.world_size, call.sip_topology, call.root_cube >= 0, cube);
  for (const std::size_t which : candidates(config_)) {
    if (!obstacle(which, use).empty() || slot_size(which, sips_only) == 0) continue;
    if (which == kRing) consider(which, &AllReduceCosts::ring);
    if (which == kReduceScatter) consider(which, &AllReduceCosts::reduce_scatter);
    if (which == kPairwise) record.estimates.push_back(best_pairwise(call, ranks, slot_size(which, sips_only)));
    if (which == kTree) consider(which, &AllReduceCosts::tree);
    if (which == kHierarchical) record.estimates.push_back(best_hierarchy(call, cube, false));
  }
  return record;
}

const CollectiveRecord& AllReduceChooser::choose(const AllReduceCall& call, int cube) {
  const auto [entry, is_new] =
      known_.try_emplace({call.tensor.dtype(), call.op == "avg", call.n_elem, call.cube_w * call.cube_h, cube,
                          call.chunk_elements, call.root_cube});
  if (!is_new) return entry->second;
  entry->second = estimated(call, cube);
  const auto best =
      std::min_element(entry->second.estimates.begin(), entry->second.estimates.end(),
                       [](const CollectiveEstimate& a, const CollectiveEstimate& b) { return a.ns < b.ns; });
  entry->second.algorithm = best->algorithm;
  return entry->second;
}

CollectiveEstimate AllReduceChooser::hierarchy(const AllReduceCall& call, int cube) {
  return best_hierarchy(call, cube, true);
}

AllReducePlan AllReduceChooser::plan(const AllReduceCall& call, const CollectiveRecord& choice) const {
  const auto chosen = std::find_if(choice.estimates.begin(), choice.estimates.end(),
                                   [&](const CollectiveEstimate& one) { return one.algorithm == choice.algorithm; });
  AllReduceCall exact = call;
  exact.chunk_elements = chosen->chunk_elements;
  const auto whole = whole_pairs_.find({call.tensor.dtype(), call.op == "avg", call.n_elem, call.chunk_elements,
                                        static_cast<std::size_t>(choice.ranks)});
  exact.by_blocks = whole == whole_pairs_.end() || !whole->second;
  exact.twice = true;
  exact.ahead = config_.n_slots * (choice.ranks == 2 ? 4 : 2);  // counts all links
  if (choice.algorithm == topology::candidate_names()[kHierarchical]) {
    exact.root_cube = call.cube_w * call.cube_h > 1 ? chosen->root : -1;
    const AllReduceAlgorithm& hierarchy = built_in_all_reduces().find(
        owners_ == TileOwners::pes ? "three_level_allreduce" : "lrab_hierarchical_allreduce");
    return {hierarchy.kernel, hierarchy.arguments(exact)};
  }
  const contract::MachineInfo& machine = host_.machine();
  const bool sips_only = choice.ranks == call.world_size && machine.cubes_per_sip > 1;
  if (!sips_only) {
    std::vector<int> places(static_cast<std::size_t>(machine.cubes_per_sip));
    int place = 0;
    for (const int cube : ring_of_cubes(machine.cube_mesh_w, machine.cube_mesh_h)) {
      places[static_cast<std::size_t>(cube)] = place++;
    }
    for (const int place_of_cube : places) exact.order += std::to_string(place_of_cube) + " ";
  }
  exact.links = sips_only ? "global_" : "hop";
  const auto& names = topology::candidate_names();
  const auto which = static_cast<std::size_t>(std::find(names.begin(), names.end(), choice.algorithm) - names.begin());
  return {kernel_of(choice.algorithm), hop_arguments(exact), sips_only ? nullptr : rings_.at(*hops_of(which))};
}

}  // namespace kb::sw
