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

// A write of the host: either a repeated pattern or bytes of a host buffer (`host_buffer_ref`).
struct MemoryWrite {
  PeCoord owner;  // placement tag (H-11)
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
  std::optional<MemoryKind> memory;  // dst_mem_kind: memory that must contain the address; no value = AUTO
  Pattern pattern;
  // Source bytes, from `buffer_offset`; null = pattern. In data mode off the buffer may be empty, because contents do
  // not matter.
  std::shared_ptr<const std::vector<std::byte>> buffer;
  std::uint64_t buffer_offset = 0;
  // Data mode off needs the contents, because indices or masks may come from them (decision 0047); `buffer` is then not
  // empty.
  bool known = false;
};

// Adds a tensor's shards to the page tables (VA) or segment tables (LA) of PEs of one SIP, or removes them (A-47, A-73,
// It completes when every table has changed. Under LA the entries of a request replace all entries of the tensor
// on the PE.
struct MapRequest {
  struct Entry {
    std::uint64_t va = 0;  // without tag
    std::uint64_t pa = 0;  // not used by an unmap
    std::uint64_t nbytes = 0;
  };
  bool unmap = false;
  std::shared_ptr<const TensorLayout> tensor;  // the mapped tensor; its va_base and nbytes bound the entries
  SipId sip;
  std::vector<CubeId> cubes;  // ascending; empty = all cubes of the SIP
  std::vector<PeId> pes;      // ascending, the same in every cube; empty = all PEs of a cube
  std::vector<Entry> entries;
  std::uint64_t page_size = 0;  // page size of the virtual address allocator; not used under LA
};

struct MemoryRead {
  PeCoord owner;
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
};

}  // namespace kb::contract
