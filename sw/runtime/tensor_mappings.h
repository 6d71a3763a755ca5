// The virtual or logical side of living tensors: their ranges and what is mapped of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "platform/address/allocator.h"
#include "platform/base/error.h"
#include "platform/contract/request_id.h"
#include "sw/tensor/placement.h"

namespace kb::contract {
class IHost;
struct TensorLayout;
}  // namespace kb::contract

namespace kb::sw {

// Does nothing where tensors have physical addresses.
class TensorMappings {
 public:
  explicit TensorMappings(contract::IHost& host);

  // Gives the tensor its range. Program Error VA_ALLOCATION_ERROR or LA_ALLOCATION_ERROR naming the tensor when there
  // is none.
  void place(contract::TensorLayout& tensor);
  // Submits its map requests.
  std::vector<contract::RequestId> map(const std::shared_ptr<const contract::TensorLayout>& tensor,
                                       const DPPolicy& policy);
  // Maps it on `sip` as well when it is not, for a launch there. A tensor that is replicated over cubes stays where its
  // copies are.
  std::vector<contract::RequestId> map_on(SipId sip, std::uint64_t tensor);
  // Submits its unmap requests and returns the range, which may be handed out at once: messages to a PE keep their
  // order, so whatever is mapped there next arrives later.
  std::vector<contract::RequestId> unmap(std::uint64_t tensor);
  bool pristine() const { return virtual_.list().pristine() && logical_.list().pristine(); }
  static bool no_room(const Error& error);  // one of place()

 private:
  struct Mapped {
    std::shared_ptr<const contract::TensorLayout> tensor;
    Split cube_split{};
    std::vector<SipId> sips;
  };
  contract::IHost& host_;
  // One of them is used.
  address::VaAllocator virtual_;
  address::LaAllocator logical_;
  std::map<std::uint64_t, Mapped> mapped_;  // by tensor
};

}  // namespace kb::sw
