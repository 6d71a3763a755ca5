// Connects blocks with models outside the platform. Empty when there are none, as in `kernbench run`.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string>

#include "modules/bridge/outside_fault.h"
#include "platform/contract/i_external_contents.h"
#include "platform/elab/inbound_call_queue.h"
#include "platform/elab/outbound_call_queue.h"

namespace kb::modules {

class OutsidePort;

// One per platform (BlockContext::shared), filled in by the device that owns the platform.
struct OutsideModels {
  elab::OutboundCallQueue* outward = nullptr;
  elab::InboundCallQueue* mailbox = nullptr;
  bool check_protocol = true;
  FaultReport report_fault;
  // Called when a process of a bridge ends with an exception.
  std::function<void(std::exception_ptr)> failed;
  std::function<void()> settled;
  // Called when the model begins to store the contents of these bytes.
  std::function<void(std::uint64_t pa, std::uint64_t nbytes, contract::IExternalContents&)> map_external;
  std::map<std::string, OutsidePort*> ports;  // by the name of their socket; a port registers itself
};

}  // namespace kb::modules
