// Blocks at which requests of a trace begin.
#pragma once

#include "platform/base/units.h"
#include "platform/payload/transaction.h"

namespace kb::elab {

// Implemented by the blocks behind `pe_dma` and `pcie_ep`.
class IRequestSource {
 public:
  static constexpr const char* kRole = "a source of requests";

  // Offers the request, whose route starts here, to the first wire at absolute time `at`, not before now. Requests of
  // one time keep their order. transaction.initiator gets the response.
  virtual void inject(payload::Transaction& transaction, TimeFs at) = 0;
  // What a request of this block pays before it is offered.
  virtual TimeFs overhead() const = 0;

 protected:
  ~IRequestSource() = default;
};

}  // namespace kb::elab
