#include "platform/model/arena.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace kb::model {
namespace {

using Indices = std::vector<std::size_t>;

// Tensors of one layer, and those of all layers with the same tensors.
struct LayerKind {
  std::vector<std::pair<std::string, std::uint64_t>> signature;
  std::vector<Indices> layers;  // tensors of each, in the order of the signature
};

struct Outline {
  std::vector<LayerKind> kinds;
  // Kind and number in it of each layer, in the order of layers.
  std::vector<std::pair<std::size_t, std::size_t>> layers;
  Indices others;
};

Outline outline(const std::vector<ArenaTensor>& tensors) {
  std::map<std::int64_t, Indices> by_layer;
  Outline out;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    (tensors[i].layer < 0 ? out.others : by_layer[tensors[i].layer]).push_back(i);
  }
  for (auto& [layer, members] : by_layer) {
    std::vector<std::pair<std::string, std::uint64_t>> signature;
    for (const std::size_t i : members) signature.emplace_back(tensors[i].role, tensors[i].part);
    auto kind = std::find_if(out.kinds.begin(), out.kinds.end(),
                             [&](const LayerKind& one) { return one.signature == signature; });
    if (kind == out.kinds.end()) kind = out.kinds.insert(out.kinds.end(), LayerKind{signature, {}});
    out.layers.emplace_back(kind - out.kinds.begin(), kind->layers.size());
    kind->layers.push_back(std::move(members));
  }
  return out;
}

// Where the tensors of a kind of layer lie: in which bin, and where in it.
struct Bins {
  std::uint64_t bytes = 0;  // of a bin, a power of two
  std::vector<std::uint32_t> bin;
  std::vector<std::uint64_t> offset;
};

// The largest tensor first, each into the first bin with room; no value when there are too few bins.
std::optional<Bins> fill_bins(const LayerKind& kind, std::uint64_t bytes, std::uint32_t count) {
  Bins bins{bytes, std::vector<std::uint32_t>(kind.signature.size()),
            std::vector<std::uint64_t>(kind.signature.size())};
  Indices order(kind.signature.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return kind.signature[a].second > kind.signature[b].second; });
  std::vector<std::uint64_t> used(count, 0);
  for (const std::size_t i : order) {
    const std::uint64_t part = kind.signature[i].second;
    const auto room =
        std::find_if(used.begin(), used.end(), [&](std::uint64_t taken) { return taken + part <= bytes; });
    if (room == used.end()) return std::nullopt;
    bins.bin[i] = static_cast<std::uint32_t>(room - used.begin());
    bins.offset[i] = *room;
    *room += part;
  }
  return bins;
}

Bins smallest_bins(const LayerKind& kind, const ArenaGeometry& geometry) {
  std::uint64_t bytes = geometry.burst_bytes;
  while (true) {
    if (std::optional<Bins> bins = fill_bins(kind, bytes, geometry.channels)) return std::move(*bins);
    bytes *= 2;
  }
}

