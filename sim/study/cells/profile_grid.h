// What is measured for a profile of a machine.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/profile/launch_cell.h"

namespace kb::cells {

struct ProfileLimits {
  std::int64_t max_tokens = 2048;   // new tokens of a step
  std::int64_t max_seqs = 256;      // requests of a step
  std::int64_t max_context = 8192;  // tokens of a request
};

// Keys of the tables. Attention: chunks and decodes by themselves, whose times add up, so that any pair costs nothing.
class ProfileGrid {
 public:
  // Doubling grids, of decodes with the middles between two.
  explicit ProfileGrid(const ProfileLimits& limits);
  // Attention where a run has been: the keys of these cells of decodes and chunks.
  ProfileGrid(const ProfileLimits& limits, const std::vector<profile::Cell>& visited);

  const ProfileLimits& limits() const { return limits_; }
  const std::vector<std::int64_t>& tokens() const { return tokens_; }
  const std::vector<std::int64_t>& sequences() const { return sequences_; }
  const std::vector<profile::Cell>& decodes() const { return decodes_; }
  const std::vector<profile::Cell>& chunks() const { return chunks_; }
  // All that has to be simulated.
  std::vector<profile::Cell> cells() const;

 private:
  ProfileLimits limits_;
  std::vector<std::int64_t> tokens_, sequences_;
  std::vector<profile::Cell> decodes_, chunks_;
};

}  // namespace kb::cells
