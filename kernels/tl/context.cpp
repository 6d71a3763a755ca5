#include "kernels/tl/context.h"

#include <fmt/format.h>

#include <utility>

#include "platform/base/names.h"

namespace kb::tl {

Context::Context(contract::IPe& pe, std::string kernel)
    : pe_(pe),
      call_(pe.info().coord, std::move(kernel)),
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
                                   call_.kernel(), pe_name(coord), axis));
}

std::int64_t Context::num_programs(int axis) const {
  if (axis == 0) return pe_.info().pes_per_cube;
  if (axis == 1) return pe_.info().cubes_per_sip;
  throw Error::program("SHAPE_ERROR",
                       fmt::format("kernel {}, tl.num_programs, {}: axis {} does not exist; 0 counts the "
                                   "PEs of a cube, 1 the cubes of a SIP",
                                   call_.kernel(), pe_name(pe_.info().coord), axis));
}

std::int64_t Context::cdiv(std::int64_t a, std::int64_t b) {
  if (a < 0 || b <= 0) {
    throw Error::program("KERNEL_ERROR", fmt::format("tl.cdiv({}, {}): needs a >= 0 and b > 0", a, b));
  }
  return a / b + (a % b != 0 ? 1 : 0);
}

void Context::cycles(std::int64_t n) {
  begin("cycles", Cost::dispatched);
  if (n < 0) call_.raise("KERNEL_ERROR", fmt::format("{} cycles cannot be spent; give 0 or more", n));
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
  call_.fail(message);
}

void Context::require_matrices(std::initializer_list<Ptr> tensors) const {
  for (const Ptr tensor : tensors) {
    if (tensor.shape().size() == 2) continue;
    fail(fmt::format("tensor '{}' {} must have two dimensions", tensor.tensor().name, format_shape(tensor.shape())));
  }
}

void Context::begin(const char* call, Cost cost) {
  call_.begin(call);
  if (cost == Cost::dispatched && dispatch_.cycles > 0) emit(dispatch_);
}

void Context::emit(contract::Command& command) {
  call_.label(command);
  if (!in_flight_.empty()) check_apart_from_others(command);
  call_.located([&] { pe_.execute(command); });
}

contract::Command& Context::new_dma(contract::CommandKind kind) {
  dma_.kind = kind;
  dma_.memory.clear();
  dma_.local.clear();
  dma_.added.reset();
  dma_.assumed = false;
  return dma_;
}

TensorHandle Context::allocate(Shape shape, Dtype dtype) {
  const std::uint64_t nbytes = call_.checked_bytes(shape, dtype);
  const std::optional<std::uint64_t> pa = scratch_.allocate(nbytes);
  if (!pa) {
    call_.raise(
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
  handle.context_id_ = call_.instance();
  handle.scope_ = scratch_.current();
  handle.pa_ = address;
  handle.shape_ = std::move(shape);
  handle.dtype_ = dtype;
  handle.call_ = call_.name();
  handle.call_index_ = call_.number();
  return handle;
}

std::string Context::describe(const TensorHandle& handle, int position) const {
  return fmt::format("operand {} (the {} {} of tl.{} #{})", position, dtype_name(handle.dtype_),
                     format_shape(handle.shape_), handle.call_, handle.call_index_);
}

void Context::check_owner(const TensorHandle& handle, int position) const {
  if (handle.context_ == nullptr) {
    call_.raise("KERNEL_ERROR",
                fmt::format("operand {} is an empty tensor handle; assign it a result first", position));
  }
  if (handle.context_id_ != call_.instance()) {
    call_.raise(
        "KERNEL_ERROR",
        fmt::format("{} belongs to another kernel instance; handles live no longer than the kernel that made them",
                    describe(handle, position)));
  }
}

void Context::check(const TensorHandle& handle, int position) const {
  check_owner(handle, position);
  if (handle.is_ref()) {
    call_.raise("KERNEL_ERROR", fmt::format("{} is a reference to data in memory; use tl.load to bring it into scratch",
                                            describe(handle, position)));
  }
  if (!scratch_.alive(handle.scope_)) {
    call_.raise("KERNEL_ERROR",
                fmt::format("{} was made in a tl::Scratch scope that has ended; make it before the scope, or "
                            "tl.assign the result to a tensor made before",
                            describe(handle, position)));
  }
}

}  // namespace kb::tl
