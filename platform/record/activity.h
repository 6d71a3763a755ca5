// Recorded occupancy of a resource over time (docs/architecture/seeing.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "platform/base/display_text.h"
#include "platform/base/units.h"

namespace kb::record {

// What a resource does in a machine. Findings and pictures ask for roles and never for kinds of blocks.
enum class Role : std::uint8_t { wire, decoder, memory, engine, dma, tcm, queue, buffer, command, state };
inline constexpr std::size_t kRoles = 10;
const DisplayText& word_of(Role role);  // "memory"

// Use of a resource within [begin, end), evenly distributed. `busy` exceeds the span when the resource has several
// units.
struct Usage {
  TimeFs begin = 0_fs, end = 0_fs;
  TimeFs busy = 0_fs;
  TimeFs wait = 0_fs;  // sum over all served requests
  std::uint64_t bytes = 0;
  std::uint64_t queue = 0;  // maximum length

  bool is_dense() const { return busy == end - begin; }
};

struct Bin {
  TimeFs busy = 0_fs, wait = 0_fs;
  std::uint64_t bytes = 0;
  std::uint64_t queue = 0;  // maximum length

  void add(const Usage& part) {
    accumulate(busy, part.busy);
    accumulate(wait, part.wait);
    bytes += part.bytes;
    queue = queue > part.queue ? queue : part.queue;
  }
  // Adds the part before `at`, which lies inside `usage`; the rest stays in `usage`. Sums are conserved.
  void take_until(TimeFs at, Usage& usage) {
    const TimeFs part = at - usage.begin;
    const double ratio = static_cast<double>(part.fs()) / static_cast<double>((usage.end - usage.begin).fs());
    const auto share = [ratio](std::int64_t value) {
      const auto rounded = static_cast<std::int64_t>(static_cast<double>(value) * ratio);
      return rounded < value ? rounded : value;
    };
    const TimeFs its_busy = usage.is_dense() ? part : TimeFs(share(usage.busy.fs()));
    accumulate(busy, its_busy);
    usage.busy -= its_busy;
    usage.begin = at;
    if (usage.wait != 0_fs) {
      const TimeFs its_wait(share(usage.wait.fs()));
      accumulate(wait, its_wait);
      usage.wait -= its_wait;
    }
    if (usage.bytes != 0) {
      const auto its_bytes = static_cast<std::uint64_t>(share(static_cast<std::int64_t>(usage.bytes)));
      bytes += its_bytes;
      usage.bytes -= its_bytes;
    }
    queue = queue > usage.queue ? queue : usage.queue;
  }
  void add(const Bin& other) {
    accumulate(busy, other.busy);
    accumulate(wait, other.wait);
    bytes += other.bytes;
    queue = queue > other.queue ? queue : other.queue;
  }
  // Subtracts `other`; the maximum queue length stays.
  void take(const Bin& other) {
    busy -= other.busy;
    wait -= other.wait;
    bytes -= other.bytes;
  }
  bool is_empty() const { return busy == 0_fs && wait == 0_fs && bytes == 0; }
};

}  // namespace kb::record
