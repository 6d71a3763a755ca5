#include "kernels/probe/probe.h"

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

constexpr std::int64_t kStreamElements = 32;

void noop(tl::Context& tl, std::optional<std::int64_t> cycles) {
  if (cycles.value_or(0) != 0) tl.cycles(*cycles);
}

// Asynchronous loads and stores: loads run up to `ahead` pairs before their stores.
void stream_ahead(tl::Context& tl, const tl::LocalShard& mine, std::int64_t calls, std::int64_t step,
                  std::int64_t ahead) {
  const std::int64_t places = mine.elements / step, buffers = ahead + 1;
  tl.require(ahead < places, "ahead must be less than the places that are visited in turn");
  struct Buffer {
    tl::TensorHandle room;
    tl::Future load, store;
  };
  std::vector<Buffer> ring(static_cast<std::size_t>(buffers));
  for (Buffer& buffer : ring) buffer.room = tl.empty({step}, mine.ptr.dtype());
  const auto place = [&](std::int64_t pair) { return mine.ptr + pair % places * step; };
  const std::int64_t loads = calls - calls / 2, stores = calls / 2;
  for (std::int64_t pair = 0; pair < loads + ahead; ++pair) {
    if (pair < loads) {
      Buffer& buffer = ring[static_cast<std::size_t>(pair % buffers)];
      if (pair >= buffers) tl.wait(buffer.store);
      buffer.load = tl.load_into_async(buffer.room, place(pair));
    }
    const std::int64_t done = pair - ahead;
    if (done < 0 || done >= loads) continue;
    Buffer& buffer = ring[static_cast<std::size_t>(done % buffers)];
    const tl::TensorHandle x = tl.wait(buffer.load);
    if (done < stores) buffer.store = tl.store_async(place(done), x);
  }
}

void stream(tl::Context& tl, tl::Ptr data, std::int64_t calls, std::optional<std::int64_t> elements,
            std::optional<std::int64_t> ahead) {
  const std::int64_t step = elements.value_or(kStreamElements);
  const tl::LocalShard mine = tl.shard(data);
  if (mine.elements == 0) return;
  tl.require(step > 0 && step <= mine.elements, "elements must be at least 1 and fit into the PE's shard");
  if (ahead.value_or(0) > 0) return stream_ahead(tl, mine, calls, step, *ahead);
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
                         {"data", "calls", "elements", "ahead"}, stream);
}

}  // namespace kb::kernels
