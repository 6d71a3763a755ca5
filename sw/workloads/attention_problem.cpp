#include "sw/workloads/attention_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "platform/base/checked.h"
#include "platform/base/error.h"
#include "sw/workloads/attention_reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

using topology::WiringPreset;

struct Scale {
  std::int64_t q_heads, kv_heads, d, context;
};
constexpr Scale kValidation{1, 1, 64, 64};     // K-88
constexpr Scale kHeadline{64, 8, 128, 8192};   // Llama 70B
constexpr std::int64_t kPrefillTokens = 16;    // K-87
constexpr std::int64_t kCubesOfMultiUser = 4;  // K-87
constexpr std::int64_t kPieceRows = 128;       // rows of Q per pass, fewer if they are long
constexpr std::int64_t kPieceElements = 128 * 128;
// Size of a block of K. In prefill it is large, because all rows are scaled for each block. In decode it is small
// enough that the first block arrives soon, and large enough that the time between two loads is negligible.
constexpr std::int64_t kPrefillBlock = 64 << 10, kDecodeBlock = 32 << 10;
constexpr std::int64_t kArraySize = 32;  // or rows; fewer take as long

std::int64_t given(const Params& params, const char* name, std::int64_t otherwise) {
  const std::int64_t value = params.integer(name);
  return value > 0 ? value : otherwise;
}

std::int64_t divide(std::int64_t whole, std::int64_t parts, const std::string& what) {
  if (whole % parts == 0) return whole / parts;
  throw Error::program("SHAPE_ERROR", fmt::format("{} cannot be split evenly: {} into {}", what, whole, parts));
}

// The largest number of groups up to `most` over which KV heads divide evenly.
std::int64_t groups_for(std::int64_t kv_heads, std::int64_t most) {
  std::int64_t groups = std::min(kv_heads, most);
  while (kv_heads % groups != 0) --groups;
  return groups;
}

void place_ranks(AttentionProblem& problem, const Params& params, const contract::MachineInfo& machine) {
  if (problem.panel.rank_axis == 0) {
    problem.ranks = given(params, "ranks", machine.pes_per_cube);
    if (problem.ranks != machine.pes_per_cube) {
      throw Error::program(
          "SHAPE_ERROR", fmt::format("{} ranks on the ring of a cube's {} PEs; a ring takes all of them", problem.ranks,
                                     machine.pes_per_cube));
    }
    problem.groups = groups_for(problem.kv_heads, machine.cubes_per_sip);
    return;
  }
  problem.ranks = given(params, "ranks", std::min<std::int64_t>(kCubesOfMultiUser, machine.cube_mesh_w));
  if (problem.ranks > machine.cube_mesh_w) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("{} ranks, but a row of the cube mesh has {} cubes; use at most one rank for "
                                     "each",
                                     problem.ranks, machine.cube_mesh_w));
  }
  // Further rows of the mesh begin where a full row ends.
  problem.groups = groups_for(problem.kv_heads, problem.ranks == machine.cube_mesh_w ? machine.cube_mesh_h : 1);
}

// 0 .. count - 1 cut into 2 n pieces, the first ones one longer if there is a remainder: rank r of n has pieces r and 2
// n - 1 - r.
struct Piece {
  std::int64_t first, size;
};
std::array<Piece, 2> pieces_of(std::int64_t count, std::int64_t ranks, std::int64_t rank) {
  const auto begin = [&](std::int64_t i) { return i * (count / (2 * ranks)) + std::min(i, count % (2 * ranks)); };
  const auto piece = [&](std::int64_t i) { return Piece{begin(i), begin(i + 1) - begin(i)}; };
  return {piece(rank), piece(2 * ranks - 1 - rank)};
}

using Places = std::vector<std::int64_t>;

void add_places(Places& to, std::int64_t first, std::int64_t end) {
  for (; first < end; ++first) to.push_back(first);
}

Places numbers_of(std::int64_t count, std::int64_t ranks, std::int64_t rank) {
  Places out;
  for (const Piece& piece : pieces_of(count, ranks, rank)) add_places(out, piece.first, piece.first + piece.size);
  return out;
}

void append(data::BoundedMatrix& to, const data::BoundedMatrix& more) {
  to.rows += more.rows;
  to.cols = more.cols;
  to.values.insert(to.values.end(), more.values.begin(), more.values.end());
  to.errors.insert(to.errors.end(), more.errors.begin(), more.errors.end());
}

