// Interface to an outside model that stores a part of the machine's memory contents.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kb::contract {

// Accesses by physical address that take no simulated time. Program Error MEMORY_ERROR when the outside model fails.
class IExternalContents {
 public:
  virtual void read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) = 0;
  virtual void write(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes) = 0;

 protected:
  ~IExternalContents() = default;
};

}  // namespace kb::contract
