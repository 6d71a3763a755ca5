#include "kernels/model_attention/paged_attention_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/model_attention/attention_records.h"
#include "kernels/model_attention/paged_blocks.h"
#include "kernels/model_attention/paged_problem.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kGroupBytes = 128 << 10;  // of the segments that are in scratch together
constexpr std::int64_t kRecordsAtOnce = 16;      // a store waits for the one before

struct PagedDecodeArguments {
  Ptr q, k_cache, v_cache, work, scratch, out;
  std::optional<double> scale;
};

struct DecodeSequence {
  std::int64_t row, first_pe, pes, slot;  // as in contract::decode_work(); slot: on the first PE
};

// Pages of one sequence that this PE computes with.
struct Segment {
  std::int64_t sequence;
  std::vector<PageRun> runs;
};

// Records that are stored together.
struct Records {
  std::vector<TensorHandle> parts;
  std::vector<std::int64_t> places;
};

struct WorkList {
  std::vector<DecodeSequence> sequences;
  std::vector<Segment> segments;
};

WorkList read_work(Context& tl, const PagedDecodeArguments& args, const PagedSizes& s) {
  const std::int64_t width = args.work.shape()[1];
  const std::int64_t mine = (tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)) * width;
  const std::vector<std::int64_t> list = tl.load(args.work + mine, {width}).read<std::int64_t>();
  const std::int64_t sequences = list[0], pages = list[1];
  const std::int64_t begin = contract::kDecodeHead + sequences * contract::kDecodeSequence;
  tl.require(sequences >= 1 && pages >= 0 && begin + pages * contract::kDecodePage <= width,
             fmt::format("{} has a list of {} sequences and {} pages; make it with contract::decode_work()",
                         shape_text(args.work), sequences, pages));
  const auto at = [&](std::int64_t i) { return list[static_cast<std::size_t>(i)]; };
  WorkList out;
  for (std::int64_t i = contract::kDecodeHead; i < begin; i += contract::kDecodeSequence) {
    out.sequences.push_back({at(i), at(i + 1), at(i + 2), at(i + 3)});
    const DecodeSequence& its = out.sequences.back();
    tl.require(its.row >= 0 && its.row < s.m,
               fmt::format("row {} of {} is not one of {} tokens", its.row, shape_text(args.work), s.m));
  }
  for (std::int64_t i = begin; i < begin + pages * contract::kDecodePage; i += contract::kDecodePage) {
    if (out.segments.empty() || out.segments.back().sequence != at(i)) out.segments.push_back({at(i), {}});
    out.segments.back().runs.push_back({at(i + 1), at(i + 2), at(i + 3)});
  }
  return out;
}

class Decode {
 public:
  Decode(Context& tl, const PagedDecodeArguments& args, const PagedSizes& sizes, WorkList work)
      : tl_(tl),
        args_(args),
        s_(sizes),
        cubes_(tl.num_programs(1)),
        pes_(tl.num_programs(0)),
        cube_(tl.program_id(1)),
        pe_(tl.program_id(0)),
        groups_(sizes.kv_heads, pes_),
        group_(pe_ / groups_.width),
        work_(std::move(work)),
        grid_(static_cast<std::int64_t>(work_.sequences.size()), {cubes_, pes_}, groups_),
        record_(sizes.heads, sizes.d, cubes_, groups_.count),
        records_(tl, record_, sizes.d, sizes.scale),
        room_(args.scratch.shape()[1]) {
    const std::int64_t needed = grid_.records(record_) * record_.size();
    tl.require(needed <= room_ && room_ % record_.size() == 0,
               fmt::format("{} has rows of {} numbers; {} sequences need {}, or a multiple of it",
                           shape_text(args.scratch), room_, work_.sequences.size(), needed));
    // The cubes in the order in which they get records, other ones in each cube, so that they do not all get them at
    // once.
    for (std::int64_t i = 1; i <= cubes_; ++i) {
      const std::int64_t to = (cube_ + i) % cubes_;
      if (record_.columns(group_, to) > 0) destinations_.push_back(to);
    }
  }

