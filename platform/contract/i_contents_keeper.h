// The seam between the machine's contents and a model outside that keeps some of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kb::contract {

// Reads and writes at once and in no time, by physical address. Program Error MEMORY_ERROR when the model does not.
class IContentsKeeper {
 public:
  virtual void read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) = 0;
  virtual void write(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes) = 0;

 protected:
  ~IContentsKeeper() = default;
};

}  // namespace kb::contract
