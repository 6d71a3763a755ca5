// Scopes of a kernel's scratch.
#pragma once

#include "kernels/tl/scratch_allocator.h"

namespace kb::tl {

class Context;
class Tensors;

// Returns the scratch that was taken since it was made when it ends. Addresses repeat; handles from inside must not be
// used afterwards.
//   for (...) { tl::Scratch scope(tl); ... }
class Scratch {
 public:
  explicit Scratch(Context& context);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  Tensors& tensors_;
  ScratchAllocator::Scope scope_;
};

}  // namespace kb::tl
