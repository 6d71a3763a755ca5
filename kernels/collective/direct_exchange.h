// One rank of a collective whose ranks are linked with each other, every one with every other.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "kernels/collective/reduction.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// Elements of a tile.
struct Span {
  std::int64_t first = 0, size = 0;

  // Chunk `index` of those of `chunk` elements; empty behind the end.
  Span part(std::int64_t index, std::int64_t chunk) const;
  // Block `index` of `count`; the first ones have an element more where they do not divide.
  Span block(std::int64_t index, std::int64_t count) const;
  std::int64_t chunks(std::int64_t chunk) const { return (size + chunk - 1) / chunk; }
};

// Messages go straight to their rank, from memory and into memory. A kernel posts all receives of a segment before its
// first send, in the order in which the other side sends, so that no number of slots can make ranks wait in a cycle.
class DirectExchange {
 public:
  struct Size {
    std::int64_t ranks = 1, rank = 0;
    std::int64_t chunk = 0;  // elements per message; 0: as many as the scratch allows
    std::int64_t ahead = 1;  // chunks that are sent before the first one is waited for
    bool twice = true;       // twice as many links: two to a rank, four to the one that is as far ahead as behind
  };
  // `links` is what the labels begin with: links+d leads to the rank d further, links-d to the one d behind, around.
  DirectExchange(tl::Context& tl, tl::Ptr in, tl::Ptr out, const Size& size, const std::string& links);

  tl::Context& tl() const { return tl_; }
  std::int64_t ranks() const { return size_.ranks; }
  std::int64_t rank() const { return size_.rank; }
  std::int64_t chunk() const { return size_.chunk; }
  std::int64_t ahead() const { return size_.ahead; }
  tl::Ptr in(std::int64_t first = 0) const { return in_ + first; }
  tl::Ptr out(std::int64_t first = 0) const { return out_ + first; }
  std::int64_t around(std::int64_t distance) const { return ((rank() + distance) % ranks() + ranks()) % ranks(); }
  // How much further the rank is, [0, ranks).
  std::int64_t distance_to(std::int64_t rank) const { return (rank - this->rank() + ranks()) % ranks(); }

  // Sends to another rank. Does nothing when there are no elements.
  void send(std::int64_t rank, tl::Ptr from, std::int64_t elements);
  void send(std::int64_t rank, const tl::TensorHandle& value);
  // From another rank: a value, or into memory.
  tl::Future receive(std::int64_t rank, std::int64_t elements);
  tl::Future receive_into(std::int64_t rank, tl::Ptr into, std::int64_t elements);
  std::vector<tl::Future> receive_from(const std::vector<std::int64_t>& ranks, std::int64_t elements);
  // All other ranks, the one before this first: its messages come first when all send to the next one first.
  std::vector<std::int64_t> others() const;
  // Receives into memory; wait_all() waits for it. Does nothing when there are no elements.
  void collect(std::int64_t rank, tl::Ptr into, std::int64_t elements);
  void wait_all();

  // `whole` in segments whose receives are posted together; `streams` messages are received per chunk.
  std::vector<Span> segments(const Span& whole, std::int64_t streams) const;

 private:
  // Several links lead to each rank, and messages take turns on them: one is read while the credit of another returns.
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
  std::vector<Links> to_, from_;  // by distance
  std::vector<tl::Future> into_memory_;
};

// Copies a rank's own elements, chunk by chunk beside its messages.
class OwnCopy {
 public:
  // Copies nothing when both are the same place.
  OwnCopy(const DirectExchange& x, tl::Ptr from, tl::Ptr to, std::int64_t elements);
  static constexpr std::int64_t kBuffers = 4;
  void step();  // one chunk further
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

// Adds what comes from other ranks to a rank's own elements, one part after the other. Own elements of a few parts are
// loaded before they are needed.
class Accumulation {
 public:
  // `shift`: how much further results lie in `out` than the own elements in `in`.
  Accumulation(const DirectExchange& x, const Reduction& reduction, std::int64_t shift = 0);
  // Loads the next part, from `in`.
  void begin(const Span& part, std::vector<tl::Future> contributions);
  bool empty() const { return parts_.empty(); }
  // The oldest part, complete. `lower` of the contributions are of lower ranks, in the order of ranks; with 0 they are
  // added as they are.
  tl::TensorHandle sum(std::int64_t lower = 0);
  void store(const tl::TensorHandle& value);  // that sum() gave last, to `out`
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
  std::vector<std::vector<tl::Future>> stores_;  // by buffer; at most one
  std::deque<Part> parts_;
  Span summed_;
  std::size_t begun_ = 0, sums_ = 0;
};

}  // namespace kb::kernels
