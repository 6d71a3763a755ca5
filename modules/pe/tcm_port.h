#pragma once

#include <cstdint>

#include "platform/account/place.h"
#include "platform/base/units.h"

namespace kb::modules {

enum class TcmDirection : std::uint8_t { read, write };

// Interface of PE_TCM for PE_DMA of the same PE: access to the channels that PE_FETCH_STORE also uses (P-42).
class ITcmPort {
 public:
  class IUser {
   public:
    virtual void on_tcm_access(TcmDirection direction, std::uint64_t cookie) = 0;

   protected:
    ~IUser() = default;
  };

  virtual TimeFs occupancy(TcmDirection direction, std::uint64_t nbytes) const = 0;
  // Occupies the channel of `direction` for `time` after all earlier requests, and calls the user at the end. `nbytes`
  // is counted in the statistics, for `place`.
  virtual void access(TcmDirection direction, std::uint64_t nbytes, TimeFs time, account::PlaceId place, IUser& user,
                      std::uint64_t cookie) = 0;

 protected:
  ~ITcmPort() = default;
};

}  // namespace kb::modules
