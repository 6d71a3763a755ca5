#include "kernels/model/output_tiles.h"

#include <algorithm>
#include <cmath>

#include "kernels/tl/tl.h"

namespace kb::kernels {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

namespace {

constexpr std::int64_t kLoad = std::int64_t{64} * 1024;   // bytes of W that are loaded together
constexpr std::int64_t kStore = std::int64_t{64} * 1024;  // bytes of y that are stored together
constexpr std::int64_t kFewestLoads = 3, kMostLoads = 8;  // of W in scratch
constexpr std::int64_t kUnused = std::int64_t{8} * 1024;  // bytes: alignment, numbers of single rows
constexpr double kWorthwhile = 7.0 / 8;                   // of the time of the other way

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return Context::cdiv(value, unit) * unit;
}

// How many times as long as from the own slice a PE waits for x, which comes from all cubes: on a mesh of C cubes half
// of it crosses the sqrt(C) links in the middle. 11 were measured with 16 cubes, whose PEs use few of the connections.
double distance_of_x(const Context& tl) {
  const double cubes = tl.info().cubes_per_sip;
  return cubes == 1 ? 1 : 2.75 * std::sqrt(cubes);
}

// Outputs of W that are loaded together.
std::int64_t outputs_per_load(const NormLinear& problem, const OutputGrid& grid) {
  const std::int64_t outputs = kLoad / (grid.columns * problem.item()) / kArrayRows * kArrayRows;
  return std::min(grid.outputs, std::max(kArrayRows, outputs));
}

std::int64_t outputs_per_store(const NormLinear& problem, const OutputGrid& grid) {
  const std::int64_t outputs = kStore / (grid.rows * problem.item()) / kArrayRows * kArrayRows;
  return std::min(grid.outputs, std::max(kArrayRows, outputs));
}

// Bytes of scratch besides W.
std::int64_t bytes_in_use(const NormLinear& problem, const OutputGrid& grid) {
  const std::int64_t sums = problem.gates * grid.outputs * grid.rows * 4;
  const std::int64_t x = 2 * grid.rows * grid.columns * problem.item();
  const std::int64_t out = 2 * outputs_per_store(problem, grid) * grid.rows * problem.item();
  return sums + x + out + grid.outputs * problem.item() + kUnused;
}

std::int64_t bytes_of_load(const NormLinear& problem, const OutputGrid& grid) {
  return outputs_per_load(problem, grid) * grid.columns * problem.item();
}

// Time of a PE, ns: its transfers and its products, each padded to the array, one after the other.
double duration(const Context& tl, const NormLinear& problem, double bytes, std::int64_t rows, std::int64_t outputs,
                std::int64_t depth) {
  const contract::PeRates& rates = tl.info().rates;
  const double macs = static_cast<double>(rows) * static_cast<double>(problem.gates * outputs) *
                      static_cast<double>(round_up(depth, kArrayDepth));
  return bytes / rates.memory_bytes_per_ns + macs / rates.macs_per_ns;
}

// The same when the PEs divide the inputs: a PE reads its columns of x, its part of W once or for every block of rows,
// and sends and receives partial sums.
double duration_of_divided_inputs(const Context& tl, const NormLinear& problem, bool resident) {
  const auto depth = static_cast<double>(problem.deepest), rows = static_cast<double>(problem.tokens());
  const auto outputs = static_cast<double>(problem.gates * problem.outputs.size);
  const auto item = static_cast<double>(problem.item());
  const double passes = resident ? 1 : static_cast<double>(problem.blocks());
  const double bytes = item * depth * (distance_of_x(tl) * rows + passes * outputs) + 2 * 4 * rows * outputs;
  return duration(tl, problem, bytes, round_up(problem.tokens(), kArrayRows),
                  round_up(problem.outputs.size, kArrayRows), problem.deepest);
}

double duration_of_grid(const Context& tl, const NormLinear& problem, const OutputGrid& grid) {
  const std::int64_t rows = Context::cdiv(problem.tokens(), grid.row_parts);
  const std::int64_t outputs = Context::cdiv(problem.outputs.size, grid.column_parts);
  const std::int64_t tiles_down = Context::cdiv(rows, grid.rows), tiles_across = Context::cdiv(outputs, grid.outputs);
  const std::int64_t adjacent = grid.columns < problem.deepest ? grid.columns * problem.item() : 0;
  const auto stripe = static_cast<double>(tl.info().rates.stripe_bytes);
  const double conflicts = adjacent == 0 ? 1 : std::max(1.0, stripe / static_cast<double>(adjacent));
  const double bytes = static_cast<double>(problem.k * problem.item()) *
                       (distance_of_x(tl) * static_cast<double>(rows * tiles_across) +
                        conflicts * static_cast<double>(problem.gates * outputs * tiles_down));
  return duration(tl, problem, bytes, round_up(std::min(rows, grid.rows), kArrayRows) * tiles_down,
                  round_up(std::min(outputs, grid.outputs), kArrayRows) * tiles_across, problem.k);
}

Range cut(const Range& all, std::int64_t index, std::int64_t size) {
  return {all.first + index * size, std::min(size, all.size - index * size)};
}

}  // namespace

