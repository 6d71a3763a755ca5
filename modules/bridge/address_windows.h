// Maps addresses of an external bus to physical addresses of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kb::modules {

struct AddressWindow {
  std::uint64_t bus = 0;  // first address on the bus
  std::uint64_t pa = 0;   // first physical address
  std::uint64_t size = 0;
};

class AddressWindows {
 public:
  // A part of an access; `offset` is relative to the first byte of the access.
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t pa = 0;
    std::uint64_t nbytes = 0;
  };

  // Without windows, bus addresses are physical addresses. Configuration Error that names `socket` when a window is
  // empty, exceeds the address space, or overlaps another one.
  AddressWindows(std::vector<AddressWindow> windows, const std::string& socket);

  // Splits [bus, bus + nbytes) where windows meet, and stops at the first unmapped address. nbytes >= 1.
  std::vector<Piece> find(std::uint64_t bus, std::uint64_t nbytes) const;
  // "0x0 to 0x3fffffff, 0x80000000 to 0x8000ffff"
  std::string text() const;

 private:
  std::vector<AddressWindow> windows_;  // sorted by bus address
};

}  // namespace kb::modules
