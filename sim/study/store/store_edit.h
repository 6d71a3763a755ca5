// Uniting stores of launches, and removing what is not used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kb::store {

struct Merged {
  std::size_t added = 0;  // entries that `folder` did not have, or had without their events
  std::size_t known = 0;  // that it had
  std::size_t entries = 0;
  std::uint64_t bytes = 0;
};

// Adds to a folder, which is created where it is missing, what the others have; these stay as they are. The new file
// appears complete or not at all. Errors of read_store(); configuration Error when the folder cannot be written to.
Merged merge_stores(const std::string& folder, const std::vector<std::string>& others);

struct Pruned {
  std::size_t other_versions = 0, own_version = 0;  // entries that were removed
  std::size_t entries = 0;                          // that stay
  std::uint64_t bytes_before = 0, bytes = 0;
  std::size_t files_in_use = 0;  // that stay as they are, because a program is writing to them
};

// Removes entries until the folder has at most `most` bytes: first those of other versions than this program's, then
// its own, each from the one that has not been used for the longest time. Files of programs that are running stay. What
// stays is written before anything is removed. Errors of read_store(); configuration Error when the folder cannot be
// written to.
Pruned prune_store(const std::string& folder, std::uint64_t most);

}  // namespace kb::store
