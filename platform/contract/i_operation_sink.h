// Receiver of finished operations. PE blocks and the host port report to it and do not depend on the data engine behind
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/account/place.h"
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
  // Reports a PE command that ends now. `component` is the engine's node. Calls come in completion order. The command
  // has the extents that the kernel gave; `translator` makes them physical (P-78), and is null when they are physical.
  virtual void on_command(NodeId component, const Command& command, const ITranslator* translator, TimeFs start,
                          TimeFs end) = 0;
  // Reports a tile stage of a composite that ends now (P-72), for timing only: the composite itself is reported when it
  // is done.
  struct TileStage {
    const plan::Stage& stage;
    std::uint64_t composite = 0;  // its number on this PE
    std::uint64_t tile = 0;
    account::PlaceId place;
    const Command* command = nullptr;  // the composite
  };
  virtual void on_stage(NodeId component, const TileStage& tile, TimeFs start, TimeFs end) {
    static_cast<void>(component), static_cast<void>(tile), static_cast<void>(start), static_cast<void>(end);
  }
  // A step of a message between PEs. When it ends, the bytes of `source` (extents as in a command) are at
  // `destination`.
  enum class MessageStep : std::uint8_t { send, copy, receive };
  struct MessageCopy {
    MessageStep step{};
    const std::vector<Extent>& source;
    const std::vector<Extent>& destination;
    std::string_view direction;  // queue of the reporting PE
    std::uint64_t sequence = 0;  // number of the message in its queue
    account::PlaceId place;      // of the send, or of the receive
  };
  virtual void on_message(NodeId component, const MessageCopy& copy, const ITranslator* translator, TimeFs start,
                          TimeFs end) {
    static_cast<void>(component), static_cast<void>(copy), static_cast<void>(translator), static_cast<void>(start),
        static_cast<void>(end);
  }
  virtual void on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                                TimeFs at) = 0;
  virtual void on_host_write(NodeId component, const MemoryWrite& write, TimeFs start, TimeFs end) = 0;
  // Contents of memory for a kernel; program Error DATA_ACCESS where the data mode forbids it.
  virtual std::vector<std::byte> kernel_read(const std::vector<Extent>& extents) = 0;
  // Like kernel_read(), but returns no value when data mode off does not know the bytes.
  virtual std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) {
    return kernel_read(extents);
  }
};

}  // namespace kb::contract
