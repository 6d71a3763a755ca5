#include "kernels/tl/range.h"

#include "kernels/tl/context_parts.h"

namespace kb::tl {

Range::Range(Context& context, std::string_view name) : call_(context.parts_->call), depth_(call_.open_range(name)) {}

Range::~Range() {
  call_.close_range(depth_);
}

}  // namespace kb::tl
