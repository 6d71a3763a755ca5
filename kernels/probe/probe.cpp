#include "kernels/probe/probe.h"

#include "kernels/tl/tl.h"

namespace kb::kernels {
namespace {

constexpr std::int64_t kStreamElements = 32;

void noop(tl::Context& tl, std::optional<std::int64_t> cycles) {
  if (cycles.value_or(0) != 0) tl.cycles(*cycles);
}

void stream(tl::Context& tl, tl::Ptr data, std::int64_t calls, std::optional<std::int64_t> elements) {
  const std::int64_t step = elements.value_or(kStreamElements);
  const tl::LocalShard mine = tl.shard(data);
  if (mine.elements == 0) return;
  tl.require(step > 0 && step <= mine.elements, "elements must be at least 1 and fit into the PE's shard");
  const std::int64_t places = mine.elements / step;
  const Shape shape{step};
  for (std::int64_t pair = 0; pair < calls - pair; ++pair) {
    const tl::Scratch scope(tl);
    const tl::Ptr at = mine.ptr + pair % places * step;
    const tl::TensorHandle x = tl.load(at, shape);
    if (pair + 1 < calls - pair) tl.store(at, x);
  }
}

}  // namespace

contract::Kernel noop_kernel() {
  return tl::make_kernel("noop", "does nothing, or spends cycles of the PE's CPU", {"cycles"}, noop);
}

contract::Kernel stream_kernel() {
  return tl::make_kernel("stream", "small loads and stores by turns in the PE's own shard; for speed and latency",
                         {"data", "calls", "elements"}, stream);
}

}  // namespace kb::kernels
