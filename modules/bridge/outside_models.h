// How blocks reach models outside of the platform. Empty where there are none, as in `kernbench run`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "platform/contract/i_contents_keeper.h"
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
  // From now on the contents of these bytes are with the model.
  std::function<void(std::uint64_t pa, std::uint64_t nbytes, contract::IContentsKeeper&)> keep_outside;
  std::map<std::string, OutsidePort*> ports;  // by the name of their socket; each enters itself
};

}  // namespace kb::modules
