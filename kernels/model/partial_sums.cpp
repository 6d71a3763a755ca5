#include "kernels/model/partial_sums.h"

#include <algorithm>

#include "kernels/model/input_rows.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

namespace {

constexpr std::int64_t kRoom = std::int64_t{64} * 1024;  // bytes for the outputs that are completed together
constexpr std::int64_t kOut = std::int64_t{64} * 1024;   // bytes for those that are stored together
constexpr std::int64_t kAll = std::int64_t{128} * 1024;  // bytes for the sums of a launch
constexpr std::int64_t kBuffers = 3;                     // partial sums that are being sent

// Bytes for one output in complete(): what came from the members, twice, and four values that are computed.
std::int64_t bytes_of_output(const NormLinear& problem, std::int64_t rows) {
  return 4 * rows * (problem.gates * (2 * problem.members() + 2) + 2);
}

std::int64_t outputs_at_once(const NormLinear& problem, std::int64_t rows) {
  const std::int64_t most = Context::cdiv(problem.outputs.size, problem.members());
  return std::clamp<std::int64_t>(kRoom / bytes_of_output(problem, rows), 1, most);
}

// A multiple of outputs_at_once(), or all.
std::int64_t outputs_per_store(const NormLinear& problem, std::int64_t rows) {
  const std::int64_t most = Context::cdiv(problem.outputs.size, problem.members());
  const std::int64_t unit = outputs_at_once(problem, rows), room = kOut / (rows * (4 + problem.item()));
  return room >= most ? most : std::max<std::int64_t>(1, room / unit) * unit;
}

}  // namespace

PartialSums::PartialSums(Context& tl, const NormLinear& problem) : tl_(tl), problem_(problem) {
  const std::int64_t rows = problem.block_rows, most = outputs_per_store(problem, rows);
  if (keeps_all(problem, rows)) {
    all_ = tl.empty({problem.gates * problem.outputs.size * rows}, Dtype::f32);
  } else {
    for (Sent& sent : sent_) sent.room = tl.empty({problem.chunk_outputs * rows}, Dtype::f32);
  }
  if (problem.norm()) copies_ = tl.empty({problem.members() * rows}, Dtype::f32);
  sums_ = tl.empty({most * rows}, Dtype::f32);
  out_ = tl.empty({most * rows}, problem.dtype);
  const std::int64_t own = problem.share(problem.rank).size;
  if (!problem.bias.null() && own > 0) bias_ = tl.empty({1, own}, problem.dtype);
}

bool PartialSums::keeps_all(const NormLinear& problem, std::int64_t rows) {
  return rows == problem.tokens() && problem.gates * problem.outputs.size * rows * 4 <= kAll;
}

std::int64_t PartialSums::scratch_needed(const NormLinear& problem, std::int64_t rows) {
  const std::int64_t most = outputs_at_once(problem, rows), members = problem.members();
  const std::int64_t completing = most * bytes_of_output(problem, rows) + (members + 4) * rows * 4;
  const std::int64_t sums =
      keeps_all(problem, rows) ? problem.gates * problem.outputs.size : kBuffers * problem.chunk_outputs;
  const std::int64_t stored = outputs_per_store(problem, rows) * rows * (4 + problem.item());
  const std::int64_t kept = (sums + members) * rows * 4 + stored;
  const std::int64_t bias = Context::cdiv(problem.outputs.size, members) * problem.item();
  return kept + bias + std::max(completing, InputRows::scratch_for_squares(problem, rows));
}

void PartialSums::wait(std::vector<Future>& pending) {
  for (const Future& future : pending) tl_.wait(future);
  pending.clear();
}

void PartialSums::load_bias() {
  if (bias_.null()) return;
  const std::int64_t first = problem_.outputs.first + problem_.share(problem_.rank).first;
  problem_.bias.load(tl_, bias_, {0}, first, bias_loads_);
}

TensorHandle PartialSums::room(const WeightChunk& chunk, std::int64_t rows) {
  if (!all_.null()) {
    const std::int64_t first = chunk.gate * problem_.outputs.size + chunk.outputs.first;
    return tl_.view(all_, first * rows, {chunk.outputs.size, rows});
  }
  turn_ = (turn_ + 1) % sent_.size();
  wait(sent_[turn_].stores);
  return tl_.view(sent_[turn_].room, 0, {chunk.outputs.size, rows});
}

// Where member `to` has line `line` of those that `from` sends.
Ptr PartialSums::section(std::int64_t block, std::int64_t to, std::int64_t from, std::int64_t line) const {
  const std::int64_t half = block % 2 == 0 ? 0 : problem_.section_room / 2;
  const std::int64_t lines_before = from * lines(to) + line;
  return problem_.partials +
         (problem_.sections[static_cast<std::size_t>(to)] + half + lines_before * problem_.block(block).size);
}

