// Services of the device that a bridge uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/bridge/outside_fault.h"
#include "platform/elab/inbound_call_queue.h"
#include "platform/elab/outbound_call_queue.h"
#include "platform/elab/platform.h"
#include "platform/ops/op_types.h"

namespace kb::modules {

// The contents of the machine's memories.
class IContents {
 public:
  // Records an outside write that ends now: the bytes of `buffer`, in order, are at `destination`.
  virtual void write(NodeId component, std::vector<Extent> destination,
                     std::shared_ptr<const std::vector<std::byte>> buffer, TimeFs start, TimeFs end) = 0;
  // Memory contents after all completed operations; zeros in data mode off.
  virtual std::vector<std::byte> read(std::uint64_t pa, std::uint64_t nbytes) = 0;
  // Changes memory immediately and in zero time, for debuggers and loaders.
  virtual void poke(std::uint64_t pa, const unsigned char* bytes, std::uint64_t nbytes) = 0;

 protected:
  ~IContents() = default;
};

struct BridgeContext {
  elab::Platform& platform;
  elab::InboundCallQueue& mailbox;
  elab::OutboundCallQueue& outward;
  IContents& contents;
  bool check_protocol = true;
  FaultReport report_fault;
  // Called when a process of a bridge ends with an exception.
  std::function<void(std::exception_ptr)> failed;
  // Report function for a SocketChecker; empty when the protocol is not checked.
  FaultReport breach_report() const { return check_protocol ? report_fault : FaultReport(); }
  // Called when an open request has ended.
  std::function<void()> settled;
};

}  // namespace kb::modules
