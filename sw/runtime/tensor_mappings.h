// Virtual or logical address ranges of living tensors, and their mappings.
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

// Has no effect where tensors have physical addresses.
class TensorMappings {
 public:
  explicit TensorMappings(contract::IHost& host);

  // Allocates the tensor's range. Program Error VA_ALLOCATION_ERROR or LA_ALLOCATION_ERROR with the tensor's name when
  // there is no free range.
  void place(contract::TensorLayout& tensor);
  // Submits the map requests of the tensor.
  std::vector<contract::RequestId> map(const std::shared_ptr<const contract::TensorLayout>& tensor,
                                       const DPPolicy& policy);
  // Also maps the tensor on `sip` if it is not mapped there, for a launch on that SIP. A tensor that is replicated over
  // cubes is only mapped where its copies are.
  std::vector<contract::RequestId> map_on(SipId sip, std::uint64_t tensor);
  // Submits the unmap requests and frees the range, which may be reused immediately: messages to a PE keep their order,
  // so that later mappings arrive after the unmap.
  std::vector<contract::RequestId> unmap(std::uint64_t tensor);
  bool pristine() const { return virtual_.list().pristine() && logical_.list().pristine(); }
  static bool is_out_of_addresses(const Error& error);  // true for an error of place()

 private:
  struct Mapped {
    std::shared_ptr<const contract::TensorLayout> tensor;
    Split cube_split{};
    std::vector<SipId> sips;
  };
  contract::IHost& host_;
  // Only one of these is used.
  address::VaAllocator virtual_;
  address::LaAllocator logical_;
  std::map<std::uint64_t, Mapped> mapped_;  // indexed by tensor
};

}  // namespace kb::sw
