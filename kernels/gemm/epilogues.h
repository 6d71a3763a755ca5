// Creates the epilogues of composites from a textual chain and the tensors of a launch.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernels/tl/tl.h"

namespace kb::kernels {

// Tensor operands of the chain's steps that have no number: `bias` and `scale` (for dequant; with several rows, one per
// K tile) are loaded as a whole. The operands of PE_MATH operations are read tile by tile, one tensor per operand in
// the order of the chain.
struct EpilogueTensors {
  std::optional<tl::Ptr> bias, scale;
  std::array<std::optional<tl::Ptr>, 4> operands;
};

// Errors name a missing tensor as bias, scale, or operand1 to operand4.
std::vector<tl::Epilogue> make_epilogues(tl::Context& tl, const std::string& chain, const EpilogueTensors& tensors);

}  // namespace kb::kernels
