#pragma once

#include "modules/fabric/fabric_endpoint.h"

namespace kb::modules {

// Place of the PE's VA -> PA translation. Physical addresses are the only address model: every request that arrives
// here is refused overhead_ns after its arrival, and the refusal travels back to whoever asked (C-MCPU-13).
class PeMmu final : public FabricEndpoint {
 public:
  using FabricEndpoint::FabricEndpoint;

 protected:
  void on_request(payload::Transaction& transaction, TimeFs arrived) override;
};

}  // namespace kb::modules
