// Seam: which requests are computed together, and what happens when the blocks run out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/serving/batch.h"
#include "sw/serving/job.h"

namespace kb::serving {

// What a policy has done so far.
struct PolicyCounts {
  std::int64_t preemptions = 0;
  std::int64_t recomputed_tokens =
      0;                        // length of preempted requests at their next admission, less what the prefix cache has
  std::int64_t hit_tokens = 0;  // input tokens found in the prefix cache when a request was admitted first
};

class IBatchPolicy {
 public:
  virtual ~IBatchPolicy() = default;
  // A request has arrived. The job lives until finish() has returned.
  virtual void arrive(Job& job) = 0;
  // Chooses the next batch and advances Job::computed of its members. It is empty only when there is no job.
  virtual void plan(Batch& batch) = 0;
  // A job of the latest batch has its last token.
  virtual void finish(Job& job) = 0;

  virtual std::size_t running() const = 0;
  virtual std::size_t waiting() const = 0;  // arrived, and has no blocks
  virtual std::int64_t blocks() const = 0;
  virtual std::int64_t used_blocks() const = 0;
  virtual const PolicyCounts& counts() const = 0;
  virtual std::vector<std::string> abstractions() const = 0;
};

}  // namespace kb::serving
