// One rank of a collective with links between all pairs of ranks.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "kernels/collective/reduction.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// A range of elements of a tile.
struct Span {
  std::int64_t first = 0, size = 0;

  // Chunk `index` with chunks of `chunk` elements; empty beyond the end.
  Span part(std::int64_t index, std::int64_t chunk) const;
  // Block `index` of `count`; the first blocks have one element more when the division has a remainder.
  Span block(std::int64_t index, std::int64_t count) const;
  std::int64_t chunks(std::int64_t chunk) const { return (size + chunk - 1) / chunk; }
};

// Messages go directly from memory to the memory of their rank. A kernel posts all receives of a segment before its
// first send, in the order in which the other side sends, so that ranks cannot deadlock for any number of slots.
class DirectExchange {
 public:
  struct Size {
    std::int64_t ranks = 1, rank = 0;
    std::int64_t chunk = 0;  // elements per message; 0: as many as the scratch allows
    std::int64_t ahead = 1;  // chunks that are sent before the first one is waited for
    bool twice = true;       // twice as many links: two to each rank, four to the opposite one
  };
  // `links` is the prefix of the labels: links+d leads to the rank d ahead, links-d to the rank d behind, modulo ranks.
  DirectExchange(tl::Context& tl, tl::Ptr in, tl::Ptr out, const Size& size, const std::string& links);

  tl::Context& tl() const { return tl_; }
  std::int64_t ranks() const { return size_.ranks; }
  std::int64_t rank() const { return size_.rank; }
  std::int64_t chunk() const { return size_.chunk; }
  std::int64_t ahead() const { return size_.ahead; }
  tl::Ptr in(std::int64_t first = 0) const { return in_ + first; }
  tl::Ptr out(std::int64_t first = 0) const { return out_ + first; }
  std::int64_t around(std::int64_t distance) const { return ((rank() + distance) % ranks() + ranks()) % ranks(); }
  // Distance to the rank in ascending direction, [0, ranks).
  std::int64_t distance_to(std::int64_t rank) const { return (rank - this->rank() + ranks()) % ranks(); }

  // These send to another rank; without elements they have no effect.
  void send(std::int64_t rank, tl::Ptr from, std::int64_t elements);
  void send(std::int64_t rank, const tl::TensorHandle& value);
  // These receive from another rank: a value, or into memory.
  tl::Future receive(std::int64_t rank, std::int64_t elements);
  tl::Future receive_into(std::int64_t rank, tl::Ptr into, std::int64_t elements);
  std::vector<tl::Future> receive_from(const std::vector<std::int64_t>& ranks, std::int64_t elements);
  // All other ranks, beginning with the previous one, whose messages come first when all ranks send to the next one
  // first.
  std::vector<std::int64_t> others() const;
  // Receives into memory; wait_all() waits for it. Without elements it has no effect.
  void collect(std::int64_t rank, tl::Ptr into, std::int64_t elements);
  void wait_all();

  // Splits `whole` into segments whose receives are posted together; `streams` is the number of received messages per
  // chunk.
  std::vector<Span> segments(const Span& whole, std::int64_t streams) const;

 private:
  // Messages alternate between several links to a rank: one slot is read while the credit of another one returns.
  struct Links {
    std::vector<std::string> labels;
    std::size_t messages = 0;
    const std::string& next() { return labels[messages++ % labels.size()]; }
  };
  Links& to(std::int64_t rank) { return to_[static_cast<std::size_t>(distance_to(rank))]; }
  Links& from(std::int64_t rank) { return from_[static_cast<std::size_t>(distance_to(rank))]; }
  tl::Context& tl_;
  tl::Ptr in_, out_;
  Size size_;
  std::vector<Links> to_, from_;  // indexed by distance
  std::vector<tl::Future> into_memory_;
};

// Copies a rank's own elements chunk by chunk, concurrently with its messages.
class LocalCopy {
 public:
  // Has no effect when source and destination are equal.
  LocalCopy(const DirectExchange& x, tl::Ptr from, tl::Ptr to, std::int64_t elements);
  static constexpr std::int64_t kBuffers = 4;
  void step();  // copies the next chunk
  void finish();

 private:
  struct Under {
    tl::TensorHandle buffer;
    tl::Future future;
    Span part;
  };
  tl::Context& tl_;
  tl::Ptr from_, to_;
  Span whole_;
  std::int64_t chunk_, next_ = 0;
  tl::TensorHandle buffers_[kBuffers];
  std::deque<Under> loads_;
  std::deque<tl::Future> stores_;
};

// Adds contributions of other ranks to a rank's own elements, part by part. The own elements of a few parts are loaded
// in advance.
class Accumulation {
 public:
  // `shift`: offset of results in `out` relative to the own elements in `in`.
  Accumulation(const DirectExchange& x, const Reduction& reduction, std::int64_t shift = 0);
  // Starts to load the next part from `in`.
  void begin(const Span& part, std::vector<tl::Future> contributions);
  bool empty() const { return parts_.empty(); }
  // The sum of the oldest part. The first `lower` contributions belong to lower ranks, in rank order; with 0,
  // contributions are added in the given order.
  tl::TensorHandle sum(std::int64_t lower = 0);
  void store(const tl::TensorHandle& value);  // stores the latest result of sum() to `out`
  void finish();

 private:
  struct Part {
    Span span;
    tl::TensorHandle own;
    tl::Future load;
    std::vector<tl::Future> contributions;
  };
  const DirectExchange& x_;
  const Reduction& reduction_;
  std::int64_t shift_;
  std::vector<tl::TensorHandle> buffers_;
  std::vector<std::vector<tl::Future>> stores_;  // indexed by buffer; at most one entry each
  std::deque<Part> parts_;
  Span summed_;
  std::size_t entered_steps_ = 0, sums_ = 0;
};

}  // namespace kb::kernels
