#include "modules/bridge/payload_data.h"

#include <algorithm>

namespace kb::modules {

void fill_payload(tlm::tlm_generic_payload& payload, const AccessPlan& plan, IContents& contents) {
  unsigned char* const data = payload.get_data_ptr();
  for_each_enabled(payload, plan, [&](std::uint64_t offset, const Extent& extent) {
    const std::vector<std::byte> bytes = contents.read(extent.pa, extent.nbytes);
    std::copy_n(reinterpret_cast<const unsigned char*>(bytes.data()), extent.nbytes, data + offset);
  });
}

PayloadWrite write_of(const tlm::tlm_generic_payload& payload, const AccessPlan& plan) {
  const unsigned char* const data = payload.get_data_ptr();
  PayloadWrite write;
  write.buffer = std::make_shared<std::vector<std::byte>>();
  write.buffer->reserve(payload.get_data_length());
  for_each_enabled(payload, plan, [&](std::uint64_t offset, const Extent& extent) {
    const auto* const first = reinterpret_cast<const std::byte*>(data + offset);
    write.buffer->insert(write.buffer->end(), first, first + extent.nbytes);
    if (!write.destination.empty() && write.destination.back().pa + write.destination.back().nbytes == extent.pa) {
      write.destination.back().nbytes += extent.nbytes;
    } else {
      write.destination.push_back(extent);
    }
  });
  return write;
}

}  // namespace kb::modules
