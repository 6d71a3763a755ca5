// Copies data between generic payloads and the machine's memories.
#pragma once

#include <cstddef>
#include <memory>
#include <tlm>
#include <vector>

#include "modules/bridge/access_plan.h"
#include "modules/bridge/bridge_context.h"

namespace kb::modules {

// Copies the enabled bytes of a read from memory to the payload.
void fill_payload(tlm::tlm_generic_payload& payload, const AccessPlan& plan, IContents& contents);

// The enabled bytes of a write, in order, and their destination; no extents when every byte is disabled.
struct PayloadWrite {
  std::vector<Extent> destination;
  std::shared_ptr<std::vector<std::byte>> buffer;
};
PayloadWrite write_of(const tlm::tlm_generic_payload& payload, const AccessPlan& plan);

}  // namespace kb::modules
