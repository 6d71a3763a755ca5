// Epilogues of the composites of kernels, out of a chain in words and the tensors of a launch.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernels/tl/tl.h"

namespace kb::kernels {

// What the chain's steps take that have no number: `bias` and `scale` (of dequant; with several rows one for each K
// tile) are loaded whole; the operands of operations of PE_MATH are read tile by tile, one tensor after the other in
// the order of the chain.
struct EpilogueTensors {
  std::optional<tl::Ptr> bias, scale;
  std::array<std::optional<tl::Ptr>, 4> operands;
};

// The tensors are named in what a missing one is told by: bias, scale, operand1 to operand4.
std::vector<tl::Epilogue> make_epilogues(tl::Context& tl, const std::string& chain, const EpilogueTensors& tensors);

}  // namespace kb::kernels
