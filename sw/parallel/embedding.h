// Embedding table, with its rows split over the ranks of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sw/parallel/model_parallel.h"

namespace kb::sw {

struct EmbeddingOptions {
  Dtype dtype = Dtype::f16;
  std::optional<std::uint64_t>
      seed;  // of the table, uniform in [-1, 1), independent of the number of ranks; no value: zeros
  std::string name = "embedding";
};

// Rank r holds the rows [r, r + 1) * tokens / size. Rows of other ranks give zero, and the result is the sum over the
// ranks.
class VocabParallelEmbedding {
 public:
  // SHAPE_ERROR when `tokens` cannot be split evenly; DEVICE_ERROR when the rank is bound to another SIP.
  VocabParallelEmbedding(ModelParallel& mp, std::int64_t tokens, std::int64_t width,
                         const EmbeddingOptions& options = {});

  // ids (1, m), i32 or i64 -> (m, width), equal on every rank, split by columns over the SIP. `ids` is a tensor on the
  // device, or a host tensor (Runtime::from_host), which is copied. VALUE_ERROR for an id outside the table if the
  // contents are known: always on the host, and on the device when the run computes data.
  Tensor forward(const Tensor& ids) const;

  void load(const HostArray& table) const;  // the whole table (tokens, width)
  const Tensor& table() const { return table_; }

 private:
  Tensor deployed(const Tensor& ids) const;

  ModelParallel& mp_;
  std::int64_t tokens_, width_;
  EmbeddingOptions options_;
  Tensor table_;  // (tokens / size, width)
};

}  // namespace kb::sw
