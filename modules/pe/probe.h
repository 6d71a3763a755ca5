// One waveform signal of a block; costs one comparison when waveforms are off.
#pragma once

#include <cstdint>

#include "platform/elab/block.h"

namespace kb::modules {

class Probe {
 public:
  Probe(const elab::Block& block, contract::ISignalObserver* observer, const char* name, int bits)
      : Probe(observer, {block.node_id(), "", name, bits, {}}) {}
  Probe(contract::ISignalObserver* observer, const contract::SignalInfo& info) : observer_(observer) {
    if (observer_ == nullptr) return;
    signal_ = observer_->declare(info);
    if (signal_ == contract::kNoSignal) observer_ = nullptr;
  }

  void set(TimeFs at, std::uint64_t value) {
    if (observer_ == nullptr || value == value_) return;
    value_ = value;
    observer_->change(signal_, at, value);
  }

 private:
  contract::ISignalObserver* observer_;
  contract::SignalId signal_ = contract::kNoSignal;
  std::uint64_t value_ = 0;
};

}  // namespace kb::modules