// Rows of head `head` of a rank in a matrix with `places` rows per head.
data::BoundedMatrix head_rows(const AttentionProblem& p, const data::BoundedMatrix& matrix, std::int64_t group,
                              std::int64_t rank, std::int64_t head, std::int64_t places, const Places& which) {
  const std::int64_t first = ((group * p.ranks + rank) * p.heads + head) * places;
  data::BoundedMatrix out{0, static_cast<std::size_t>(p.d), {}, {}};
  for (const std::int64_t place : which) append(out, rows_of(matrix, static_cast<std::size_t>(first + place), 1));
  return out;
}

// Order of the ranks whose keys pass in each round of a prefill.
std::vector<std::int64_t> order_of(const AttentionProblem& p, std::int64_t rank) {
  std::vector<std::int64_t> order{rank};
  for (std::int64_t step = 1; step < p.ranks; ++step) {
    if (p.panel.rank_axis == 0) {
      order.push_back((rank - step + p.ranks) % p.ranks);
    } else {
      if (rank - step >= 0) order.push_back(rank - step);
      if (rank + step < p.ranks) order.push_back(rank + step);
    }
  }
  return order;
}

// Positions of a rank's keys that are transferred together, per round: all keys, or half a block of each of its pieces.
// A block of one key alternates between the first and the second piece.
std::vector<Places> rounds_of(const AttentionProblem& p, std::int64_t rank) {
  const auto [low, high] = pieces_of(p.context, p.ranks, rank);
  std::vector<Places> rounds(1);
  if (p.key_places() <= p.keys) {
    add_places(rounds.front(), 0, low.size + high.size);
    return rounds;
  }
  rounds.clear();
  const std::int64_t half = std::max<std::int64_t>(1, p.keys / 2), longest = pieces_of(p.context, p.ranks, 0)[0].size;
  for (std::int64_t first = 0; first < longest; first += half) {
    rounds.emplace_back();
    add_places(rounds.back(), first, std::min(first + half, low.size));
    if (p.keys == 1) rounds.emplace_back();
    add_places(rounds.back(), low.size + first, low.size + std::min(first + half, high.size));
  }
  return rounds;
}

// Consecutive blocks of a rank's keys in decode.
std::vector<Places> blocks_of(const AttentionProblem& p, std::int64_t rank) {
  const auto all = static_cast<std::int64_t>(p.keys_of(rank).size());
  std::vector<Places> blocks;
  for (std::int64_t first = 0; first < all; first += p.keys) {
    blocks.emplace_back();
    add_places(blocks.back(), first, std::min(first + p.keys, all));
  }
  return blocks;
}

struct Operands {
  data::BoundedMatrix q, k, v;
};

// Rows of a rank's head, with their attention state.
struct HeadRows {
  const AttentionProblem& p;
  const Operands& given;
  std::int64_t group, rank, head;
  std::vector<std::int64_t> numbers = p.rows_of(rank);
  data::BoundedMatrix q = head_rows(p, given.q, group, rank, head, p.row_places(), all_places());
  AttentionRows rows{p.dtype, q.rows, q.cols};

  Places all_places() const {
    Places out;
    add_places(out, 0, static_cast<std::int64_t>(numbers.size()));
    return out;
  }
  void attend(std::int64_t from, const Places& block) {
    if (block.empty() || numbers.empty()) return;
    const std::vector<std::int64_t> keys = p.keys_of(from);
    AttentionRows::Visible visible;
    if (p.causal) {
      visible = [&](std::size_t row, std::size_t key) {
        return keys[static_cast<std::size_t>(block[key])] <= p.context - p.s_q + numbers[row] / p.q_per_kv;
      };
    }
    rows.attend(q, head_rows(p, given.k, group, from, head, p.key_places(), block),
                head_rows(p, given.v, group, from, head, p.key_places(), block), visible);
  }
};

data::BoundedMatrix prefill(const AttentionProblem& p, const Operands& given, std::int64_t group, std::int64_t rank,
                            std::int64_t head) {
  HeadRows mine{p, given, group, rank, head};
  std::vector<std::vector<Places>> rounds;
  for (std::int64_t from = 0; from < p.ranks; ++from) rounds.push_back(rounds_of(p, from));
  for (std::size_t round = 0; round < rounds.front().size(); ++round) {
    for (const std::int64_t from : order_of(p, rank)) {
      mine.attend(from, rounds[static_cast<std::size_t>(from)][round]);
    }
  }
  return mine.rows.result();
}

data::BoundedMatrix decode(const AttentionProblem& p, const Operands& given, std::int64_t group, std::int64_t head) {
  std::vector<AttentionRows> parts;
  for (std::int64_t rank = 0; rank < p.ranks; ++rank) {
    HeadRows mine{p, given, group, rank, head};
    for (const Places& block : blocks_of(p, rank)) mine.attend(rank, block);
    parts.push_back(std::move(mine.rows));
  }
  return AttentionRows::merged(parts);
}

