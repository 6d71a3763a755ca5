// The pins of a router, and two copies of it side by side.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "modules/rtl/rtl_model.h"

namespace kb::modules {

// A flit as the RTL has it: {last, first, out_port[5:0], tag[55:0]}.
struct RtlFlit {
  static std::uint64_t pack(bool last, bool first, std::uint32_t out_port, std::uint64_t tag) {
    return (std::uint64_t{last} << 63) | (std::uint64_t{first} << 62) | (std::uint64_t{out_port} << 56) | tag;
  }
  static std::uint64_t tag(std::uint64_t flit) { return flit & ((std::uint64_t{1} << 56) - 1); }
};

// A router of kPorts ports. The ports are those of modules/rtl/sv/router.sv, where their protocol is described; a set
// of wires of one bit is a number with a bit for each port.
class IRouterModel {
 public:
  static constexpr std::uint32_t kPorts = 8;
  static constexpr std::int64_t kMaxDepth = 16;  // of the queues
  struct Inputs {
    bool reset = false;
    std::uint8_t fifo_depth = 1;
    std::uint8_t in_valid = 0;
    std::uint8_t out_ready = 0;
    std::array<std::uint64_t, kPorts> in_flit{};
  };
  struct Outputs {
    std::uint8_t taken = 0;     // before the edge: in_valid and in_ready
    std::uint8_t in_ready = 0;  // before the edge, for those who watch the pins
    bool busy = false;          // after the edge, and so are the others
    std::uint8_t out_valid = 0;
    std::array<std::uint64_t, kPorts> out_flit{};  // of valid outputs
  };

  virtual ~IRouterModel() = default;
  // The inputs settle, the clock rises.
  virtual const Outputs& clock(const Inputs& inputs) = 0;
};

// Makes models of modules/rtl/sv/router.sv.
RtlMaker<IRouterModel> router_model();

// Two copies of a router, whose unwritten registers differ, clocked side by side; or one.
class RouterRunner {
 public:
  RouterRunner(const RtlMaker<IRouterModel>& make, bool check_unknown);

  void reset(std::uint8_t fifo_depth);
  // Model Error RTL_UNKNOWN_VALUE when an output depends on a register that was never written.
  const IRouterModel::Outputs& clock(const IRouterModel::Inputs& inputs);

 private:
  std::unique_ptr<IRouterModel> model_, shadow_;
};

}  // namespace kb::modules
