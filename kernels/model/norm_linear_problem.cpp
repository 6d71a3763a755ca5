#include "kernels/model/norm_linear_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "kernels/model/output_tiles.h"
#include "kernels/model/partial_sums.h"
#include "kernels/model/weight_stream.h"
#include "kernels/tl/tl.h"
#include "platform/contract/norm_linear.h"
#include "platform/contract/tensor_layout.h"

namespace kb::kernels {

using tl::Context;
using tl::Ptr;

namespace {

constexpr std::int64_t kShortRows = std::int64_t{64} * 1024;  // bytes of rows

ColumnTiles tiles_or_none(Context& tl, const std::optional<Ptr>& tensor) {
  return tensor ? ColumnTiles(tl, *tensor) : ColumnTiles();
}

std::string shapes(const std::optional<Ptr>& a, Ptr b) {
  return fmt::format("{} and {}", shape_text(*a), shape_text(b));
}

void check_dtypes(Context& tl, const NormLinearArguments& args) {
  const Dtype dtype = args.w.dtype();
  bool same = is_float(dtype) && !is_storage(dtype) && args.y.dtype() == dtype;
  for (const auto& tensor : {args.residual, args.x, args.residual_out, args.gamma, args.w2, args.bias}) {
    same = same && (!tensor || tensor->dtype() == dtype);
  }
  tl.require(same, "all tensors but partials and rows must be of one dtype: f16, bf16 or f32");
  tl.require(args.partials.dtype() == Dtype::f32,
             fmt::format("{} must be f32, for partial sums", shape_text(args.partials)));
}

void check_shapes(Context& tl, const NormLinearArguments& args) {
  tl.require(args.residual || args.x, "x or residual must be given");
  const Ptr input = args.residual ? *args.residual : *args.x;
  tl.require_matrices({input, args.w, args.y, args.partials});
  for (const auto& tensor : {args.x, args.residual_out, args.gamma, args.w2, args.bias, args.rows}) {
    if (tensor) tl.require_matrices({*tensor});
  }
  const std::int64_t k = input.shape()[1], n = args.w.shape()[0];
  tl.require(args.w.shape()[1] == k && args.y.shape()[1] == n,
             fmt::format("{} times the transpose of {} does not give {}", shape_text(input), shape_text(args.w),
                         shape_text(args.y)));
  for (const auto& tensor : {args.x, args.residual_out}) {
    if (tensor) tl.require(tensor->shape() == input.shape(), shapes(tensor, input) + " must have one shape");
  }
  if (args.w2) tl.require(args.w2->shape() == args.w.shape(), shapes(args.w2, args.w) + " must have one shape");
  if (args.gamma) {
    tl.require(args.gamma->shape() == Shape{1, k},
               fmt::format("{} must be (1, {}), like a row of {}", shape_text(*args.gamma), k, shape_text(input)));
  }
  tl.require(args.gamma || !args.eps, "eps is of the norm, which needs gamma");
  tl.require(args.eps.value_or(0) >= 0, "eps is at least 0");
  if (args.bias) {
    tl.require(!args.w2, "bias and w2 exclude each other");
    tl.require(args.bias->shape() == Shape{1, n},
               fmt::format("{} must be (1, {}), like a row of {}", shape_text(*args.bias), n, shape_text(args.y)));
  }
  if (args.rows) {
    tl.require(!args.residual_out, "residual_out has all rows; leave it away with rows");
    tl.require(
        args.rows->shape() == Shape{1, args.y.shape()[0]} && !is_float(args.rows->dtype()) && args.rows->row_major(),
        fmt::format("{} must be (1, {}) integers, one for each row of {}", shape_text(*args.rows), args.y.shape()[0],
                    shape_text(args.y)));
  } else {
    tl.require(args.y.shape()[0] == input.shape()[0],
               fmt::format("{} and {} must have the same rows", shape_text(input), shape_text(args.y)));
  }
}

// The shards of W in a cube, in the order of their columns.
struct CubePart {
  CubeId cube;
  std::vector<const contract::Shard*> shards;
  Range outputs;
};

std::vector<CubePart> cube_parts(const contract::TensorLayout& w, SipId sip, std::int64_t k) {
  std::vector<CubePart> out;
  for (const contract::Shard& shard : w.shards) {
    if (shard.owner.sip != sip) continue;
    auto part = std::find_if(out.begin(), out.end(), [&](const CubePart& its) { return its.cube == shard.owner.cube; });
    if (part == out.end()) part = out.insert(out.end(), {shard.owner.cube, {}, {}});
    part->shards.push_back(&shard);
  }
  const auto row = k * static_cast<std::int64_t>(item_size(w.dtype));
  for (CubePart& part : out) {
    std::int64_t bytes = 0;
    for (const contract::Shard* shard : part.shards) bytes += static_cast<std::int64_t>(shard->nbytes);
    part.outputs = {static_cast<std::int64_t>(part.shards.front()->offset_bytes) / row, bytes / row};
  }
  return out;
}

// The parts of W and W2 in another cube; a PE without weights needs none.
WeightSource source_of(const NormLinearArguments& args, const CubePart& part, std::int64_t first,
                       const NormLinear& problem) {
  WeightSource source{{first, part.outputs.size}, {}};
  if (problem.rank < 0) return source;
  const contract::Shard& shard = *part.shards[static_cast<std::size_t>(problem.rank)];
  const std::int64_t at =
      static_cast<std::int64_t>(shard.offset_bytes) / static_cast<std::int64_t>(item_size(args.w.dtype()));
  source.gates.push_back(args.w + at);
  if (args.w2) source.gates.push_back(*args.w2 + at);
  return source;
}

bool alike(const contract::TensorLayout& w, const CubePart& a, const CubePart& b) {
  return std::equal(a.shards.begin(), a.shards.end(), b.shards.begin(), b.shards.end(),
                    [&](const contract::Shard* one, const contract::Shard* other) {
                      return w.shape_of(*one)[1] == w.shape_of(*other)[1];
                    });
}

// Finds the cubes that share rows with this one: neighbours whose PEs have the same columns of W.
void find_sharing(Context& tl, const NormLinearArguments& args, NormLinear& problem) {
  const contract::TensorLayout& w = args.w.tensor();
  const PeCoord me = tl.info().coord;
  const std::vector<CubePart> parts = cube_parts(w, me.sip, problem.k);
  const auto own = std::find_if(parts.begin(), parts.end(), [&](const CubePart& its) { return its.cube == me.cube; });
  contract::NormLinearShape shape;
  shape.rows = problem.height;
  shape.outputs = args.w.shape()[0];
  shape.gates = problem.gates;
  shape.cubes = static_cast<std::int64_t>(parts.size());
  shape.stores_copy = args.residual_out.has_value();
  shape.row_bytes = problem.deepest * problem.item();
  const std::int64_t count = shape.sharing_cubes(), index = own - parts.begin(), begin = index / count * count;
  const std::vector<CubePart> group(parts.begin() + begin, parts.begin() + begin + count);
  const std::int64_t first = group.front().outputs.first;
  std::int64_t outputs = 0;
  std::vector<WeightSource> sources;
  for (const CubePart& part : group) {
    if (part.outputs.first != first + outputs || !alike(w, *own, part)) {
      problem.sources = {source_of(args, *own, 0, problem)};
      return;
    }
    sources.push_back(source_of(args, part, outputs, problem));
    outputs += part.outputs.size;
  }
  problem.outputs = {first, outputs};
  problem.sharing = {index - begin, count};
  problem.sources = std::move(sources);
}

// Finds the parts of W in this cube, in the order of their columns.
void find_members(Context& tl, const NormLinearArguments& args, NormLinear& problem) {
  const contract::TensorLayout& w = args.w.tensor();
  const contract::TensorLayout& partials = args.partials.tensor();
  const PeCoord me = tl.info().coord;
  const auto item = static_cast<std::int64_t>(item_size(w.dtype));
  const tl::LocalShard cube = tl.cube_shard(args.w);
  if (cube.elements == 0) return;
  problem.outputs = {cube.first / problem.k, cube.elements / problem.k};
  const auto refuse = [&](Ptr tensor, const char* layout) {
    tl.fail(fmt::format("{} must be split {}", shape_text(tensor), layout));
  };
  std::set<std::int64_t> apart;
  for (const contract::Shard& shard : w.shards) {
    if (shard.owner.sip != me.sip || shard.owner.cube != me.cube) continue;
    const Shape& shape = w.shape_of(shard);
    const std::int64_t first = static_cast<std::int64_t>(shard.offset_bytes) / item - cube.first;
    if (shape[0] != problem.outputs.size || cube.elements % problem.k != 0 || first % shape[0] != 0) {
      refuse(args.w, "by rows over cubes and by columns over PEs");
    }
    if (shard.owner == me) {
      problem.rank = problem.members();
      problem.depth = {first / shape[0], shape[1]};
    }
    problem.parts.push_back({first / shape[0], shape[1]});
    problem.deepest = std::max(problem.deepest, shape[1]);
    const auto room = std::find_if(partials.shards.begin(), partials.shards.end(),
                                   [&](const contract::Shard& part) { return part.owner == shard.owner; });
    if (room == partials.shards.end() || !apart.insert(static_cast<std::int64_t>(room->offset_bytes)).second) {
      refuse(args.partials, "by rows over cubes and PEs, a row each");
    }
    const std::int64_t elements = static_cast<std::int64_t>(room->nbytes) / 4;
    problem.section_room = problem.sections.empty() ? elements : std::min(problem.section_room, elements);
    problem.sections.push_back(static_cast<std::int64_t>(room->offset_bytes) / 4);
  }
  const tl::LocalShard out = tl.cube_shard(args.y);
  if (out.first != problem.outputs.first * problem.height || out.elements != problem.outputs.size * problem.height) {
    refuse(args.y, "by columns over cubes, as W is by rows");
  }
  if (args.w2) {
    const tl::LocalShard one = tl.shard(args.w), two = tl.shard(*args.w2);
    if (two.first != one.first || two.shape != one.shape) refuse(*args.w2, "as W is");
  }
}

// Rows that are computed together. W that stays in scratch makes more of them useful only while they are short: the
// first ones arrive before anything is computed.
std::int64_t most_rows(const NormLinear& problem, std::int64_t scratch) {
  const std::int64_t weights = problem.gates * problem.outputs.size * problem.deepest * problem.item();
  const bool resident = problem.scratch_needed(kArrayRows) + weights <= scratch;
  const std::int64_t row = problem.deepest * problem.item();
  const std::int64_t most = contract::kNormLinearRows;
  return std::min(problem.tokens(),
                  resident ? std::clamp(kShortRows / row / kArrayRows * kArrayRows, most / 2, most) : most);
}

void choose_sizes(Context& tl, const NormLinearArguments& args, NormLinear& problem) {
  const std::int64_t scratch = static_cast<std::int64_t>(tl.info().scratch_bytes);
  problem.chunks = weight_chunks(problem);
  for (const WeightChunk& chunk : problem.chunks) {
    problem.chunk_outputs = std::max(problem.chunk_outputs, chunk.outputs.size);
  }
  const std::int64_t blocks_of_w = WeightStream::kFewest * problem.chunk_outputs * problem.deepest * problem.item();
  std::int64_t rows = most_rows(problem, scratch);
  const auto fits = [&] {
    return problem.partials_needed(rows) <= problem.section_room &&
           problem.scratch_needed(rows) + blocks_of_w <= scratch;
  };
  while (rows > 1 && !fits()) rows = rows > kArrayRows ? (rows - 1) / kArrayRows * kArrayRows : rows / 2;
  tl.require(
      problem.partials_needed(rows) <= problem.section_room,
      fmt::format("{} has {} elements for each PE; {} are needed for one row of {} at a time",
                  shape_text(args.partials), problem.section_room, problem.partials_needed(1), shape_text(args.y)));
  tl.require(fits(), fmt::format("{} columns of {} in one PE leave no room in scratch for blocks of it",
                                 problem.deepest, shape_text(args.w)));
  problem.block_rows = rows;
  if (!problem.norm() && problem.residual.null() && problem.residual_out.null()) {
    const bool resident = problem.gates * problem.outputs.size * problem.deepest * problem.item() <=
                          scratch - problem.scratch_needed(rows);
    problem.grid = choose_output_grid(tl, problem, resident);
  }
  if (problem.rank < 0) return;
  const std::int64_t ahead = problem.sharing.first * problem.members() / problem.sharing.size;
  problem.last = (problem.rank + ahead) % problem.members();
  problem.origin = problem.share(problem.last).end() % problem.outputs.size;
}

std::vector<std::int64_t> row_numbers(Context& tl, const NormLinearArguments& args, std::int64_t height) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(args.y.shape()[0]));
  if (!args.rows) {
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  const tl::Scratch scope(tl);
  numbers = tl.load(*args.rows, args.rows->shape()).read<std::int64_t>();
  for (const std::int64_t row : numbers) {
    tl.require(row >= 0 && row < height,
               fmt::format("{} names row {}; there are rows 0 to {}", shape_text(*args.rows), row, height - 1));
  }
  return numbers;
}

// The rows of y are dealt to the PEs of a cube. Blocks have rows of all of them, so that no slice is used more than
// others.
void mix_rows(NormLinear& problem) {
  const std::int64_t pes = std::max<std::int64_t>(1, problem.members());
  const std::int64_t blocks = problem.tiles() ? 1 : problem.blocks();
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (std::int64_t pe = 0; pe < pes; ++pe) {
      const Range own = problem.rows_at(pe), share = part_of(own.size, block, blocks);
      for (std::int64_t i = 0; i < share.size; ++i) problem.order.push_back(own.first + share.first + i);
    }
  }
  std::vector<std::int64_t> rows;
  for (const std::int64_t row : problem.order) rows.push_back(problem.rows[static_cast<std::size_t>(row)]);
  problem.rows = std::move(rows);
}

}  // namespace

