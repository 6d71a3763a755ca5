// Connects blocks with models outside the platform. Empty when there are none, as in `kernbench run`.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string>

#include "modules/bridge/outside_fault.h"
#include "platform/contract/i_contents_keeper.h"
#include "platform/elab/inward_mailbox.h"
#include "platform/elab/outward_calls.h"

namespace kb::modules {

class OutsidePort;

// One per platform (BlockContext::shared), filled in by the device that owns the platform.
struct OutsideModels {
  elab::OutwardCalls* outward = nullptr;
  elab::InwardMailbox* mailbox = nullptr;
  bool check_protocol = true;
  FaultReport report_fault;
  // Called when a process of a bridge ends with an exception.
  std::function<void(std::exception_ptr)> failed;
  std::function<void()> settled;
  // Called when the model begins to store the contents of these bytes.
  std::function<void(std::uint64_t pa, std::uint64_t nbytes, contract::IContentsKeeper&)> keep_outside;
  std::map<std::string, OutsidePort*> ports;  // by the name of their socket; a port registers itself
};

}  // namespace kb::modules
