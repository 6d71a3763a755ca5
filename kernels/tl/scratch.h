// Scopes of scratch memory in a kernel.
#pragma once

#include "kernels/tl/scratch_allocator.h"

namespace kb::tl {

class Context;
class Tensors;

// Its destructor frees the scratch that was allocated since its construction. Addresses are reused; tensors of the
// scope must not be used afterwards.
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
