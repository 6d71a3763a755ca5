#include "kernels/tl/scratch.h"

#include "kernels/tl/context_parts.h"

namespace kb::tl {

Scratch::Scratch(Context& context) : tensors_(context.parts_->tensors), scope_(tensors_.open_scope()) {}

Scratch::~Scratch() {
  tensors_.close_scope(scope_);
}

}  // namespace kb::tl