  void run() {
    attend();
    store_empty();
    tl_.wait();
    if (shares()) {
      tl_.barrier(tl::BarrierScope::cube);
      merge_cube();
    }
    tl_.barrier(cubes_ > 1 ? tl::BarrierScope::sip : tl::BarrierScope::cube);
    merge_all();
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  // Heads of this PE's group.
  std::int64_t kv_heads() const { return s_.kv_heads / groups_.count; }
  std::int64_t heads() const { return s_.heads / groups_.count; }
  const DecodeSequence& sequence(std::int64_t i) const { return work_.sequences[index(i)]; }
  std::int64_t my_part() const { return pe_ % grid_.row_parts(); }
  std::int64_t my_group_part() const { return pe_ % groups_.width % grid_.group_row_parts(); }
  // Memory of a PE's slot for the records of a segment, and of merged ones for cube `to`.
  Ptr records_at(std::int64_t cube, std::int64_t pe, std::int64_t record) const {
    return args_.scratch + (cube * pes_ + pe) * room_ + record * record_.size();
  }
  // False when the PE that computed with a sequence in this cube is the only one, and has given the result away.
  bool shared(const DecodeSequence& its) const { return !grid_.direct() || its.pes > 1; }
  bool shares() const {
    return std::any_of(work_.sequences.begin(), work_.sequences.end(),
                       [&](const DecodeSequence& its) { return shared(its); });
  }

  // --- Attention over the pages of this PE.

  std::vector<PagedStep> steps(std::vector<std::int64_t>& ends) const {
    std::vector<PagedStep> out;
    const std::int64_t keys = keys_per_step(tl_, args_.k_cache);
    for (const Segment& segment : work_.segments) {
      for (std::int64_t head = 0; head < kv_heads(); ++head) {
        const bool last = &segment == &work_.segments.back() && head == kv_heads() - 1;
        append_steps(group_ * kv_heads() + head, segment.runs, keys, last, out);
        ends.push_back(static_cast<std::int64_t>(out.size()));
      }
    }
    return out;
  }

  // The queries of `count` segments: the heads of the first one, then those of the next.
  Future load_queries(std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = first; i < first + count; ++i) {
      const std::int64_t row = sequence(work_.segments[index(i)].sequence).row;
      for (std::int64_t head = 0; head < heads(); ++head) rows.push_back((group_ * heads() + head) * s_.m + row);
    }
    return tl_.gather_async(args_.q, tl::Indices(std::move(rows)), s_.d);
  }

  // Segments of a group stay in scratch until their results are stored.
  void attend() {
    const auto segments = static_cast<std::int64_t>(work_.segments.size());
    if (segments == 0) return;
    const auto item = static_cast<std::int64_t>(item_size(args_.q.dtype()));
    const auto records = static_cast<std::int64_t>(destinations_.size());
    const std::int64_t numbers = heads() * (s_.d + 2) + records * record_.size();
    const std::int64_t bytes = heads() * s_.d * item + numbers * 4;
    const std::int64_t at_once = std::max<std::int64_t>(1, kGroupBytes / bytes);
    Future queries = load_queries(0, std::min(at_once, segments));
    std::vector<std::int64_t> ends;
    const std::vector<PagedStep> all = steps(ends);
    PagedBlocks blocks(tl_, {args_.k_cache, args_.v_cache, s_.kv_heads}, all, keys_per_step(tl_, args_.k_cache));
    std::int64_t step = 0;
    for (std::int64_t first = 0; first < segments; first += at_once) {
      const tl::Scratch group(tl_);
      const std::int64_t count = std::min(at_once, segments - first);
      if (first > 0) queries = load_queries(first, count);
      const TensorHandle q = tl_.wait(queries);
      std::vector<Future> stored;
      Records pending;
      for (std::int64_t i = 0; i < count; ++i) {
        const TensorHandle own = tl_.view(q, i * heads() * s_.d, {heads(), s_.d});
        records_.append(group_, attend_segment(own, blocks, all, &ends[index((first + i) * kv_heads())], step),
                        destinations_, pending.parts);
        append_places(first + i, pending.places);
        if (static_cast<std::int64_t>(pending.places.size()) >= kRecordsAtOnce || i == count - 1) {
          stored.push_back(store(pending));
          pending = {};
        }
      }
      for (const Future& store : stored) tl_.wait(store);
    }
  }

