// Interface of the runtime context for tensor handles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kb::contract {
struct Pattern;
struct TensorLayout;
}  // namespace kb::contract

namespace kb::sw {

// All ways in which a host program can read device contents: the closed list of K-38 (H-60). Each drains the caller's
// pending work first; metadata accessors are not included.
enum class HostRead : std::uint8_t { to_host, data, element, slice, print, copy_source };
inline constexpr int kHostReads = static_cast<int>(HostRead::copy_source) + 1;
std::string_view host_read_name(HostRead read);

// `nbytes` of shard `shard` (an index in the layout), starting at `offset` in the shard.
struct ShardRun {
  std::size_t shard = 0;
  std::uint64_t offset = 0;
  std::uint64_t nbytes = 0;
  std::uint64_t buffer_offset = 0;  // offset in the written buffer
};

class ITensorContext {
 public:
  virtual ~ITensorContext() = default;
  // Read contents; zeros where data mode off does not know all of them.
  struct Contents {
    std::vector<std::byte> bytes;
    bool known = true;
  };

  // Drains the caller's pending work, reads the runs through the fabric, and returns their bytes in order.
  virtual Contents read(HostRead why, const contract::TensorLayout& layout, const std::vector<ShardRun>& runs) = 0;
  // Submits one MemoryWrite per run without waiting (H-29, H-61). `known`: the contents are valid and do not stand for
  // unknown ones.
  virtual void write(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs,
                     std::shared_ptr<const std::vector<std::byte>> buffer, bool known) = 0;
  virtual void fill(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs,
                    contract::Pattern pattern) = 0;

  // Called when the last handle of tensor `id` is gone; the context frees its memory later.
  virtual void on_last_handle_gone(std::uint64_t id) noexcept = 0;
};

}  // namespace kb::sw
