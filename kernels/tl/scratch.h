// Scopes of a kernel's scratch.
#pragma once

#include "kernels/tl/context.h"
#include "kernels/tl/scratch_allocator.h"

namespace kb::tl {

// Returns the scratch that was taken since it was made when it ends. Addresses repeat; handles from inside must not be
// used afterwards.
//   for (...) { tl::Scratch scope(tl); ... }
class Scratch {
 public:
  explicit Scratch(Context& context)
      : context_(context), scope_(context.scratch_.open()), messages_(context.messages_.open()) {}
  ~Scratch() {
    context_.scratch_.close(scope_);
    context_.messages_.close(messages_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  Context& context_;
  ScratchAllocator::Scope scope_, messages_;
};

}  // namespace kb::tl
