// Named parts of a kernel.
#pragma once

#include <cstddef>
#include <string_view>

namespace kb::tl {

class Call;
class Context;

// The part of a kernel from its construction to its destruction (Context::range). Ranges nest: destroying one inside
// which another is open makes the kernel's next call, or its end, a program Error KERNEL_ERROR.
class [[nodiscard]] Range {
 public:
  Range(Context& context, std::string_view name);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Call& call_;
  std::size_t depth_;
};

}  // namespace kb::tl
