#pragma once

#include "modules/pe/pe_links.h"

namespace kb::modules {

// Place of the PE's inter-PE queue control. No command kind leads here; a task that does arrive is answered at once
// with the status UNSUPPORTED.
class PeIpcq final : public PeBlock {
 public:
  using PeBlock::PeBlock;

 private:
  void on_task(CommandTask& task) override;
};

}  // namespace kb::modules
