#pragma once

#include "modules/bridge/bridge_context.h"
#include "sim/run/driver/data_model.h"

namespace kb::sim {

// The memory contents of a device, as its bridges access them.
class DeviceContents final : public modules::IContents {
 public:
  explicit DeviceContents(DataModel& data) : data_(data) {}

  void write(NodeId component, std::vector<Extent> destination, std::shared_ptr<const std::vector<std::byte>> buffer,
             TimeFs start, TimeFs end) override {
    data_.recorder().on_outside_write(component, std::move(destination), std::move(buffer), start, end);
  }
  std::vector<std::byte> read(std::uint64_t pa, std::uint64_t nbytes) override { return data_.read(pa, nbytes); }
  void poke(std::uint64_t pa, const unsigned char* bytes, std::uint64_t nbytes) override {
    data_.poke(pa, reinterpret_cast<const std::byte*>(bytes), nbytes);
  }

 private:
  DataModel& data_;
};

}  // namespace kb::sim
