// What a tensor handle needs from the runtime context that made it.
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

// Every way in which a host program can look at device contents: the closed list of K-38 (H-60). Each drains the
// caller's pending work first; metadata accessors are not in it.
enum class HostRead : std::uint8_t { to_host, data, element, slice, print, copy_source };
inline constexpr int kHostReads = static_cast<int>(HostRead::copy_source) + 1;
std::string_view host_read_name(HostRead read);

// `nbytes` of shard `shard` (index in the layout) from `offset` inside it.
struct ShardRun {
  std::size_t shard = 0;
  std::uint64_t offset = 0;
  std::uint64_t nbytes = 0;
  std::uint64_t buffer_offset = 0;  // where they are in the buffer that is written
};

class ITensorContext {
 public:
  virtual ~ITensorContext() = default;
  // What was read; zeros where data mode off does not know all of it.
  struct Contents {
    std::vector<std::byte> bytes;
    bool known = true;
  };

  // Drains the caller's pending work, reads the runs through the fabric and returns their bytes one after the other.
  virtual Contents read(HostRead why, const contract::TensorLayout& layout, const std::vector<ShardRun>& runs) = 0;
  // One MemoryWrite per run, submitted at once and not waited for (H-29, H-61). `known`: the bytes stand for themselves
  // and not for unknown ones.
  virtual void write(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs,
                     std::shared_ptr<const std::vector<std::byte>> buffer, bool known) = 0;
  virtual void fill(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs,
                    contract::Pattern pattern) = 0;

  // The last handle of tensor `id` is gone; its memory is returned later, by the context.
  virtual void on_last_handle_gone(std::uint64_t id) noexcept = 0;
};

}  // namespace kb::sw
