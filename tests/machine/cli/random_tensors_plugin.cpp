// Random tensors of one to four dimensions in every memory, unevenly split: what is copied in comes out, and what a
// kernel copies from one to another arrives. The oracle deals elements by their coordinates, one by one.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/base/op_types.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

using kb::Dtype;
using kb::MemoryKind;
using kb::Shape;
using kb::tl::Context;
using kb::tl::Ptr;
using namespace kb::sw;

constexpr std::int64_t kPiece = 96;

// Each PE copies what it owns of dst from the same places of src in shard order.
void copy_own(Context& tl, Ptr src, Ptr dst) {
  const kb::tl::LocalShard mine = tl.shard(dst);
  tl.require(mine.elements == 0 || kb::element_count(mine.shape) == mine.elements,
             "a shard is not as large as its shape");
  for (std::int64_t at = 0; at < mine.elements; at += kPiece) {
    const kb::tl::Scratch scope(tl);
    const Shape piece{std::min(kPiece, mine.elements - at)};
    tl.store(dst + mine.first + at, tl.load(src + mine.first + at, piece));
  }
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  template <typename T>
  T one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

using Range = std::pair<std::int64_t, std::int64_t>;

// Like numpy.array_split.
Range part(Range whole, std::int64_t index, std::int64_t count) {
  const std::int64_t size = whole.second - whole.first;
  std::int64_t begin = whole.first;
  for (std::int64_t i = 0; i < index; ++i) begin += (size - i + count - 1) / count;
  return {begin, begin + (size - index + count - 1) / count};
}

// Row-major indices of a tensor's elements in shard order.
std::vector<std::size_t> shard_order(const Shape& shape, const DPPolicy& policy, std::int64_t cubes, std::int64_t pes) {
  std::vector<std::size_t> order;
  std::set<std::size_t> seen;
  const auto narrow = [&](std::vector<Range> block, Split split, std::int64_t index, std::int64_t count) {
    if (split == Split::row_wise) block.front() = part(block.front(), index, count);
    if (split == Split::column_wise) block.back() = part(block.back(), index, count);
    return block;
  };
  std::vector<Range> whole;
  for (const std::int64_t size : shape) whole.emplace_back(0, size);
  for (std::int64_t cube = 0; cube < cubes; ++cube) {
    for (std::int64_t pe = 0; pe < pes; ++pe) {
      const std::vector<Range> block = narrow(narrow(whole, policy.cube, cube, cubes), policy.pe, pe, pes);
      for (std::size_t index = 0; index < static_cast<std::size_t>(kb::element_count(shape)); ++index) {
        std::size_t rest = index;
        bool inside = true;
        for (std::size_t d = shape.size(); d-- > 0;) {
          const auto at = static_cast<std::int64_t>(rest % static_cast<std::size_t>(shape[d]));
          rest /= static_cast<std::size_t>(shape[d]);
          inside = inside && block[d].first <= at && at < block[d].second;
        }
        if (inside && seen.insert(index).second) order.push_back(index);
      }
    }
  }
  return order;
}

DPPolicy random_policy(Draw& draw, const Runtime& rt, MemoryKind memory) {
  const std::vector<Split> splits{Split::replicate, Split::row_wise, Split::column_wise};
  DPPolicy policy = DPPolicy().in(memory);
  policy.cube = draw.one_of(splits);
  policy.pe = draw.one_of(splits);
  policy.num_pes = static_cast<int>(draw.number(1, rt.machine().pes_per_cube));
  // Copies are visible in their cubes only.
  if (policy.cube != Split::replicate) policy.num_cubes = static_cast<int>(draw.number(1, rt.machine().cubes_per_sip));
  return policy;
}

std::vector<std::size_t> order_of(const Runtime& rt, const Tensor& tensor) {
  const DPPolicy& policy = tensor.policy();
  return shard_order(tensor.shape(), policy, policy.num_cubes.value_or(rt.machine().cubes_per_sip),
                     policy.num_pes.value_or(rt.machine().pes_per_cube));
}

// One verdict per case: the bytes that came out of both tensors.
void run_case(Runtime& rt, WorkloadResult& result, Draw& draw, int number) {
  const std::vector<MemoryKind> memories{MemoryKind::tcm, MemoryKind::sram, MemoryKind::hbm};
  const Dtype dtype = draw.one_of<Dtype>({Dtype::i8, Dtype::f16, Dtype::f32, Dtype::i64});
  Shape shape;
  for (std::int64_t d = draw.number(1, 4); d > 0; --d) shape.push_back(draw.number(1, shape.empty() ? 23 : 9));
  const Tensor src = rt.empty(shape, dtype, random_policy(draw, rt, draw.one_of(memories)), "src");
  const Tensor dst = rt.empty(shape, dtype, random_policy(draw, rt, draw.one_of(memories)), "dst");
  const HostArray values = HostArray::random_integers(shape, dtype, rt.seed() + static_cast<std::uint64_t>(number));
  src.copy_(values);
  rt.wait(rt.launch("copy-own", {{"src", src}, {"dst", dst}}));
  const HostArray back = src.to_host(), copied = dst.to_host();
  if (!can_verify(rt, result)) return;

  const std::vector<double> given = values.to_doubles();
  std::vector<double> expected(given.size());
  const std::vector<std::size_t> from = order_of(rt, src), to = order_of(rt, dst);
  for (std::size_t i = 0; i < from.size(); ++i) expected[to[i]] = given[from[i]];
  const std::string name =
      fmt::format("case {}, {} {} from {} to {}", number, kb::dtype_name(dtype), kb::format_shape(shape),
                  kb::name_of(src.policy().memory), kb::name_of(dst.policy().memory));
  verify_exact(rt, result, name + ", in and out", back, values);
  verify_exact(rt, result, name, copied, HostArray::from_doubles(shape, dtype, expected));
}

WorkloadResult run(Runtime& rt, const Params& params) {
  WorkloadResult result;
  Draw draw(rt.seed() * 1000003);
  for (int i = 0; i < params.integer("cases"); ++i) run_case(rt, result, draw, i);
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(
      kb::tl::make_kernel("copy-own", "each PE copies the part of dst that it owns", {"src", "dst"}, copy_own));
  registrar.add_workload({"random-tensors",
                          "random tensors in every memory, copied between them",
                          {Parameter::integer("cases", 20, "tensor pairs", 1)},
                          run});
}