// Channels of the first byte of each bin in all slices of a cube, when bin b stands at place b ^ turn.
std::vector<std::uint32_t> channels_of_bins(const ArenaGeometry& geometry, std::uint64_t begin, std::uint64_t bin_bytes,
                                            std::uint32_t turn) {
  const address::ChannelStripe stripe(geometry.burst_bytes, geometry.channels, geometry.hash);
  std::vector<std::uint32_t> channels;
  for (std::int64_t pe = 0; pe < geometry.pes_per_cube; ++pe) {
    const std::uint64_t slice = static_cast<std::uint64_t>(pe) * geometry.slice_bytes;
    for (std::uint32_t bin = 0; bin < geometry.channels; ++bin) {
      channels.push_back(stripe.channel_of(slice + begin + (bin ^ turn) * bin_bytes));
    }
  }
  return channels;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

// One tensor behind the other.
ArenaPlan pack(const std::vector<ArenaTensor>& tensors, const ArenaGeometry& geometry) {
  ArenaPlan plan;
  plan.offsets.resize(tensors.size());
  const Outline order = outline(tensors);
  const auto place = [&](std::size_t tensor) {
    plan.offsets[tensor] = plan.end;
    plan.end += tensors[tensor].part;
  };
  for (const auto& [kind, number] : order.layers) {
    for (const std::size_t tensor : order.kinds[kind].layers[number]) place(tensor);
  }
  for (const std::size_t tensor : order.others) place(tensor);
  if (geometry.hash == address::ChannelHash::none) return plan;
  // Every layer is taken as a class of its own, which nothing disproves.
  for (const LayerKind& kind : order.kinds) {
    plan.classes = std::max(plan.classes, static_cast<std::int64_t>(kind.layers.size()));
  }
  return plan;
}

class HashedArena {
 public:
  HashedArena(const std::vector<ArenaTensor>& tensors, const ArenaGeometry& geometry)
      : tensors_(tensors), geometry_(geometry), order_(outline(tensors)) {}

  ArenaPlan plan() {
    plan_.offsets.resize(tensors_.size());
    std::vector<Bins> bins;
    for (const LayerKind& kind : order_.kinds) bins.push_back(smallest_bins(kind, geometry_));
    std::vector<std::set<std::vector<std::uint32_t>>> seen(order_.kinds.size());
    for (const auto& [kind, number] : order_.layers) {
      place_layer(bins[kind], order_.kinds[kind].layers[number], seen[kind]);
      plan_.classes = std::max(plan_.classes, static_cast<std::int64_t>(seen[kind].size()));
    }
    for (std::size_t kind = 0; kind < bins.size(); ++kind) {
      // Otherwise offsets in a bin carry into the digits of the slice.
      const bool aligned = geometry_.pes_per_cube == 1 || geometry_.slice_bytes % bins[kind].bytes == 0;
      const auto layers = static_cast<std::int64_t>(order_.kinds[kind].layers.size());
      if (!aligned) plan_.classes = std::max(plan_.classes, layers);
    }
    plan_.end = round_up(plan_.end, geometry_.period());
    for (const std::size_t tensor : order_.others) {
      plan_.offsets[tensor] = plan_.end;
      plan_.end += tensors_[tensor].part;
    }
    return std::move(plan_);
  }

 private:
  // A block begins at a multiple of its size, so that no digit of an offset in it carries.
  void place_layer(const Bins& bins, const Indices& members, std::set<std::vector<std::uint32_t>>& seen) {
    const std::uint64_t block = bins.bytes * geometry_.channels;
    const std::uint64_t begin = round_up(plan_.end, block);
    std::uint32_t turn = 0;
    std::vector<std::uint32_t> channels = channels_of_bins(geometry_, begin, bins.bytes, turn);
    for (std::uint32_t other = 0; seen.count(channels) == 0 && !seen.empty() && other < geometry_.channels; ++other) {
      std::vector<std::uint32_t> turned = channels_of_bins(geometry_, begin, bins.bytes, other);
      if (seen.count(turned) == 0) continue;
      turn = other;
      channels = std::move(turned);
    }
    seen.insert(std::move(channels));
    std::uint64_t end = begin;
    for (std::size_t i = 0; i < members.size(); ++i) {
      plan_.offsets[members[i]] = begin + (bins.bin[i] ^ turn) * bins.bytes + bins.offset[i];
      end = std::max(end, plan_.offsets[members[i]] + tensors_[members[i]].part);
    }
    plan_.end = end;
  }

  const std::vector<ArenaTensor>& tensors_;
  const ArenaGeometry& geometry_;
  Outline order_;
  ArenaPlan plan_;
};

}  // namespace

std::uint64_t ArenaGeometry::part_of(std::uint64_t bytes) const {
  const auto slices = static_cast<std::uint64_t>(pes);
  return round_up((bytes + slices - 1) / slices, period());
}

ArenaGeometry arena_geometry(const topology::MachineSpec& machine) {
  ArenaGeometry geometry;
  geometry.pes_per_cube = machine.pes_per_cube();
  geometry.pes = geometry.pes_per_cube * machine.cubes_per_sip();
  geometry.slice_bytes = machine.hbm_slice_bytes();
  geometry.burst_bytes = static_cast<std::uint64_t>(machine.hbm_ctrl().burst_bytes);
  geometry.channels = static_cast<std::uint32_t>(machine.hbm_ctrl().num_pcs);
  const bool hashed = address::channel_stripe(machine.hbm_ctrl()).is_hashed();
  geometry.hash = hashed ? machine.hbm_ctrl().channel_hash : address::ChannelHash::none;
  return geometry;
}

ArenaPlan plan_arena(const std::vector<ArenaTensor>& tensors, const ArenaGeometry& geometry) {
  ArenaPlan packed = pack(tensors, geometry);
  if (geometry.hash == address::ChannelHash::none) return packed;
  ArenaPlan hashed = HashedArena(tensors, geometry).plan();
  return hashed.end <= geometry.slice_bytes && hashed.classes < packed.classes ? hashed : packed;
}

}  // namespace kb::model
