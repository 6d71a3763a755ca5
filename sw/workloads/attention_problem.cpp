#include "sw/workloads/attention_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

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

std::int64_t given(const Params& params, const char* name, std::int64_t otherwise) {
  const std::int64_t value = params.integer(name);
  return value > 0 ? value : otherwise;
}

std::int64_t divide(std::int64_t whole, std::int64_t parts, const std::string& what) {
  if (whole % parts == 0) return whole / parts;
  throw Error::program("SHAPE_ERROR", fmt::format("{} cannot be split evenly: {} into {}", what, whole, parts));
}

// The largest number of groups up to `most` that share the KV heads evenly.
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

// Rows of head `head` of a rank, of a matrix with `rows` for each head.
data::BoundedMatrix head_rows(const AttentionProblem& p, const data::BoundedMatrix& matrix, std::int64_t group,
                              std::int64_t rank, std::int64_t head, std::int64_t rows) {
  return rows_of(matrix, static_cast<std::size_t>(((group * p.ranks + rank) * p.heads + head) * rows),
                 static_cast<std::size_t>(rows));
}

// Ranks whose keys come by, in this order, in each round of a prefill.
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

struct Operands {
  data::BoundedMatrix q, k, v;
};

data::BoundedMatrix prefill(const AttentionProblem& p, const Operands& given, std::int64_t group, std::int64_t rank,
                            std::int64_t head, std::int64_t keys_of_round) {
  const data::BoundedMatrix q = head_rows(p, given.q, group, rank, head, p.rows);
  AttentionRows rows(p.dtype, q.rows, q.cols);
  for (std::int64_t first = 0; first < p.keys; first += keys_of_round) {
    for (const std::int64_t from : order_of(p, rank)) {
      const auto block = [&](const data::BoundedMatrix& matrix) {
        return rows_of(head_rows(p, matrix, group, from, head, p.keys), static_cast<std::size_t>(first),
                       static_cast<std::size_t>(std::min(keys_of_round, p.keys - first)));
      };
      rows.attend(q, block(given.k), block(given.v));
    }
  }
  return rows.result();
}

data::BoundedMatrix decode(const AttentionProblem& p, const Operands& given, std::int64_t group, std::int64_t head) {
  std::vector<AttentionRows> parts;
  for (std::int64_t rank = 0; rank < p.ranks; ++rank) {
    const data::BoundedMatrix q = head_rows(p, given.q, group, rank, head, p.rows);
    parts.emplace_back(p.dtype, q.rows, q.cols);
    parts.back().attend(q, head_rows(p, given.k, group, rank, head, p.keys),
                        head_rows(p, given.v, group, rank, head, p.keys));
  }
  return AttentionRows::merged(parts);
}

void append(data::BoundedMatrix& to, const data::BoundedMatrix& more) {
  to.rows += more.rows;
  to.cols = more.cols;
  to.values.insert(to.values.end(), more.values.begin(), more.values.end());
  to.errors.insert(to.errors.end(), more.errors.begin(), more.errors.end());
}

HostArray queries(const AttentionProblem& problem, Contents contents, std::uint64_t seed) {
  const auto make = [&](const Shape& shape) {
    return contents == Contents::real ? HostArray::random(shape, problem.dtype, seed)
                                      : whole_numbers(shape, problem.dtype, seed, 1);
  };
  if (problem.panel.prefill) return make(problem.q_shape());
  const HostArray one = make({problem.groups * problem.heads * problem.rows, problem.d});
  HostArray all(problem.q_shape(), problem.dtype);
  const auto part = static_cast<std::size_t>(problem.heads * problem.rows * problem.d) * item_size(problem.dtype);
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
  const std::int64_t shared = divide(p.q_heads, p.kv_heads, "the query heads over the KV heads");
  const std::int64_t rows = checked_product("s_q x query heads of a K/V head", {p.s_q, shared});
  p.rows = p.panel.prefill ? divide(rows, p.ranks, "the query rows of a KV head over its ranks") : rows;
  p.keys = divide(p.context, p.ranks, "the context over the ranks of a KV head");
  checked_product("rows of Q = ranks x K/V heads x rows of a rank", {p.groups, p.ranks, p.heads, p.rows});
  checked_product("rows of K = K/V heads x context", {p.kv_heads, p.context});
  return p;
}

AttentionContents attention_contents(const AttentionProblem& problem, Contents contents, std::uint64_t seed) {
  AttentionContents out;
  out.q = queries(problem, contents, seed);
  if (contents == Contents::real) {
    out.k = HostArray::random(problem.k_shape(), problem.dtype, seed + 1);
    out.v = HostArray::random(problem.k_shape(), problem.dtype, seed + 2);
    return out;
  }
  const auto terms = static_cast<std::int64_t>(std::log(2.0) * std::sqrt(static_cast<double>(problem.d)));
  out.k = sparse_rows(problem.k_shape(), problem.dtype, seed + 1, std::max<std::int64_t>(1, terms));
  out.v = whole_numbers(problem.k_shape(), problem.dtype, seed + 2, 4);
  return out;
}

data::VerificationRow attention_row(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks,
                                    std::int64_t slot_bytes, const AttentionContents& given, const HostArray& actual) {
  const Operands operands{exact_values(given.q), exact_values(given.k), exact_values(given.v)};
  const std::int64_t round = slot_bytes / (problem.d * static_cast<std::int64_t>(item_size(problem.dtype)));
  data::BoundedMatrix expected;
  for (std::int64_t group = 0; group < problem.groups; ++group) {
    std::vector<data::BoundedMatrix> of_heads;  // the same for every rank of a decode
    for (std::int64_t head = 0; head < problem.heads && !problem.panel.prefill; ++head) {
      of_heads.push_back(decode(problem, operands, group, head));
    }
    for (const std::int64_t rank : ranks) {
      for (std::int64_t head = 0; head < problem.heads; ++head) {
        append(expected, problem.panel.prefill ? prefill(problem, operands, group, rank, head, round)
                                               : of_heads[static_cast<std::size_t>(head)]);
      }
    }
  }
  return bounded_row("O", actual, std::move(expected), {attention_rounding()});
}

HostArray rows_of_ranks(const AttentionProblem& problem, const std::vector<std::int64_t>& ranks, const HostArray& o) {
  const std::int64_t rows = problem.heads * problem.rows;
  HostArray out({problem.groups * static_cast<std::int64_t>(ranks.size()) * rows, problem.d}, problem.dtype);
  const auto part = static_cast<std::size_t>(rows * problem.d) * item_size(problem.dtype);
  std::byte* to = out.bytes().data();
  for (std::int64_t group = 0; group < problem.groups; ++group) {
    for (const std::int64_t rank : ranks) {
      std::memcpy(to, o.bytes().data() + static_cast<std::size_t>(group * problem.ranks + rank) * part, part);
      to += part;
    }
  }
  return out;
}

}  // namespace kb::sw
