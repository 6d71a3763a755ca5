// Where finished operations are reported. PE blocks and the host port write to it; the data engine behind it is not
// known to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/ops/op_types.h"

namespace kb::plan {
struct Stage;
}

namespace kb::contract {

struct Command;
class ITranslator;
struct MemoryWrite;

class IOperationSink {
 public:
  virtual ~IOperationSink() = default;
  // A PE command that ended now. `component` is the engine's node; the order of calls is completion order. Its extents
  // are as the kernel gave them: `translator` makes them physical (P-78); null: they are.
  virtual void on_command(NodeId component, const Command& command, const ITranslator* translator, TimeFs start,
                          TimeFs end) = 0;
  // A stage of a composite's tile that ended now (P-72): timing only, the composite itself is reported when it is done.
  // `composite` is its number on that PE.
  virtual void on_stage(NodeId component, const plan::Stage& stage, std::uint64_t composite, std::uint64_t tile,
                        TimeFs start, TimeFs end) {
    static_cast<void>(component), static_cast<void>(stage), static_cast<void>(composite), static_cast<void>(tile),
        static_cast<void>(start), static_cast<void>(end);
  }
  // A step of a message between PEs that ended now: its bytes were taken from `source` (as in a command) and are at
  // `destination`.
  enum class MessageStep : std::uint8_t { send, copy, receive };
  struct MessageCopy {
    MessageStep step{};
    const std::vector<Extent>& source;
    const std::vector<Extent>& destination;
    std::string_view direction;  // direction that the reporting PE sends to or receives from
    std::uint64_t sequence = 0;  // sequence number of the message in its queue
  };
  virtual void on_message(NodeId component, const MessageCopy& copy, const ITranslator* translator, TimeFs start,
                          TimeFs end) {
    static_cast<void>(component), static_cast<void>(copy), static_cast<void>(translator), static_cast<void>(start),
        static_cast<void>(end);
  }
  virtual void on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                                TimeFs at) = 0;
  virtual void on_host_write(NodeId component, const MemoryWrite& write, TimeFs start, TimeFs end) = 0;
  // Contents for a kernel that looks at them; program Error DATA_ACCESS where the mode forbids it.
  virtual std::vector<std::byte> kernel_read(const std::vector<Extent>& extents) = 0;
  // The same, but nothing where data mode off does not know them.
  virtual std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) {
    return kernel_read(extents);
  }
};

}  // namespace kb::contract