std::int64_t PartialSums::alike(std::int64_t first, std::int64_t end) const {
  const auto distance = [&](std::int64_t member) {
    const auto i = static_cast<std::size_t>(member);
    return problem_.sections[i] - problem_.sections[i - 1];
  };
  std::int64_t stop = first + 1;
  for (; stop < end && problem_.share(stop).size == problem_.share(first).size; ++stop) {
    if (distance(stop) != distance(first + 1)) break;
  }
  return stop;
}

void PartialSums::send_alike(std::int64_t block, std::int64_t first, std::int64_t end, std::int64_t line,
                             const TensorHandle& values, std::vector<Future>& pending) {
  const std::int64_t distance = end - first < 2 ? 0
                                                : problem_.sections[static_cast<std::size_t>(first + 1)] -
                                                      problem_.sections[static_cast<std::size_t>(first)];
  pending.push_back(tl_.store_async(section(block, first, problem_.rank, line), values, distance));
}

// Sends the sums of the members whose last output is in the chunk.
void PartialSums::send_completed(std::int64_t block, const WeightChunk& chunk, std::int64_t rows) {
  const auto is_complete = [&](std::int64_t member) {
    const Range share = problem_.share(member);
    return share.size > 0 && problem_.in_own_order(share).end() <= chunk.outputs.end();
  };
  if (chunk.outputs.first == 0) next_ = 0;
  while (next_ < problem_.members()) {
    const std::int64_t member = (problem_.last + 1 + next_) % problem_.members();
    const Range share = problem_.share(member);
    if (share.size > 0 && !is_complete(member)) break;
    std::int64_t end = member + 1;
    if (share.size > 0) {
      const std::int64_t stop = member <= problem_.last ? problem_.last + 1 : problem_.members();
      while (end < stop && is_complete(end)) ++end;
      end = alike(member, end);
      const std::int64_t first = chunk.gate * problem_.outputs.size + problem_.in_own_order(share).first;
      const TensorHandle values = tl_.view(all_, first * rows, {end - member, share.size * rows});
      send_alike(block, member, end, chunk.gate * share.size, values, sent_[0].stores);
    }
    next_ += end - member;
  }
}

void PartialSums::send(std::int64_t block, const WeightChunk& chunk, const TensorHandle& sums) {
  const std::int64_t rows = sums.size(1);
  if (!all_.null()) {
    send_completed(block, chunk, rows);
    return;
  }
  for (std::int64_t to = 0; to < problem_.members(); ++to) {
    const Range share = problem_.share(to);
    if (share.size == 0) continue;
    const Range place = problem_.in_own_order(share);
    const std::int64_t first = std::max(place.first, chunk.outputs.first);
    const std::int64_t end = std::min(place.end(), chunk.outputs.end());
    if (first >= end) continue;
    const std::int64_t line = chunk.gate * share.size + first - place.first;
    const TensorHandle part = tl_.view(sums, (first - chunk.outputs.first) * rows, {end - first, rows});
    sent_[turn_].stores.push_back(tl_.store_async(section(block, to, problem_.rank, line), part));
  }
}

void PartialSums::send_squares(std::int64_t block, const TensorHandle& squares) {
  wait(squares_);
  const tl::Scratch scope(tl_);
  const std::int64_t rows = squares.size(0), members = std::min(problem_.members(), problem_.outputs.size);
  const TensorHandle copies = tl_.view(copies_, 0, {members, rows});
  tl_.compute_into(copies, MathOp::add, {tl_.view(squares, 0, {1, rows}), tl_.zeros({members, 1}, Dtype::f32)});
  for (std::int64_t first = 0, end = 0; first < members; first = end) {
    end = alike(first, members);
    const TensorHandle values = tl_.view(copies, first * rows, {end - first, rows});
    send_alike(block, first, end, problem_.gates * problem_.share(first).size, values, squares_);
  }
}