std::int64_t NormLinear::tokens() const {
  std::int64_t sum = 0;
  for (std::int64_t pe = 0; pe < std::max<std::int64_t>(1, members()); ++pe) sum += rows_at(pe).size;
  return sum;
}

const WeightSource& NormLinear::source(std::int64_t output) const {
  return *std::find_if(sources.begin(), sources.end(),
                       [&](const WeightSource& one) { return output < one.outputs.end(); });
}

Range NormLinear::block(std::int64_t index) const {
  const std::int64_t first = index * block_rows;
  return {first, std::min(block_rows, tokens() - first)};
}

std::int64_t NormLinear::scratch_needed(std::int64_t rows_at_once) const {
  constexpr std::int64_t kSpare = std::int64_t{8} * 1024;  // alignment, numbers of single rows
  const std::int64_t sets = rows_at_once < tokens() ? 2 : 1, buffers = two_buffers() ? 2 : 1;
  const std::int64_t inputs = (sets * buffers * rows_at_once + (norm() ? 1 : 0)) * deepest * item();
  return inputs + PartialSums::scratch_needed(*this, rows_at_once) + kSpare;
}

std::int64_t NormLinear::partials_needed(std::int64_t rows_at_once) const {
  const std::int64_t halves = rows_at_once < tokens() ? 2 : 1;
  const std::int64_t lines = gates * Context::cdiv(outputs.size, members()) + (norm() ? 1 : 0);
  return halves * members() * lines * rows_at_once;
}

