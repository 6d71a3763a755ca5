#include "kernels/tl/call.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "platform/base/names.h"

namespace kb::tl {
namespace {

constexpr std::size_t kMaxRank = 4;

// Distinguishes a handle that outlived its kernel from one of the running kernel; it appears in no output.
std::uint64_t next_instance() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// A copy of the name with static lifetime, shared by all kernels of that name.
const char* lasting(const std::string& name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::lock_guard<std::mutex> lock(mutex);
  return names.insert(name).first->c_str();
}

}  // namespace

Call::Call(contract::IPe& pe, std::string kernel)
    : pe_(pe.info().coord),
      kernel_(std::move(kernel)),
      lasting_kernel_(lasting(kernel_)),
      instance_(next_instance()),
      places_(pe) {}

std::size_t Call::open_range(std::string_view name) {
  if (name.empty()) fail("tl.range needs a name");
  return places_.open_range(name);
}

// A destructor must not throw: the next call does.
void Call::close_range(std::size_t depth) noexcept {
  misplaced_range_ = misplaced_range_ || !places_.close_range(depth);
}

void Call::refuse_range() {
  misplaced_range_ = false;  // calls of destructors do not throw again
  fail(
      fmt::format("a range was closed before tl.range(\"{}\"), which was opened inside it; make ranges local variables",
                  places_.open_ranges().back()));
}

void Call::require_closed_ranges() const {
  if (places_.open_ranges().empty()) return;
  fail(fmt::format("tl.range(\"{}\") is still open at the end of the kernel; make it a local variable",
                   places_.open_ranges().back()));
}

void Call::raise(std::string_view code, std::string_view message) const {
  throw Error::program(std::string(code), fmt::format("kernel {}, {}, {}: {}", kernel_,
                                                      contract::call_text(name_, number_, at_), pe_name(pe_), message));
}

bool Call::names_a_call(const Error& error) const {
  return std::string_view(error.what()).substr(0, kernel_.size() + 12) == fmt::format("kernel {}, tl.", kernel_);
}

void Call::fail(std::string_view message) const {
  throw Error::program("KERNEL_ERROR", fmt::format("kernel {}, {}: {}", kernel_, pe_name(pe_), message));
}

std::string Call::after_call() const {
  return number_ == 0 ? "" : " (after " + contract::call_text(name_, number_, at_) + ")";
}

std::uint64_t Call::checked_bytes(const Shape& shape, Dtype dtype) const {
  bool ok = !shape.empty() && shape.size() <= kMaxRank;
  auto bytes = located([&] { return static_cast<std::int64_t>(item_size(dtype)); });
  for (const std::int64_t dimension : shape) {
    ok = ok && dimension >= 1 && !__builtin_mul_overflow(bytes, dimension, &bytes);
  }
  if (!ok) {
    raise("SHAPE_ERROR", fmt::format("shape {} is not possible; give 1 to {} dimensions of at least 1",
                                     format_shape(shape), kMaxRank));
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace kb::tl
