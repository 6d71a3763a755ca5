// A PE without timing: the data engine computes commands immediately, so that the results of kernels can be checked
// without SystemC.
#pragma once

#include <utility>
#include <vector>

#include "kernels/tl/recording_pe.h"
#include "platform/data/data_engine.h"
#include "platform/data/memory_store.h"
#include "platform/data/operation_recorder.h"

namespace kb::tests {

class FunctionalPe final : public contract::IPe {
 public:
  FunctionalPe(contract::PeInfo info, contract::IOperationSink& sink) : info_(info), sink_(sink) {}

  const contract::PeInfo& info() const override { return info_; }
  void execute(const contract::Command& command) override {
    ++commands_;
    sink_.on_command(NodeId{0}, command, nullptr, 0_fs, 0_fs);
  }
  void write_scratch(std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes) override {
    sink_.on_scratch_write(NodeId{0}, pa, dtype, std::move(bytes), 0_fs);
  }
  std::vector<std::byte> read(const std::vector<Extent>& extents) override { return sink_.kernel_read(extents); }
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) override {
    return sink_.read_if_known(extents);
  }
  std::size_t commands() const { return commands_; }

 private:
  contract::PeInfo info_;
  contract::IOperationSink& sink_;
  std::size_t commands_ = 0;
};

}  // namespace kb::tests
