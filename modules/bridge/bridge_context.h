// What a bridge needs of the device that it belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/bridge/outside_fault.h"
#include "platform/elab/inward_mailbox.h"
#include "platform/elab/outward_calls.h"
#include "platform/elab/platform.h"
#include "platform/ops/op_types.h"

namespace kb::modules {

// Contents of the machine's memories.
class IContents {
 public:
  // A write from outside that ended now: the bytes of `buffer`, in order, are at `destination`.
  virtual void write(NodeId component, std::vector<Extent> destination,
                     std::shared_ptr<const std::vector<std::byte>> buffer, TimeFs start, TimeFs end) = 0;
  // Memory as it is after everything that has ended; zeros when no data is kept.
  virtual std::vector<std::byte> read(std::uint64_t pa, std::uint64_t nbytes) = 0;
  // Changes memory at once and in no time, for debuggers and loaders.
  virtual void poke(std::uint64_t pa, const unsigned char* bytes, std::uint64_t nbytes) = 0;

 protected:
  ~IContents() = default;
};

struct BridgeContext {
  elab::Platform& platform;
  elab::InwardMailbox& mailbox;
  elab::OutwardCalls& outward;
  IContents& contents;
  bool check_protocol = true;
  FaultReport report_fault;
  // A process of a bridge ends with an exception.
  std::function<void(std::exception_ptr)> failed;
  // For a SocketChecker; empty when nothing is to be checked.
  FaultReport breach_report() const { return check_protocol ? report_fault : FaultReport(); }
  // Something open has come to its end.
  std::function<void()> settled;
};

}  // namespace kb::modules