OutputGrid choose_output_grid(const Context& tl, const NormLinear& problem, bool resident) {
  OutputGrid best;
  double shortest = kWorthwhile * duration_of_divided_inputs(tl, problem, resident);
  const auto scratch = static_cast<std::int64_t>(tl.info().scratch_bytes);
  const auto fits = [&](const OutputGrid& grid) {
    return bytes_in_use(problem, grid) + kFewestLoads * bytes_of_load(problem, grid) <= scratch;
  };
  const auto consider = [&](OutputGrid grid) {
    const std::int64_t rows = Context::cdiv(problem.tokens(), grid.row_parts);
    std::int64_t tiles = 1;
    for (; !fits(grid) && grid.rows > kArrayRows; ++tiles) grid.rows = round_up(Context::cdiv(rows, tiles), kArrayRows);
    const double time = duration_of_grid(tl, problem, grid);
    if (!fits(grid) || time > shortest || (time == shortest && grid.row_parts == best.row_parts)) return;
    shortest = time;
    best = grid;
  };
  for (std::int64_t row_parts = 1; row_parts <= problem.members(); ++row_parts) {
    if (problem.members() % row_parts != 0) continue;
    const std::int64_t column_parts = problem.members() / row_parts;
    const std::int64_t rows = Context::cdiv(problem.tokens(), row_parts);
    const std::int64_t outputs = Context::cdiv(problem.outputs.size, column_parts);
    for (std::int64_t columns = problem.deepest; columns > 0; columns = columns > kArrayDepth ? columns / 2 : 0) {
      for (std::int64_t tiles = 1; tiles <= Context::cdiv(outputs, kArrayRows); ++tiles) {
        const std::int64_t wide = std::min(outputs, round_up(Context::cdiv(outputs, tiles), kArrayRows));
        consider({row_parts, column_parts, round_up(rows, kArrayRows), wide, columns});
      }
    }
  }
  return best;
}

OutputTiles::OutputTiles(Context& tl, const NormLinear& problem) : tl_(tl), problem_(problem), grid_(problem.grid) {
  find_parts();
  find_steps(part_of(problem.tokens(), problem.rank / grid_.column_parts, grid_.row_parts),
             part_of(problem.outputs.size, problem.rank % grid_.column_parts, grid_.column_parts));
  make_room();
}

// The parts in the order of this PE: each PE of the SIP begins at its own share of all columns.
void OutputTiles::find_parts() {
  for (std::size_t member = 0; member < problem_.parts.size(); ++member) {
    const Range& all = problem_.parts[member];
    for (std::int64_t i = 0; i * grid_.columns < all.size; ++i) parts_.push_back({member, cut(all, i, grid_.columns)});
  }
  const contract::PeInfo& info = tl_.info();
  const auto count = static_cast<std::int64_t>(parts_.size()), cubes = std::int64_t{info.cubes_per_sip};
  const std::int64_t pe = problem_.rank * cubes + std::int64_t{info.coord.cube.value};
  std::rotate(parts_.begin(), parts_.begin() + pe * count / (problem_.members() * cubes), parts_.end());
}

void OutputTiles::find_steps(const Range& rows, const Range& outputs) {
  for (std::int64_t row = 0; row * grid_.rows < rows.size; ++row) {
    for (std::int64_t column = 0; column * grid_.outputs < outputs.size; ++column) {
      tiles_.push_back({cut(rows, row, grid_.rows), cut(outputs, column, grid_.outputs)});
    }
  }
  const std::int64_t at_once = outputs_per_load(problem_, grid_);
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
    const Range all{0, tiles_[tile].outputs.size};
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      for (std::size_t gate = 0; gate < static_cast<std::size_t>(problem_.gates); ++gate) {
        for (std::int64_t i = 0; i * at_once < all.size; ++i) {
          steps_.push_back({tile, part, gate, cut(all, i, at_once), false});
        }
      }
      steps_.back().last = true;
    }
  }
}

void OutputTiles::make_room() {
  const std::int64_t tile = grid_.rows * grid_.outputs;
  for (std::size_t gate = 0; gate < static_cast<std::size_t>(problem_.gates); ++gate)
    sums_[gate] = tl_.empty({tile}, Dtype::f32);
  for (Buffer& x : x_) x.room = tl_.empty({grid_.rows * grid_.columns}, problem_.dtype);
  for (Buffer& out : out_) out.room = tl_.empty({outputs_per_store(problem_, grid_) * grid_.rows}, problem_.dtype);
  if (!problem_.bias.null()) bias_ = tl_.empty({1, grid_.outputs}, problem_.dtype);
  const std::int64_t room = static_cast<std::int64_t>(tl_.info().scratch_bytes) - bytes_in_use(problem_, grid_);
  w_.resize(static_cast<std::size_t>(std::clamp(room / bytes_of_load(problem_, grid_), kFewestLoads, kMostLoads)));
  for (Buffer& w : w_) w.room = tl_.empty({outputs_per_load(problem_, grid_) * grid_.columns}, problem_.dtype);
}