  std::vector<OnlineSoftmax> attend_segment(const TensorHandle& q, PagedBlocks& blocks,
                                            const std::vector<PagedStep>& all, const std::int64_t* ends,
                                            std::int64_t& step) {
    std::vector<OnlineSoftmax> results;
    for (std::int64_t head = 0; head < kv_heads(); ++head) {
      results.emplace_back(tl_, s_.group(), s_.d, s_.scale);
      const TensorHandle own = tl_.view(q, head * s_.group() * s_.d, {s_.group(), s_.d});
      for (; step < ends[head]; ++step) {
        results.back().attend(
            own, all[static_cast<std::size_t>(step)].keys(), [&] { return blocks.k(step); },
            [&] { return blocks.v(step); });
      }
    }
    return results;
  }

  Future store(const Records& records) {
    const auto count = static_cast<std::int64_t>(records.places.size());
    return tl_.scatter_async(args_.scratch, tl::Indices(records.places), records_.joined(records.parts, count));
  }

  // Where the records of a segment go, for each destination.
  void append_places(std::int64_t segment, std::vector<std::int64_t>& places) const {
    const std::int64_t number = work_.segments[index(segment)].sequence;
    if (!shared(sequence(number))) return append_places_of(number, destinations_, places);
    const std::int64_t mine = (cube_ * pes_ + pe_) * (room_ / record_.size());
    for (const std::int64_t to : destinations_) places.push_back(mine + grid_.slot(segment) * cubes_ + to);
  }

  // Where each cube has its record of a sequence from this cube.
  void append_places_of(std::int64_t number, const std::vector<std::int64_t>& cubes,
                        std::vector<std::int64_t>& places) const {
    const std::int64_t part = grid_.parts().part_of(number), row = number - grid_.parts().first(part);
    for (const std::int64_t to : cubes) {
      places.push_back((to * pes_ + part) * (room_ / record_.size()) + grid_.record_from(record_, cube_, part, row) +
                       group_ - record_.first_group(to));
    }
  }

  Future give(std::int64_t number, const TensorHandle& records, const std::vector<std::int64_t>& cubes) {
    std::vector<std::int64_t> places;
    append_places_of(number, cubes, places);
    return tl_.scatter_async(args_.scratch, tl::Indices(std::move(places)), records);
  }

  // Sequences of this PE's part that have no page in this cube.
  void store_empty() {
    if (!grid_.direct()) return;
    const std::int64_t part = my_group_part(), end = grid_.group_parts().first(part + 1);
    TensorHandle none;
    for (std::int64_t number = grid_.group_parts().first(part); number < end; ++number) {
      if (sequence(number).pes > 0) continue;
      if (none.null()) none = records_.pack_empty(group_, destinations_);
      tl_.wait(give(number, none, destinations_));
    }
  }

  // --- Merges the results of the PEs of this group.

  void merge_cube() {
    const std::int64_t part = my_group_part(), end = grid_.group_parts().first(part + 1);
    for (std::int64_t number = grid_.group_parts().first(part); number < end; ++number) {
      if (!shared(sequence(number))) continue;
      const tl::Scratch scope(tl_);
      merge_sequence(part, number);
    }
    tl_.wait();
  }

