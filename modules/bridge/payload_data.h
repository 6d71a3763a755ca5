// Data of a generic payload: which bytes go where in the machine's memories.
#pragma once

#include <cstddef>
#include <memory>
#include <tlm>
#include <vector>

#include "modules/bridge/access_plan.h"
#include "modules/bridge/bridge_context.h"

namespace kb::modules {

// Copies the enabled bytes of a read out of memory into the payload.
void fill_payload(tlm::tlm_generic_payload& payload, const AccessPlan& plan, IContents& contents);

// The enabled bytes of a write, in order, and the extents that take them; no extents: every byte is disabled.
struct PayloadWrite {
  std::vector<Extent> destination;
  std::shared_ptr<std::vector<std::byte>> buffer;
};
PayloadWrite write_of(const tlm::tlm_generic_payload& payload, const AccessPlan& plan);

}  // namespace kb::modules
