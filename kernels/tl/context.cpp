#include "kernels/tl/context.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "kernels/tl/context_located.h"
#include "platform/base/names.h"

namespace kb::tl {
namespace {

constexpr std::size_t kMaxRank = 4;

// Tells a handle that outlived its kernel from one of the running kernel; seen in no output.
std::uint64_t next_context_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Context::Context(contract::IPe& pe, std::string kernel)
    : pe_(pe),
      kernel_(std::move(kernel)),
      id_(next_context_id()),
      scratch_(pe.info().scratch_pa, pe.info().scratch_bytes),
      messages_(pe.info().message_base, pe.info().message_bytes),
      in_flight_({pe.info().scratch_pa, pe.info().scratch_bytes}, {pe.info().message_base, pe.info().message_bytes}) {
  dispatch_.kind = contract::CommandKind::cpu_overhead;
  dispatch_.cycles = pe.info().dispatch_cycles;
}

std::int64_t Context::program_id(int axis) const {
  const PeCoord& coord = pe_.info().coord;
  if (axis == 0) return coord.pe.value;
  if (axis == 1) return coord.cube.value;
  throw Error::program("SHAPE_ERROR",
                       fmt::format("kernel {}, tl.program_id, {}: axis {} does not exist; 0 is the PE in "
                                   "the cube, 1 the cube in the SIP",
                                   kernel_, pe_name(coord), axis));
}

std::int64_t Context::num_programs(int axis) const {
  if (axis == 0) return pe_.info().pes_per_cube;
  if (axis == 1) return pe_.info().cubes_per_sip;
  throw Error::program("SHAPE_ERROR",
                       fmt::format("kernel {}, tl.num_programs, {}: axis {} does not exist; 0 counts the "
                                   "PEs of a cube, 1 the cubes of a SIP",
                                   kernel_, pe_name(pe_.info().coord), axis));
}

std::int64_t Context::cdiv(std::int64_t a, std::int64_t b) {
  if (a < 0 || b <= 0) {
    throw Error::program("KERNEL_ERROR", fmt::format("tl.cdiv({}, {}): needs a >= 0 and b > 0", a, b));
  }
  return a / b + (a % b != 0 ? 1 : 0);
}

void Context::cycles(std::int64_t n) {
  begin("cycles", Cost::dispatched);
  if (n < 0) raise("KERNEL_ERROR", fmt::format("{} cycles cannot be spent; give 0 or more", n));
  contract::Command command;
  command.kind = contract::CommandKind::cpu_overhead;
  command.cycles = n;
  emit(command);
}

void Context::barrier(BarrierScope scope) {
  begin("barrier", Cost::dispatched);
  contract::Command command;
  command.kind = contract::CommandKind::barrier;
  command.scope = scope;
  emit(command);
}

void Context::require(bool condition, std::string_view message) const {
  if (!condition) fail(message);
}

void Context::fail(std::string_view message) const {
  throw Error::program("KERNEL_ERROR", fmt::format("kernel {}, {}: {}", kernel_, pe_name(pe_.info().coord), message));
}

void Context::require_matrices(std::initializer_list<Ptr> tensors) const {
  for (const Ptr tensor : tensors) {
    if (tensor.shape().size() == 2) continue;
    fail(fmt::format("tensor '{}' {} must have two dimensions", tensor.tensor().name, format_shape(tensor.shape())));
  }
}

void Context::begin(const char* call, Cost cost) {
  call_ = call;
  ++calls_;
  if (cost == Cost::dispatched && dispatch_.cycles > 0) emit(dispatch_);
}

void Context::label(contract::Command& command) const {
  command.call = call_;
  command.call_index = calls_;
}

void Context::emit(contract::Command& command) {
  label(command);
  if (!in_flight_.empty()) check_apart_from_others(command);
  located([&] { pe_.execute(command); });
}

contract::Command& Context::new_dma(contract::CommandKind kind) {
  dma_.kind = kind;
  dma_.memory.clear();
  dma_.local.clear();
  dma_.added.reset();
  dma_.assumed = false;
  return dma_;
}

std::string Context::place() const {
  return fmt::format("kernel {}, tl.{} #{}, {}", kernel_, call_, calls_, pe_name(pe_.info().coord));
}

void Context::raise(std::string_view code, std::string_view message) const {
  throw Error::program(std::string(code), fmt::format("{}: {}", place(), message));
}

std::uint64_t Context::checked_bytes(const Shape& shape, Dtype dtype) const {
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

TensorHandle Context::allocate(Shape shape, Dtype dtype) {
  const std::uint64_t nbytes = checked_bytes(shape, dtype);
  const std::optional<std::uint64_t> pa = scratch_.allocate(nbytes);
  if (!pa) {
    raise(
        "OUT_OF_SCRATCH",
        fmt::format("{} {} needs {} bytes of kernel scratch, {} of {} are free; end a tl::Scratch scope earlier or use "
                    "smaller tiles",
                    dtype_name(dtype), format_shape(shape), nbytes, scratch_.free_bytes(), scratch_.capacity()));
  }
  if (!in_flight_.empty()) check_not_in_use(*pa, nbytes);
  return new_handle(*pa, std::move(shape), dtype);
}

// Of the present call and scope.
TensorHandle Context::new_handle(std::uint64_t address, Shape shape, Dtype dtype) {
  TensorHandle handle;
  handle.context_ = this;
  handle.context_id_ = id_;
  handle.scope_ = scratch_.current();
  handle.pa_ = address;
  handle.shape_ = std::move(shape);
  handle.dtype_ = dtype;
  handle.call_ = call_;
  handle.call_index_ = calls_;
  return handle;
}

std::string Context::describe(const TensorHandle& handle, int position) const {
  return fmt::format("operand {} (the {} {} of tl.{} #{})", position, dtype_name(handle.dtype_),
                     format_shape(handle.shape_), handle.call_, handle.call_index_);
}

void Context::check_owner(const TensorHandle& handle, int position) const {
  if (handle.context_ == nullptr) {
    raise("KERNEL_ERROR", fmt::format("operand {} is an empty tensor handle; assign it a result first", position));
  }
  if (handle.context_id_ != id_) {
    raise("KERNEL_ERROR",
          fmt::format("{} belongs to another kernel instance; handles live no longer than the kernel that made them",
                      describe(handle, position)));
  }
}

void Context::check(const TensorHandle& handle, int position) const {
  check_owner(handle, position);
  if (handle.is_ref()) {
    raise("KERNEL_ERROR", fmt::format("{} is a reference to data in memory; use tl.load to bring it into scratch",
                                      describe(handle, position)));
  }
  if (!scratch_.alive(handle.scope_)) {
    raise("KERNEL_ERROR", fmt::format("{} was made in a tl::Scratch scope that has ended; make it before the scope, or "
                                      "tl.assign the result to a tensor made before",
                                      describe(handle, position)));
  }
}

}  // namespace kb::tl
