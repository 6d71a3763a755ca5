// The pins of a router, and a driver with two copies of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "modules/rtl/rtl_model.h"

namespace kb::modules {

// The RTL encoding of a flit: {last, first, out_port[5:0], tag[55:0]}.
struct RtlFlit {
  static std::uint64_t pack(bool last, bool first, std::uint32_t out_port, std::uint64_t tag) {
    return (std::uint64_t{last} << 63) | (std::uint64_t{first} << 62) | (std::uint64_t{out_port} << 56) | tag;
  }
  static std::uint64_t tag(std::uint64_t flit) { return flit & ((std::uint64_t{1} << 56) - 1); }
};

// A router with kPorts ports. Ports and protocol are described in modules/rtl/sv/router.sv; a set of one-bit wires is a
// number with one bit per port.
class IRouterModel {
 public:
  static constexpr std::uint32_t kPorts = 8;
  static constexpr std::int64_t kMaxDepth = 16;  // depth of the queues
  struct Inputs {
    bool reset = false;
    std::uint8_t fifo_depth = 1;
    std::uint8_t in_valid = 0;
    std::uint8_t out_ready = 0;
    std::array<std::uint64_t, kPorts> in_flit{};
  };
  struct Outputs {
    std::uint8_t taken = 0;     // before the edge: in_valid and in_ready
    std::uint8_t in_ready = 0;  // before the edge, for observers of the pins
    bool busy = false;          // after the edge, like the following outputs
    std::uint8_t out_valid = 0;
    std::array<std::uint64_t, kPorts> out_flit{};  // valid outputs only
  };

  virtual ~IRouterModel() = default;
  // Settles the inputs and applies a rising clock edge.
  virtual const Outputs& clock(const Inputs& inputs) = 0;
};

// Creates models of modules/rtl/sv/router.sv.
RtlMaker<IRouterModel> router_model();

// Clocks two copies of a router with different contents of unwritten registers, or a single copy.
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
