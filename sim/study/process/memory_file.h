// Unnamed files, which vanish when the process ends for any reason.
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
  // Everything that this process, or a child with the descriptor, has written.
  std::string contents() const;
  // Closed on exec. The position is at the begin until another user moves it.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

}  // namespace kb::sim
