#include "kernels/tl/places.h"

namespace kb::tl {

std::size_t Places::open_range(std::string_view name) {
  ranges_.push_back(pe_.range(innermost(), name));
  names_.emplace_back(name);
  return ranges_.size();
}

bool Places::close_range(std::size_t depth) {
  if (depth != ranges_.size()) return false;
  ranges_.pop_back();
  names_.pop_back();
  return true;
}

}  // namespace kb::tl
