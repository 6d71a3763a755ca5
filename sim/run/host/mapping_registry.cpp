#include "sim/run/host/mapping_registry.h"

#include <fmt/format.h>

#include <iterator>

#include "platform/address/address_space.h"
#include "platform/base/error.h"
#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"

namespace kb::sim {

void MappingRegistry::apply(const contract::MapRequest& request, const std::string& what) {
  std::map<std::uint64_t, Range>& ranges = ranges_[request.sip];
  const std::uint64_t begin = address::value_of(*request.tensor->va_base);
  const std::uint64_t end = begin + request.tensor->nbytes;
  const auto same = ranges.find(begin);
  const bool known = same != ranges.end() && same->second.end == end && same->second.tensor == request.tensor->id;
  if (request.unmap) {
    if (!known) {
      throw Error::program("ADDRESS_ERROR",
                           fmt::format("{}: it is not mapped on sip{}; it was unmapped before or never "
                                       "mapped",
                                       what, request.sip.value));
    }
    ranges.erase(same);
    return;
  }
  if (known) return;
  auto other = ranges.lower_bound(end);
  if (other != ranges.begin() && std::prev(other)->second.end > begin) {
    --other;
    throw Error::program(
        "ADDRESS_ERROR",
        fmt::format("{}: its range, to {:#x}, overlaps that of tensor '{}' at {} {:#x} to {:#x}; unmap "
                    "that first",
                    what, end - 1, other->second.name,
                    address::address_space_name(address::space_of(*request.tensor->va_base)), other->first,
                    other->second.end - 1));
  }
  ranges.emplace(begin, Range{end, request.tensor->id, request.tensor->name});
}

}  // namespace kb::sim