// Sets padding rows of all heads to NaN.
void spoil_unused(HostArray& array, const AttentionProblem& p, std::int64_t places,
                  const std::function<std::size_t(std::int64_t rank)>& used) {
  const std::size_t row = static_cast<std::size_t>(p.d) * item_size(p.dtype);
  std::byte* at = array.bytes().data();
  for (std::int64_t i = 0; i < p.groups * p.ranks * p.heads; ++i, at += static_cast<std::size_t>(places) * row) {
    const std::size_t full = used(i / p.heads % p.ranks) * row;
    std::memset(at + full, 0xFF, static_cast<std::size_t>(places) * row - full);
  }
}

HostArray queries(const AttentionProblem& problem, Contents contents, std::uint64_t seed) {
  const auto make = [&](const Shape& shape) {
    return contents == Contents::real ? HostArray::random(shape, problem.dtype, seed)
                                      : whole_numbers(shape, problem.dtype, seed, 1);
  };
  if (problem.panel.prefill) return make(problem.q_shape());
  const HostArray one = make({problem.groups * problem.heads * problem.row_places(), problem.d});
  HostArray all(problem.q_shape(), problem.dtype);
  const auto part =
      static_cast<std::size_t>(problem.heads * problem.row_places() * problem.d) * item_size(problem.dtype);
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem.groups * problem.ranks); ++i) {
    const std::size_t group = i / static_cast<std::size_t>(problem.ranks);
    std::memcpy(all.bytes().data() + i * part, one.bytes().data() + group * part, part);
  }
  return all;
}

}  // namespace

const std::vector<AttentionPanel>& attention_panels() {
  static const std::vector<AttentionPanel> kPanels{
      {"single_user_prefill", "attention_mesh_kv", true, 0, WiringPreset::intracube_ring},
      {"multi_user_prefill", "attention_mesh_kv", true, 1, WiringPreset::intercube_multisip},
      {"single_user_decode", "attention_mesh_mlo", false, 0, WiringPreset::intracube_ring},
      {"multi_user_decode", "attention_mesh_mlo", false, 1, WiringPreset::intercube_multisip},
  };
  return kPanels;
}

const AttentionPanel& find_attention_panel(const std::string& name) {
  for (const AttentionPanel& panel : attention_panels()) {
    if (panel.name == name) return panel;
  }
  throw Error::model("no attention panel '" + name + "'");
}

std::vector<std::int64_t> AttentionProblem::rows_of(std::int64_t rank) const {
  const std::int64_t all = s_q * q_per_kv;
  return panel.prefill ? numbers_of(all, ranks, rank) : numbers_of(all, 1, 0);
}

std::vector<std::int64_t> AttentionProblem::keys_of(std::int64_t rank) const {
  return numbers_of(context, ranks, rank);
}

std::int64_t AttentionProblem::row_places() const {
  return panel.prefill ? (s_q * q_per_kv + ranks - 1) / ranks : s_q * q_per_kv;
}

std::int64_t AttentionProblem::key_places() const {
  return (context + ranks - 1) / ranks;
}

std::int64_t AttentionProblem::largest_message() const {
  if (panel.prefill) return std::min(keys, key_places()) * d * static_cast<std::int64_t>(item_size(dtype));
  return std::min(rows, row_places()) * (d + 2) * static_cast<std::int64_t>(item_size(Dtype::f32));
}

void AttentionProblem::take_blocks_of(std::int64_t keys_of_a_slot) {
  keys = std::max<std::int64_t>(1, keys_of_a_slot);
  if (keys < key_places() && keys >= 2 * kArraySize) keys -= keys % (2 * kArraySize);
}

DPPolicy AttentionProblem::placement() const {
  DPPolicy policy;
  policy.cube = policy.pe = Split::row_wise;
  const bool in_cube = panel.rank_axis == 0;
  policy.num_cubes = static_cast<int>(in_cube ? groups : groups * ranks);
  policy.num_pes = static_cast<int>(in_cube ? ranks : 1);
  return policy;
}

