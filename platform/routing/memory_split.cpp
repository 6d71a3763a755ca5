#include "platform/routing/memory_split.h"

#include <algorithm>

#include "platform/address/phys_addr.h"

namespace kb::routing {

std::vector<MemoryPart> split_access(const AddressResolver& resolver, std::uint64_t pa, std::uint64_t nbytes) {
  const address::PhysAddr first = address::PhysAddr::decode(pa);
  const address::AddressConfig& config = resolver.config();
  std::vector<MemoryPart> parts;
  if (!first.is_hbm()) {
    parts.push_back({resolver.resolve_memory(first, nbytes), pa, 0, nbytes});
    return parts;
  }
  config.require_implemented(first, nbytes);
  const std::uint64_t base = first.hbm_offset();
  for (std::uint64_t done = 0; done < nbytes;) {
    const std::uint64_t offset = base + done;
    const std::uint64_t in_slice = config.hbm_slice_bytes - offset % config.hbm_slice_bytes;
    const std::uint64_t length = std::min(in_slice, nbytes - done);
    const auto part = address::PhysAddr::hbm_addr(first.sip(), first.cube(), offset);
    parts.push_back({resolver.resolve(part), part.value(), offset, length});
    done += length;
  }
  return parts;
}

}  // namespace kb::routing
