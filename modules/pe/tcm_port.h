#pragma once

#include <cstdint>

#include "platform/base/units.h"

namespace kb::modules {

enum class TcmDirection : std::uint8_t { read, write };

// What PE_TCM offers to PE_DMA of the same PE: turns on the channels that PE_FETCH_STORE uses, too (P-42).
class ITcmPort {
 public:
  class IUser {
   public:
    virtual void on_tcm_access(TcmDirection direction, std::uint64_t cookie) = 0;

   protected:
    ~IUser() = default;
  };

  virtual TimeFs occupancy(TcmDirection direction, std::uint64_t nbytes) const = 0;
  // Holds the channel of `direction` for `time`, after all that asked before, and calls the user at the end. `nbytes`
  // counts as moved.
  virtual void access(TcmDirection direction, std::uint64_t nbytes, TimeFs time, IUser& user, std::uint64_t cookie) = 0;

 protected:
  ~ITcmPort() = default;
};

}  // namespace kb::modules