NormLinear norm_linear_problem(Context& tl, const NormLinearArguments& args) {
  check_shapes(tl, args);
  check_dtypes(tl, args);
  NormLinear problem;
  problem.dtype = args.w.dtype();
  problem.k = args.w.shape()[1];
  problem.eps = args.eps.value_or(1e-5);
  problem.partials = args.partials;
  problem.gates = args.w2 ? 2 : 1;
  problem.residual = tiles_or_none(tl, args.residual);
  problem.x = tiles_or_none(tl, args.x);
  problem.residual_out = tiles_or_none(tl, args.residual_out);
  problem.gamma = tiles_or_none(tl, args.gamma);
  problem.bias = tiles_or_none(tl, args.bias);
  problem.y = ColumnTiles(tl, args.y);
  problem.height = args.y.shape()[0];
  find_members(tl, args, problem);
  if (problem.members() > 0) find_sharing(tl, args, problem);
  problem.rows = row_numbers(tl, args, args.residual ? args.residual->shape()[0] : args.x->shape()[0]);
  if (args.residual_out) {
    const tl::LocalShard own = tl.shard(*args.residual_out);
    const Range columns = own.elements == 0 ? Range{} : Range{own.first / args.residual_out->shape()[0], own.shape[1]};
    if (problem.rank < 0) problem.depth = columns;
    tl.require(
        columns.first == problem.depth.first && columns.size == problem.depth.size,
        fmt::format("{} must have a copy for each cube, split by columns as W is", shape_text(*args.residual_out)));
    problem.deepest = std::max(problem.deepest, columns.size);
  }
  if (problem.members() > 0) {
    choose_sizes(tl, args, problem);
  } else {
    problem.block_rows = std::min<std::int64_t>(problem.tokens(), 32);
  }
  mix_rows(problem);
  return problem;
}

}  // namespace kb::kernels