void OutputTiles::wait(Buffer& buffer) {
  for (const tl::Future& future : buffer.transfers) tl_.wait(future);
  buffer.transfers.clear();
}

TensorHandle OutputTiles::sums(const Step& step) const {
  const std::int64_t rows = tiles_[step.tile].rows.size;
  return tl_.view(sums_[step.gate], step.outputs.first * rows, {step.outputs.size, rows});
}

void OutputTiles::load_x(std::size_t number) {
  if (number >= tiles_.size() * parts_.size()) return;
  const Range rows = tiles_[number / parts_.size()].rows, columns = parts_[number % parts_.size()].columns;
  Buffer& into = x_[number % x_.size()];
  const TensorHandle room = tl_.view(into.room, 0, {rows.size, columns.size});
  problem_.x.load(tl_, room, problem_.inputs_in(rows), columns.first, into.transfers);
}

void OutputTiles::load_w(std::size_t step) {
  if (step >= steps_.size()) return;
  const Step& at = steps_[step];
  const Range columns = part(at).columns, member = problem_.parts[part(at).member];
  const std::int64_t output = tiles_[at.tile].outputs.first + at.outputs.first;
  Buffer& into = w_[step % w_.size()];
  for (std::int64_t done = 0, size = 0; done < at.outputs.size; done += size) {
    const WeightSource& source = problem_.source(output + done);
    size = std::min(at.outputs.size - done, source.outputs.end() - output - done);
    // The gate is where the PE's own columns begin; those of the members follow each other.
    const std::int64_t first = (member.first - problem_.depth.first) * source.outputs.size +
                               (output + done - source.outputs.first) * member.size;
    const Ptr from = source.gates[at.gate] + (first + columns.first - member.first);
    const TensorHandle room = tl_.view(into.room, done * columns.size, {size, columns.size});
    into.transfers.push_back(tl_.load_into_async(room, from, member.size));
  }
}

void OutputTiles::multiply(std::size_t step) {
  const Step& at = steps_[step];
  const std::int64_t width = part(at).columns.size;
  Buffer& from = w_[step % w_.size()];
  Buffer& rows = x_[number(at) % x_.size()];
  wait(rows);
  wait(from);
  const TensorHandle w = tl_.view(from.room, 0, {at.outputs.size, width});
  const TensorHandle x = tl_.trans(tl_.view(rows.room, 0, {tiles_[at.tile].rows.size, width}));
  tl_.wait(at.part == 0 ? tl_.dot_into_async(sums(at), w, x) : tl_.dot_async(w, x, sums(at)));
}

// Completes the sums of a tile, some outputs at a time, and starts to store them.
void OutputTiles::store(const Tile& tile) {
  const std::int64_t rows = tile.rows.size, at_once = outputs_per_store(problem_, grid_);
  if (!bias_.null()) {
    Buffer loads;
    problem_.bias.load(tl_, tl_.view(bias_, 0, {1, tile.outputs.size}), {0},
                       problem_.outputs.first + tile.outputs.first, loads.transfers);
    wait(loads);
  }
  for (std::int64_t i = 0; i * at_once < tile.outputs.size; ++i) {
    const Range some = cut({0, tile.outputs.size}, i, at_once);
    const TensorHandle sums = tl_.view(sums_[0], some.first * rows, {some.size, rows});
    if (!bias_.null()) tl_.compute_into(sums, MathOp::add, {sums, tl_.view(bias_, some.first, {some.size, 1})});
    if (problem_.gates == 2) {
      tl_.compute_into(sums, MathOp::silu, {sums});
      tl_.compute_into(sums, MathOp::mul, {sums, tl_.view(sums_[1], some.first * rows, {some.size, rows})});
    }
    Buffer& out = out_[static_cast<std::size_t>(i) % out_.size()];
    wait(out);
    const TensorHandle rounded = tl_.view(out.room, 0, {rows, some.size});
    tl_.assign(rounded, tl_.trans(sums));
    problem_.y.store(tl_, rounded, problem_.outputs_in(tile.rows),
                     problem_.outputs.first + tile.outputs.first + some.first, out.transfers);
  }
}

void OutputTiles::run() {
  load_x(0);
  for (std::size_t i = 0; i < w_.size(); ++i) load_w(i);
  load_x(1);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& at = steps_[i];
    multiply(i);
    load_w(i + w_.size());
    if (!at.last) continue;
    load_x(number(at) + x_.size());
    if (at.part + 1 == parts_.size()) store(tiles_[at.tile]);
  }
  for (Buffer& out : out_) wait(out);
}

}  // namespace kb::kernels
