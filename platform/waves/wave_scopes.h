// The scope tree of a waveform viewer: one scope per part of a node id and per group of signals.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/contract/i_signal_observer.h"

namespace kb::waves {

// Name of a signal in a viewer; dots are replaced, because a viewer takes them for scopes.
std::string shown_name(const std::string& name);
// Name of the string variable of a signal with words.
std::string text_name(const contract::SignalInfo& signal);
// "sip0.cube0.pe0.pe_cpu.kernel_state", without the bit range.
std::string shown_path(const contract::SignalInfo& signal);

struct ScopeVisitor {
  std::function<void(const std::string& name)> open;
  std::function<void()> close;
  std::function<void(std::uint32_t signal)> signal;
};
// Visits the scopes in the order of their names, and the signals of each scope in the order of declaration.
void visit_scopes(const std::vector<contract::SignalInfo>& signals, const ScopeVisitor& visitor);

}  // namespace kb::waves
