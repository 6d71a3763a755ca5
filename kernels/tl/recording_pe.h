// A PE that only records the commands of a kernel, so that kernels run in a unit test without SystemC (P-52).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

class RecordingPe final : public contract::IPe {
 public:
  struct ScratchWrite {
    std::uint64_t pa = 0;
    std::vector<std::byte> bytes;
    std::size_t commands_before = 0;  // number of earlier commands
  };

  static constexpr std::uint64_t kScratchPa = 0x10000;
  static constexpr std::uint64_t kMessageBase = 0xe000000000000000;
  static contract::PeInfo default_info();  // sip0.cube0.pe0 of 1 x 1, 1 MiB of scratch at kScratchPa, no dispatch cost

  explicit RecordingPe(contract::PeInfo info = default_info());

  const contract::PeInfo& info() const override { return info_; }
  void execute(const contract::Command& command) override;
  void write_scratch(std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes) override;
  // Returns the result of `contents`, or zeros.
  std::vector<std::byte> read(const std::vector<Extent>& extents) override;
  // Returns no value when `blind`, as in data mode off.
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) override;

  const std::vector<contract::Command>& commands() const { return commands_; }
  const std::vector<ScratchWrite>& scratch_writes() const { return scratch_writes_; }
  std::vector<std::string> command_names() const;  // "dma_read", "gemm", "math.add", "cpu_overhead", ...
  void clear();

  std::function<std::vector<std::byte>(const std::vector<Extent>&)> contents;
  bool blind = false;
  // called after recording; may throw the errors of a failed access
  std::function<void(const contract::Command&)> on_execute;

 private:
  contract::PeInfo info_;
  std::vector<contract::Command> commands_;
  std::vector<ScratchWrite> scratch_writes_;
};

}  // namespace kb::tl
