#include "kernels/collective/line_exchange.h"

#include <vector>

#include "kernels/tl/scratch.h"

namespace kb::kernels {

using tl::Context;
using tl::TensorHandle;

void combine_ring(Context& tl, const Axis& axis, std::int64_t size, const Reduction& reduction, TensorHandle& acc) {
  if (size < 2) return;
  tl.send(axis.up, acc);  // sends the current contents; later additions do not change the message
  for (std::int64_t round = 1; round < size; ++round) {
    tl::Scratch message(tl);
    const TensorHandle block = tl.recv(axis.down, acc.shape(), acc.dtype());
    if (round < size - 1) tl.send(axis.up, block);  // before the addition, so that the next member need not wait for it
    reduction.add(acc, block);
  }
}

void combine_ring_in_order(Context& tl, const Axis& axis, std::int64_t size, std::int64_t place,
                           const Reduction& reduction, TensorHandle& acc) {
  if (size < 2) return;
  tl::Scratch messages(tl);
  std::vector<TensorHandle> blocks(static_cast<std::size_t>(size));  // by place; the caller's own is empty
  tl.send(axis.up, acc);
  for (std::int64_t round = 1; round < size; ++round) {
    const TensorHandle block = tl.recv(axis.down, acc.shape(), acc.dtype());
    if (round < size - 1) tl.send(axis.up, block);
    blocks[static_cast<std::size_t>((place - round + size) % size)] = block;
  }
  // Addition of two terms is commutative: acc += (sum of the lower ones).
  if (place == 1) reduction.add(acc, blocks[0]);
  if (place > 1) {
    TensorHandle below = tl.empty(acc.shape(), acc.dtype());
    tl.assign(below, blocks[0]);
    for (std::int64_t i = 1; i < place; ++i) reduction.add(below, blocks[static_cast<std::size_t>(i)]);
    reduction.add(acc, below);
  }
  for (std::int64_t i = place + 1; i < size; ++i) reduction.add(acc, blocks[static_cast<std::size_t>(i)]);
}

void combine_chain(Context& tl, const Axis& axis, std::int64_t size, std::int64_t place, const Reduction& reduction,
                   TensorHandle& acc) {
  tl::Scratch message(tl);
  if (place > 0) reduction.add(acc, tl.recv(axis.down, acc.shape(), acc.dtype()));
  if (place < size - 1) {
    tl.send(axis.up, acc);
    tl.recv_into(axis.up, acc);
  }
  if (place > 0) tl.send(axis.down, acc);
}

}  // namespace kb::kernels