  void merge_sequence(std::int64_t part, std::int64_t number) {
    const DecodeSequence& its = sequence(number);
    const std::int64_t size = record_.size(), step = grid_.helpers(part);
    std::vector<std::int64_t> cubes;  // that this PE merges for
    std::int64_t helper = pe_ % groups_.width / grid_.group_row_parts();
    for (std::int64_t to = 0; to < cubes_; ++to) {
      if (record_.columns(group_, to) > 0 && helper-- % step == 0) cubes.push_back(to);
    }
    if (cubes.empty()) return;
    if (its.pes == 0) {
      tl_.wait(give(number, records_.pack_empty(group_, cubes), cubes));
      return;
    }
    std::vector<std::int64_t> rows;
    for (const std::int64_t to : cubes) {
      for (std::int64_t i = 0; i < its.pes; ++i) {
        const Ptr at = records_at(cube_, its.first_pe + i, (i == 0 ? its.slot : 0) * cubes_ + to);
        rows.push_back(at.offset_bytes() / (size * 4));
      }
    }
    const TensorHandle parts = tl_.gather(args_.scratch, tl::Indices(std::move(rows)), size);
    std::vector<TensorHandle> merged;
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      const TensorHandle some = tl_.view(parts, static_cast<std::int64_t>(i) * its.pes * size, {its.pes, size});
      merged.push_back(records_.merge(tl_.cast(tl_.trans(some), Dtype::f32), group_, cubes[i]));
    }
    const TensorHandle all = merged.size() == 1 ? merged.front() : tl_.concat(merged);
    tl_.wait(give(number, tl_.view(all, 0, {static_cast<std::int64_t>(cubes.size()), size}), cubes));
  }

  // --- Merges the results of all cubes, for the columns of this cube.

  void merge_all() {
    const std::int64_t part = my_part(), columns = record_.columns(cube_), groups = record_.groups(cube_);
    if (columns == 0 || pe_ >= grid_.row_parts()) return;
    const std::int64_t rows = grid_.parts().size(part), size = record_.most_groups() * record_.size();
    const std::int64_t at_once = std::max<std::int64_t>(1, kGroupBytes / (2 * cubes_ * size * 4));
    const Ptr out = args_.out + s_.m * record_.first_column(cube_);
    for (std::int64_t first = 0; first < rows; first += at_once) {
      const tl::Scratch scope(tl_);
      const std::int64_t count = std::min(at_once, rows - first);
      const TensorHandle parts = tl_.load(records_at(cube_, pe_, grid_.record_from(record_, 0, part, first)),
                                          {cubes_, count * size}, Dtype::f32, rows * size);
      const TensorHandle turned = tl_.cast(tl_.trans(parts), Dtype::f32);
      std::vector<TensorHandle> results;
      std::vector<std::int64_t> to;
      for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t group = 0; group < groups; ++group) {
          const std::int64_t at = (i * size + group * record_.size()) * cubes_;
          const TensorHandle its = tl_.view(turned, at, {record_.size(), cubes_});
          results.push_back(records_.result(its, record_.first_group(cube_) + group, cube_));
        }
        to.push_back(sequence(grid_.parts().first(part) + first + i).row);
      }
      const TensorHandle values = tl_.view(results.size() == 1 ? results[0] : tl_.concat(results), 0, {count, columns});
      tl_.scatter(out, tl::Indices(std::move(to)), values);
    }
  }

  Context& tl_;
  const PagedDecodeArguments& args_;
  PagedSizes s_;
  std::int64_t cubes_, pes_, cube_, pe_;
  contract::HeadGroups groups_;
  std::int64_t group_;
  WorkList work_;
  contract::DecodeGrid grid_;
  contract::AttentionRecord record_;
  AttentionRecords records_;
  std::int64_t room_;  // numbers of a row of scratch
  std::vector<std::int64_t> destinations_;
};

void check_decode_lists(Context& tl, const PagedDecodeArguments& args) {
  const std::int64_t pes = tl.num_programs(0) * tl.num_programs(1);
  for (const Ptr tensor : {args.work, args.scratch}) {
    tl.require(tensor.shape().size() == 2 && tensor.shape()[0] == pes && tensor.row_major(),
               fmt::format("{} must have a row for each of {} PEs, split over cubes and PEs", shape_text(tensor), pes));
  }
  tl.require(args.work.shape()[1] >= contract::kDecodeHead, fmt::format("{} has no work lists", shape_text(args.work)));
  tl.require(args.work.dtype() == Dtype::i32 && args.scratch.dtype() == Dtype::f32,
             "work must be i32, and scratch f32");
}

void paged_attention_decode(Context& tl, const PagedDecodeArguments& args) {
  const PagedSizes sizes = paged_sizes(tl, {args.q, args.k_cache, args.v_cache, args.out}, args.scale);
  const Shape queries{sizes.heads, sizes.m, sizes.d};
  tl.require(args.q.shape() == queries,
             fmt::format("{} must be {}, split by heads", shape_text(args.q), format_shape(queries)));
  check_decode_lists(tl, args);
  Decode(tl, args, sizes, read_work(tl, args, sizes)).run();
}

}  // namespace

contract::Kernel paged_attention_decode_kernel() {
  using Args = PagedDecodeArguments;
  return tl::make_kernel("paged_attention_decode", "attention of one token of each sequence over its paged cache",
                         tl::Parameters<Args>{{"q", &Args::q},
                                              {"k_cache", &Args::k_cache},
                                              {"v_cache", &Args::v_cache},
                                              {"work", &Args::work},
                                              {"scratch", &Args::scratch},
                                              {"out", &Args::out},
                                              {"scale", &Args::scale}},
                         paged_attention_decode);
}

}  // namespace kb::kernels
