// Requests of the host for memory and translation tables (H-9 .. H-12, A-47, A-73). Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/memory_kind.h"
#include "platform/contract/pattern.h"

namespace kb::contract {

struct TensorLayout;

// Bytes written by the host: a repeated pattern or a host buffer (`host_buffer_ref`), never both.
struct MemoryWrite {
  PeCoord owner;  // placement tag (H-11)
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
  std::optional<MemoryKind> memory;  // dst_mem_kind: what the address has to lie in; absent = AUTO
  Pattern pattern;
  // nbytes from `buffer_offset`; null = pattern. In data mode off it may be empty: the contents do not matter.
  std::shared_ptr<const std::vector<std::byte>> buffer;
  std::uint64_t buffer_offset = 0;
  // Indices and masks may come from it in data mode off (decision 0047); then `buffer` is not empty.
  bool known = false;
};

// Puts a tensor's shards into the page tables (VA) or segment tables (LA) of PEs of one SIP, or takes them out
// . Completes when every table has changed. Under LA the entries of a request are all that the PE is
// to know of the tensor.
struct MapRequest {
  struct Entry {
    std::uint64_t va = 0;  // plain, without its tag
    std::uint64_t pa = 0;  // no meaning in an unmap
    std::uint64_t nbytes = 0;
  };
  bool unmap = false;
  std::shared_ptr<const TensorLayout> tensor;  // whose; its va_base and nbytes bound the entries
  SipId sip;
  std::vector<CubeId> cubes;  // ascending; empty = every cube of the SIP
  std::vector<PeId> pes;      // ascending, the same in every cube; empty = every PE of a cube
  std::vector<Entry> entries;
  std::uint64_t page_size = 0;  // page size of the allocator of virtual addresses; not used under LA
};

struct MemoryRead {
  PeCoord owner;
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
};

}  // namespace kb::contract