AttentionProblem attention_problem(const Params& params, const contract::MachineInfo& machine) {
  const Scale& scale = params.text("scale") == "headline" ? kHeadline : kValidation;
  AttentionProblem p;
  p.panel = find_attention_panel(params.text("panel"));
  p.dtype = params.dtype("dtype");
  p.q_heads = given(params, "q_heads", scale.q_heads);
  p.kv_heads = given(params, "kv_heads", scale.kv_heads);
  p.d = given(params, "head_dim", scale.d);
  p.context = given(params, "context", scale.context);
  place_ranks(p, params, machine);
  p.heads = p.kv_heads / p.groups;
  p.s_q = given(params, "s_q", p.panel.prefill ? kPrefillTokens : 1);
  if (const std::int64_t per_cube = params.integer("queries_per_cube"); per_cube > 0) {
    p.s_q = p.panel.prefill && p.panel.rank_axis == 1
                ? checked_product("s_q = queries_per_cube x ranks", {per_cube, p.ranks})
                : per_cube;
  }
  p.q_per_kv = divide(p.q_heads, p.kv_heads, "the query heads over the KV heads");
  p.causal = params.text("causal") == "true";
  if (p.causal && p.s_q > p.context) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("{} causal query tokens are the last ones of a context of at least as many keys, "
                                     "which has {}; use causal=false",
                                     p.s_q, p.context));
  }
  checked_product("rows of Q = s_q x query heads of a K/V head", {p.s_q, p.q_per_kv});
  checked_product("rows of Q = ranks x K/V heads x rows of a rank", {p.groups, p.ranks, p.heads, p.row_places()});
  checked_product("rows of K = ranks x K/V heads x keys of a rank", {p.groups, p.ranks, p.heads, p.key_places()});
  p.rows = std::clamp(kPieceElements / p.d / kArraySize * kArraySize, kArraySize, kPieceRows);
  const std::int64_t asked = params.integer("keys"), row_bytes = p.d * static_cast<std::int64_t>(item_size(p.dtype));
  p.keys = asked > 0 ? asked
                     : std::max<std::int64_t>(kArraySize, (p.panel.prefill ? kPrefillBlock : kDecodeBlock) / row_bytes);
  return p;
}

AttentionContents attention_contents(const AttentionProblem& problem, Contents contents, std::uint64_t seed) {
  AttentionContents out;
  out.q = queries(problem, contents, seed);
  if (contents == Contents::real) {
    out.k = HostArray::random(problem.k_shape(), problem.dtype, seed + 1);
    out.v = HostArray::random(problem.k_shape(), problem.dtype, seed + 2);
  } else {
    const auto terms = static_cast<std::int64_t>(std::log(2.0) * std::sqrt(static_cast<double>(problem.d)));
    out.k = sparse_rows(problem.k_shape(), problem.dtype, seed + 1, std::max<std::int64_t>(1, terms));
    out.v = whole_numbers(problem.k_shape(), problem.dtype, seed + 2, 4);
  }
  spoil_unused(out.q, problem, problem.row_places(), [&](std::int64_t rank) { return problem.rows_of(rank).size(); });
  for (HostArray* keys : {&out.k, &out.v}) {
    spoil_unused(*keys, problem, problem.key_places(), [&](std::int64_t rank) { return problem.keys_of(rank).size(); });
  }
  return out;
}

data::VerificationRow attention_row(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks,
                                    const AttentionContents& given, const HostArray& actual) {
  const Operands operands{exact_values(given.q), exact_values(given.k), exact_values(given.v)};
  data::BoundedMatrix expected;
  for (std::int64_t group = 0; group < problem.groups; ++group) {
    std::vector<data::BoundedMatrix> of_heads;  // the same for all ranks of a decode
    for (std::int64_t head = 0; head < problem.heads && !problem.panel.prefill; ++head) {
      of_heads.push_back(decode(problem, operands, group, head));
    }
    for (const std::int64_t rank : ranks) {
      for (std::int64_t head = 0; head < problem.heads; ++head) {
        append(expected, problem.panel.prefill ? prefill(problem, operands, group, rank, head)
                                               : of_heads[static_cast<std::size_t>(head)]);
      }
    }
  }
  return bounded_row("O", actual, std::move(expected), {attention_rounding()});
}

HostArray rows_of_ranks(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks, const HostArray& o) {
  const std::size_t row = static_cast<std::size_t>(problem.d) * item_size(problem.dtype);
  const auto places = static_cast<std::size_t>(problem.row_places());
  std::vector<std::byte> bytes;
  for (std::int64_t group = 0; group < problem.groups; ++group) {
    for (const std::int64_t rank : ranks) {
      const std::size_t rows = problem.rows_of(rank).size();
      for (std::int64_t head = 0; head < problem.heads; ++head) {
        const auto at = static_cast<std::size_t>((group * problem.ranks + rank) * problem.heads + head) * places;
        const std::byte* from = o.bytes().data() + at * row;
        bytes.insert(bytes.end(), from, from + rows * row);
      }
    }
  }
  HostArray out({static_cast<std::int64_t>(bytes.size() / row), problem.d}, problem.dtype);
  std::memcpy(out.bytes().data(), bytes.data(), bytes.size());
  return out;
}

}  // namespace kb::sw