void PartialSums::complete(std::int64_t block) {
  for (Sent& sent : sent_) wait(sent.stores);
  wait(squares_);
  tl_.barrier();
  const std::int64_t own = problem_.share(problem_.rank).size;
  if (own == 0) return;
  const tl::Scratch scope(tl_);
  const std::int64_t most = std::min(own, outputs_at_once(problem_, problem_.block_rows));
  std::array<std::vector<TensorHandle>, 2> rooms;
  for (std::vector<TensorHandle>& room : rooms) {
    if (&room == &rooms[1] && own <= most) continue;
    for (std::int64_t gate = 0; gate < problem_.gates; ++gate) {
      room.push_back(tl_.empty({problem_.members() * most * problem_.block(block).size}, Dtype::f32));
    }
  }
  Parts parts = load_parts(block, 0, rooms[0]);
  const TensorHandle factor = problem_.norm() ? scale(block) : TensorHandle();
  for (std::size_t turn = 1; parts.outputs.size > 0; ++turn) {
    Parts next = load_parts(block, parts.outputs.end(), rooms[turn % 2]);
    complete_outputs(block, parts, factor);
    const std::int64_t per_store = outputs_per_store(problem_, problem_.block_rows), end = parts.outputs.end();
    if (end == own || end % per_store == 0) {
      const std::int64_t first = (end - 1) / per_store * per_store;
      store(block, {first, end - first});
    }
    parts = std::move(next);
  }
}

void PartialSums::finish() {
  wait(stores_);
}

// Starts to load lines from all members: `out` (members, lines, rows).
void PartialSums::load_lines(const TensorHandle& out, std::int64_t block, std::int64_t line,
                             std::vector<Future>& pending) {
  const std::int64_t stride = lines(problem_.rank) * problem_.block(block).size;
  const Ptr from = section(block, problem_.rank, 0, line);
  pending.push_back(tl_.load_into_async(out, from, stride));
}

// 1 / rms of each row, (1, rows).
TensorHandle PartialSums::scale(std::int64_t block) {
  const std::int64_t rows = problem_.block(block).size, own = problem_.share(problem_.rank).size;
  const TensorHandle parts = tl_.empty({problem_.members(), rows}, Dtype::f32);
  std::vector<Future> pending;
  load_lines(parts, block, problem_.gates * own, pending);
  wait(pending);
  TensorHandle sum = tl_.sum(parts, 0);
  tl_.compute_into(sum, MathOp::fma, {sum, 1.0 / static_cast<double>(problem_.k), problem_.eps});
  tl_.compute_into(sum, MathOp::rsqrt, {sum});
  return sum;
}

PartialSums::Parts PartialSums::load_parts(std::int64_t block, std::int64_t first,
                                           const std::vector<TensorHandle>& room) {
  const std::int64_t own = problem_.share(problem_.rank).size, rows = problem_.block(block).size;
  Parts parts;
  parts.outputs = {first, std::min(own - first, outputs_at_once(problem_, problem_.block_rows))};
  if (parts.outputs.size == 0) return parts;
  for (std::int64_t gate = 0; gate < problem_.gates; ++gate) {
    const Shape shape{problem_.members(), parts.outputs.size * rows};
    parts.values.push_back(tl_.view(room[static_cast<std::size_t>(gate)], 0, shape));
    load_lines(parts.values.back(), block, gate * own + first, parts.loads);
  }
  return parts;
}

void PartialSums::complete_outputs(std::int64_t block, Parts& parts, const TensorHandle& scale) {
  const tl::Scratch scope(tl_);
  const Range rows = problem_.block(block), some = parts.outputs;
  std::vector<TensorHandle> values;
  wait(parts.loads);
  const std::int64_t first = some.first % outputs_per_store(problem_, problem_.block_rows);
  const TensorHandle out = tl_.view(sums_, first * rows.size, {some.size, rows.size});
  for (const TensorHandle& part : parts.values) {
    const TensorHandle sum = tl_.view(tl_.sum(part, 0), 0, {some.size, rows.size});
    values.push_back(values.empty() ? out : sum);
    if (problem_.norm()) {
      tl_.compute_into(values.back(), MathOp::mul, {sum, scale});
    } else if (values.size() == 1) {
      tl_.assign(out, sum);
    }
  }
  if (!bias_.null()) {
    wait(bias_loads_);
    tl_.compute_into(out, MathOp::add, {out, tl_.view(bias_, some.first, {some.size, 1})});
  }
  if (problem_.gates == 2) {
    tl_.compute_into(out, MathOp::silu, {out});
    tl_.compute_into(out, MathOp::mul, {out, values[1]});
  }
}

// Rounds the sums of these outputs, of those of the PE, and starts to store them.
void PartialSums::store(std::int64_t block, const Range& some) {
  const Range rows = problem_.block(block);
  wait(stores_);
  const TensorHandle out = tl_.view(out_, 0, {rows.size, some.size});
  tl_.assign(out, tl_.trans(tl_.view(sums_, 0, {some.size, rows.size})));
  const std::int64_t first = problem_.outputs.first + problem_.share(problem_.rank).first + some.first;
  problem_.y.store(tl_, out, problem_.outputs_in(rows), first, stores_);
}

}  // namespace kb::kernels
