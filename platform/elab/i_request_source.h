// Blocks that can inject the requests of a trace.
#pragma once

#include "platform/base/units.h"
#include "platform/payload/transaction.h"

namespace kb::elab {

// Implemented by the blocks of `pe_dma` and `pcie_ep`.
class IRequestSource {
 public:
  static constexpr const char* kRole = "a source of requests";

  // Offers the request, whose route starts here, to the first wire at absolute time `at` >= now. Requests with equal
  // times keep their order. transaction.initiator gets the response.
  virtual void inject(payload::Transaction& transaction, TimeFs at) = 0;
  // Overhead of this block before a request is offered.
  virtual TimeFs overhead() const = 0;

 protected:
  ~IRequestSource() = default;
};

}  // namespace kb::elab
