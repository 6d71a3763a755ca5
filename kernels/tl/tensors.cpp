#include "kernels/tl/tensors.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>

#include "platform/contract/i_pe.h"

namespace kb::tl {

Tensors::Tensors(Context& context, contract::IPe& pe, const Call& call, Dispatch& dispatch)
    : context_(context),
      pe_(pe),
      call_(call),
      dispatch_(dispatch),
      scratch_(pe.info().scratch_pa, pe.info().scratch_bytes),
      messages_(pe.info().message_base, pe.info().message_bytes) {}

TensorHandle Tensors::made() const {
  TensorHandle handle;
  handle.context_ = &context_;
  handle.context_id_ = call_.instance();
  handle.scope_ = scratch_.current();
  handle.call_ = call_.name();
  handle.call_index_ = call_.number();
  return handle;
}

TensorHandle Tensors::made(std::uint64_t address, Shape&& shape, Dtype dtype) const {
  TensorHandle handle = made();
  handle.pa_ = address;
  handle.shape_ = std::move(shape);
  handle.dtype_ = dtype;
  return handle;
}

TensorHandle Tensors::allocate(Shape&& shape, Dtype dtype) {
  const std::uint64_t nbytes = call_.checked_bytes(shape, dtype);
  const std::optional<std::uint64_t> pa = scratch_.allocate(nbytes);
  if (!pa) {
    call_.raise(
        "OUT_OF_SCRATCH",
        fmt::format("{} {} needs {} bytes of kernel scratch, {} of {} are free; end a tl::Scratch scope earlier or use "
                    "smaller tiles",
                    dtype_name(dtype), format_shape(shape), nbytes, scratch_.free_bytes(), scratch_.capacity()));
  }
  if (!dispatch_.in_flight().empty()) check_not_in_use({*pa, nbytes});
  return made(*pa, std::move(shape), dtype);
}

TensorHandle Tensors::receive(Shape&& shape, Dtype dtype) {
  const std::optional<std::uint64_t> address = messages_.allocate(call_.checked_bytes(shape, dtype));
  if (!address) {
    call_.raise("OUT_OF_SCRATCH",
                "too many received messages are alive; receive inside a tl::Scratch scope, which ends them");
  }
  return made(*address, std::move(shape), dtype);
}

TensorHandle Tensors::refer(Ptr ptr, Shape&& shape, Dtype dtype, std::int64_t row_stride) const {
  TensorHandle handle = made(0, std::move(shape), dtype);
  handle.source_ = ptr;
  handle.row_stride_ = row_stride;
  return handle;
}

TensorHandle Tensors::zeros(Shape&& shape, Dtype dtype) {
  TensorHandle value = allocate(std::move(shape), dtype);
  write(value, std::vector<std::byte>(value.nbytes()));
  return value;
}

TensorHandle Tensors::full(Shape&& shape, Scalar value, Dtype dtype) {
  const std::uint64_t element = call_.located([&] { return encode_element(dtype, value); });
  TensorHandle out = allocate(std::move(shape), dtype);
  fill(out, element);
  return out;
}

TensorHandle Tensors::arange(std::int64_t start, std::int64_t end, Dtype dtype) {
  if (end <= start) {
    call_.raise("SHAPE_ERROR", fmt::format("arange({}, {}) is empty; end must be above start", start, end));
  }
  std::int64_t count = 0;
  if (__builtin_sub_overflow(end, start, &count)) {
    call_.raise("SHAPE_ERROR", fmt::format("arange({}, {}) has more elements than can be counted", start, end));
  }
  const std::size_t item = item_size(dtype);
  TensorHandle out = allocate({count}, dtype);
  std::vector<std::byte> bytes(out.nbytes());
  for (std::size_t at = 0; at < bytes.size(); at += item) {
    const std::int64_t value = start + static_cast<std::int64_t>(at / item);
    const std::uint64_t element = call_.located([&] { return encode_element(dtype, Scalar(value)); });
    std::memcpy(bytes.data() + at, &element, item);
  }
  write(out, std::move(bytes));
  return out;
}

// The memory of an operation may be reused when the scope of its operands has ended too early.
void Tensors::check_not_in_use(const Extent& bytes) {
  dispatch_.reclaim(bytes);
  const InFlight::Operation* const other = dispatch_.in_flight().conflict(bytes, true);
  if (other == nullptr) return;
  call_.raise(
      "KERNEL_ERROR",
      fmt::format("an operand of {}, which was not waited for, is to be overwritten: the tl::Scratch scope it was made "
                  "in has ended; tl.wait for that call first",
                  other->name()));
}

TensorHandle Tensors::trans(const TensorHandle& x) const {
  x.is_ref() ? check_owner(x, 1) : check(x, 1);
  const std::size_t rank = x.shape_.size();
  if (rank < 2) call_.raise("SHAPE_ERROR", fmt::format("{} has no two dimensions to swap", describe(x, 1)));
  TensorHandle out = x;
  std::swap(out.shape_[rank - 1], out.shape_[rank - 2]);
  out.transposed_ = !x.transposed_;
  return out;
}

TensorHandle Tensors::int4(const TensorHandle& x) const {
  x.is_ref() ? check_owner(x, 1) : check(x, 1);
  if (x.dtype_ != Dtype::i8) {
    call_.raise("DTYPE_ERROR", fmt::format("{} does not hold bytes; give it i8", describe(x, 1)));
  }
  if (x.shape_.size() != 2) call_.raise("SHAPE_ERROR", fmt::format("{} is not a matrix", describe(x, 1)));
  TensorHandle out = x;
  out.dtype_ = Dtype::i4;
  out.shape_[x.transposed_ ? 0 : 1] *= 2;
  return out;
}

TensorHandle Tensors::view(const TensorHandle& x, std::int64_t first, Shape&& shape) const {
  check(x, 1);
  check_dense(x, 1, "; tl.cast(x, x.dtype()) makes a dense copy");
  call_.located([&] { item_size(x.dtype_); });
  call_.checked_bytes(shape, x.dtype_);
  const std::int64_t elements = element_count(x.shape_), wanted = element_count(shape);
  if (first < 0 || wanted > elements || first > elements - wanted) {
    call_.raise("SHAPE_ERROR", fmt::format("{} elements from number {} on are not inside of {}, which has {}", wanted,
                                           first, describe(x, 1), elements));
  }
  TensorHandle out = x;
  out.pa_ += static_cast<std::uint64_t>(first) * item_size(x.dtype_);
  out.shape_ = std::move(shape);
  return out;
}

ScratchAllocator::Scope Tensors::open_scope() {
  messages_.open();
  return scratch_.open();
}

void Tensors::close_scope(ScratchAllocator::Scope scope) {
  scratch_.close(scope);
  messages_.close(scope);
}

void Tensors::check_owner(const TensorHandle& handle, int position) const {
  if (handle.null()) {
    call_.raise("KERNEL_ERROR",
                fmt::format("operand {} is an empty tensor handle; assign it a result first", position));
  }
  if (handle.context_id_ != call_.instance()) {
    call_.raise("KERNEL_ERROR",
                fmt::format("{} belongs to another kernel instance; handles live no longer than the kernel that made "
                            "them",
                            describe(handle, position)));
  }
}

void Tensors::check(const TensorHandle& handle, int position) const {
  check_owner(handle, position);
  if (handle.is_ref()) {
    call_.raise("KERNEL_ERROR", fmt::format("{} is a reference to data in memory; use tl.load to bring it into scratch",
                                            describe(handle, position)));
  }
  if (!alive(handle)) {
    call_.raise("KERNEL_ERROR", fmt::format("{} was made in a tl::Scratch scope that has ended; make it before the "
                                            "scope, or tl.assign the result to a tensor made before",
                                            describe(handle, position)));
  }
}

void Tensors::check_writable(const TensorHandle& out, int position) const {
  check(out, position);
  if (out.dtype_ == Dtype::i4) {
    call_.raise("DTYPE_ERROR", fmt::format("{} is how products see an i8 tensor and cannot be written; write that one, "
                                           "tl.pack_int4(x) makes its bytes",
                                           describe(out, position)));
  }
  const std::uint64_t base = pe_.info().message_base;
  if (out.pa_ < base || out.pa_ - base >= pe_.info().message_bytes) return;
  call_.raise("KERNEL_ERROR", fmt::format("{} is a received message and cannot be written; write the result to scratch "
                                          "instead, e.g. x = received + y",
                                          describe(out, position)));
}

void Tensors::check_target(const TensorHandle& out, int position, const TensorType& result) const {
  check_writable(out, position);
  if (out.shape_ != result.shape || out.dtype_ != result.dtype) {
    call_.raise(out.dtype_ != result.dtype ? "DTYPE_ERROR" : "SHAPE_ERROR",
                fmt::format("{} cannot take the result, which is {} {}", describe(out, position),
                            dtype_name(result.dtype), format_shape(result.shape)));
  }
  check_dense(out, position, " and cannot be written");
}

void Tensors::check_dense(const TensorHandle& handle, int position, std::string_view but) const {
  if (!handle.transposed_) return;
  call_.raise("KERNEL_ERROR", fmt::format("{} is a transposed view{}", describe(handle, position), but));
}

std::string Tensors::describe(const TensorHandle& handle, int position) const {
  return fmt::format("operand {} (the {} {} of tl.{} #{})", position, dtype_name(handle.dtype_),
                     format_shape(handle.shape_), handle.call_, handle.call_index_);
}

OperandRef Tensors::operand(const TensorHandle& handle, int position) const {
  check(handle, position);
  return OperandRef::tensor({extent(handle)}, handle.shape_, handle.dtype_, handle.transposed_);
}

void Tensors::check_written(const TensorHandle& handle) const {
  check(handle, 1);
  if (const InFlight::Operation* const writer = dispatch_.in_flight().conflict(extent(handle), false)) {
    call_.raise("KERNEL_ERROR", fmt::format("{} is still being written by {}; tl.wait for that call first",
                                            describe(handle, 1), writer->name()));
  }
}

std::vector<std::byte> Tensors::read(const TensorHandle& handle) const {
  check_written(handle);
  return call_.located([&] { return pe_.read({extent(handle)}); });
}

std::optional<std::vector<std::int64_t>> Tensors::known_integers(const TensorHandle& handle) const {
  check_written(handle);
  const auto bytes = call_.located([&] { return pe_.read_if_known({extent(handle)}); });
  if (!bytes) return std::nullopt;
  return handle.integers_of(*bytes);
}

void Tensors::write(const TensorHandle& handle, std::vector<std::byte>&& bytes) const {
  call_.located([&] { pe_.write_scratch(handle.pa_, handle.dtype_, std::move(bytes)); });
}

void Tensors::fill(const TensorHandle& handle, std::uint64_t element) const {
  std::vector<std::byte> bytes(handle.nbytes());
  const std::size_t item = item_size(handle.dtype_);
  for (std::size_t at = 0; at < bytes.size(); at += item) std::memcpy(bytes.data() + at, &element, item);
  write(handle, std::move(bytes));
}

}  // namespace kb::tl
