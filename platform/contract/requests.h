// Requests a host may make of the device and what it gets back (H-9 .. H-12, H-31 .. H-41). Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/memory_kind.h"
#include "platform/base/names.h"
#include "platform/base/units.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/launch_summary.h"
#include "platform/contract/tensor_layout.h"
#include "platform/contract/time_shares.h"

namespace kb::contract {

enum class FailurePolicy { fail_fast, collect_all };

// One launch on one SIP (H-31). Cubes and PEs are explicit and not empty.
struct KernelLaunch {
  std::string kernel;
  std::vector<KernelArg> args;  // one for each parameter of the kernel, in their order (bind_arguments)
  SipId sip;
  std::vector<CubeId> cubes;  // ascending
  std::vector<PeId> pes;      // ascending, the same in every cube
  FailurePolicy failure_policy = FailurePolicy::fail_fast;
  std::optional<TimeFs> target_start;  // absolute; otherwise IO_CPU stamps (H-47, H-49)
  std::string label;                   // shown in reports only

  std::string name() const { return launch_name(kernel, label); }
};

struct Pattern {
  std::uint64_t value = 0;  // little-endian element, `width` bytes
  std::uint8_t width = 1;   // 1, 2, 4 or 8
};

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
  bool known =
      false;  // indices and masks may come from it in data mode off (decision 0047); then `buffer` is not empty
};

// Puts a tensor's shards into the page tables (VA) or segment tables (LA) of PEs of one SIP, or takes them out
// . Completes when every table has changed. Under LA the entries of a
// request are all that the PE is to know of the tensor.
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

// What one PE measured during a launch (H-37).
struct PeResult {
  PeCoord pe;
  TimeFs start = 0_fs;           // kernel body entered
  TimeFs exec = 0_fs;            // pe_exec: body start to end
  TimeFs dma = 0_fs;             // DMA engine busy on behalf of the launch
  TimeFs compute = 0_fs;         // GEMM and MATH busy
  std::int64_t macs = 0;         // MACs for which PE_GEMM was occupied, padding included (P-28)
  std::int64_t useful_macs = 0;  // MACs of elements that exist
  TimeFs late = 0_fs;            // arrival after the start stamp, 0 if in time (H-50)
  TimeFs ready = 0_fs;           // when launch and PE were ready; start - ready is the wait at the barrier
  TimeShares shares;             // how `exec` divides
  std::string error_code;        // empty = ok
  std::string error_message;
};

struct Completion {
  bool ok = true;
  std::string error_code;     // empty iff ok (H-12)
  std::string error_message;  // names the failing (sip, cube, pe)
  TimeFs submitted = 0_fs;
  TimeFs completed = 0_fs;
  // Launches only. The results of the PEs, in (sip, cube, pe) order, are dropped when many more launches have completed
  // (IHost::completion).
  LaunchSummary summary;
  std::vector<PeResult> pes;
};

using RequestId = std::uint64_t;

}  // namespace kb::contract
