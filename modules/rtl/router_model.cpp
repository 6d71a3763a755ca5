#include "modules/rtl/router_model.h"

#include <fmt/format.h>

namespace kb::modules {

RouterRunner::RouterRunner(const RtlMaker<IRouterModel>& make, bool check_unknown)
    : model_(make(RtlFill::zeros)), shadow_(check_unknown ? make(RtlFill::ones) : nullptr) {}

void RouterRunner::reset(std::uint8_t fifo_depth) {
  IRouterModel::Inputs inputs;
  inputs.reset = true;
  inputs.fifo_depth = fifo_depth;
  for (int edge = 0; edge < 2; ++edge) {
    model_->clock(inputs);
    if (shadow_ != nullptr) shadow_->clock(inputs);
  }
}

const IRouterModel::Outputs& RouterRunner::clock(const IRouterModel::Inputs& inputs) {
  const IRouterModel::Outputs& out = model_->clock(inputs);
  if (shadow_ == nullptr) return out;
  const IRouterModel::Outputs& other = shadow_->clock(inputs);
  const auto fail = [](const std::string& signal) {
    throw rtl_error(RtlFault::unknown, signal + " depends on a register that was never written (X)");
  };
  if (out.taken != other.taken) fail("in_ready");
  if (out.busy != other.busy) fail("busy");
  if (out.out_valid != other.out_valid) fail("out_valid");
  for (std::uint32_t port = 0, left = out.out_valid; left != 0; ++port, left >>= 1) {
    if ((left & 1u) != 0 && out.out_flit[port] != other.out_flit[port]) fail(fmt::format("out_flit of port {}", port));
  }
  return out;
}

}  // namespace kb::modules
