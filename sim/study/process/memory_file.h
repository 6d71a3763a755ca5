// Files without a name: nothing of them stays behind, however the process ends.
#pragma once

#include <string>
#include <string_view>

namespace kb::sim {

class MemoryFile {
 public:
  // Configuration Error with the system's reason.
  MemoryFile();
  ~MemoryFile();
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(std::string_view text);
  // Everything that this process or the child that got the descriptor has written.
  std::string contents() const;
  // Not inherited by what is executed. Its position is at the begin until somebody else uses it.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

}  // namespace kb::sim
