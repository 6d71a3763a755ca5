// Everything that a store of launches has (M-96).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/study/step/store_lines.h"

namespace kb::store {

struct Entry {
  std::string value;  // of its line
  step::StoredAnswer stored;
  std::int64_t last_use = 0;  // second since 1970
  std::string file;

  std::uint64_t bytes(const std::string& key) const;  // of its line
};

struct Store {
  std::string place;  // folder, or a single file
  std::vector<std::string> files;
  std::uint64_t bytes = 0;  // of the files
  std::size_t damaged = 0;  // lines that have another checksum, or are cut short
  std::map<std::string, Entry> entries;
};

// Reads a folder or one of its files. Configuration Error when it cannot be read or is not a store; Model Error that
// names the key when one launch has several times.
Store read_store(const std::string& place);

// Adds an entry to those that are known; true when it says more than the one that is there. Model Error when the
// simulated times, or the events, of two programs of the same version differ.
bool unite(std::map<std::string, Entry>& entries, const std::string& key, const Entry& entry);

}  // namespace kb::store
