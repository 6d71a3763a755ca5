// The tree that a viewer shows: a scope for each part of a node id and for each group of signals.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/contract/i_signal_observer.h"

namespace kb::waves {

// How a viewer names a signal: a dot in a name or group would be taken for a scope.
std::string shown_name(const std::string& name);
// Name of the string beside a signal that has words.
std::string text_name(const contract::SignalInfo& signal);
// "sip0.cube0.pe0.pe_cpu.kernel_state"; without the range of bits.
std::string shown_path(const contract::SignalInfo& signal);

struct ScopeVisitor {
  std::function<void(const std::string& name)> open;
  std::function<void()> close;
  std::function<void(std::uint32_t signal)> signal;
};
// Signals of one scope are together and in the order of their declaration; scopes are in the order of their names.
void visit_scopes(const std::vector<contract::SignalInfo>& signals, const ScopeVisitor& visitor);

}  // namespace kb::waves
