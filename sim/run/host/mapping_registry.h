// The mapped virtual or logical ranges of each SIP, to detect errors of the host program at the call.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "platform/base/ids.h"

namespace kb::contract {
struct MapRequest;
}

namespace kb::sim {

class MappingRegistry {
 public:
  // A map may be repeated for the same tensor and other PEs; program Error ADDRESS_ERROR when its range overlaps that
  // of another tensor. An unmap ends all maps of its tensor; ADDRESS_ERROR when there is none. Messages begin with
  // `what`.
  void apply(const contract::MapRequest& request, const std::string& what);

 private:
  struct Range {
    std::uint64_t end = 0;
    std::uint64_t tensor = 0;
    std::string name;
  };
  std::map<SipId, std::map<std::uint64_t, Range>> ranges_;  // by first byte
};

}  // namespace kb::sim
