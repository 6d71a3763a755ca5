// How blocks reach models outside of the platform. Empty where there are none, as in `kernbench run`.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "platform/elab/inward_mailbox.h"
#include "platform/elab/outward_calls.h"

namespace kb::modules {

class OutsidePort;

// One per platform (BlockContext::shared); filled in by the device that the platform belongs to.
struct OutsideModels {
  elab::OutwardCalls* outward = nullptr;
  elab::InwardMailbox* mailbox = nullptr;
  bool check_protocol = true;
  std::function<void(const std::string&)> report_problem;
  std::function<void()> settled;
  std::map<std::string, OutsidePort*> ports;  // by the name of their socket; each enters itself
};

}  // namespace kb::modules
