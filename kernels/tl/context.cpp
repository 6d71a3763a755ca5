#include "kernels/tl/context.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/tl/context_parts.h"
#include "kernels/tl/scratch.h"
#include "platform/base/names.h"
#include "platform/contract/command.h"
#include "platform/contract/tensor_layout.h"

namespace kb::tl {

Context::Context(contract::IPe& pe, std::string kernel)
    : parts_(std::make_unique<Parts>(*this, pe, std::move(kernel))) {}

Context::~Context() = default;

std::int64_t Context::program_id(int axis) const {
  const PeCoord& coord = parts_->pe.coord;
  if (axis == 0) return coord.pe.value;
  if (axis == 1) return coord.cube.value;
  if (axis == 2) return coord.sip.value;
  throw Error::program("SHAPE_ERROR",
                       fmt::format("kernel {}, tl.program_id, {}: axis {} does not exist; 0 is the PE in "
                                   "the cube, 1 the cube in the SIP, 2 the SIP",
                                   kernel(), pe_name(coord), axis));
}

std::int64_t Context::num_programs(int axis) const {
  if (axis == 0) return parts_->pe.pes_per_cube;
  if (axis == 1) return parts_->pe.cubes_per_sip;
  if (axis == 2) return parts_->pe.sips;
  throw Error::program("SHAPE_ERROR",
                       fmt::format("kernel {}, tl.num_programs, {}: axis {} does not exist; 0 counts the "
                                   "PEs of a cube, 1 the cubes of a SIP, 2 the SIPs",
                                   kernel(), pe_name(parts_->pe.coord), axis));
}

const contract::PeInfo& Context::info() const {
  return parts_->pe;
}

LocalShard Context::shard(Ptr ptr) {
  parts_->call.begin("shard");
  return parts_->addressing.shard(ptr);
}

LocalShard Context::cube_shard(Ptr ptr) {
  parts_->call.begin("cube_shard");
  return parts_->addressing.cube_shard(ptr);
}

TensorHandle Context::load(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride, SourceLine at) {
  parts_->dispatch.begin("load", at);
  if (!parts_->prefetches.empty()) {
    if (auto early = parts_->prefetches.take(ptr, shape, row_stride, parts_->tensors)) {
      parts_->dispatch.wait(early->future);
      return std::move(early->result);
    }
  }
  return parts_->dispatch.execute(parts_->dma.load(ptr, std::move(shape), dtype, row_stride));
}

void Context::load_into(const TensorHandle& out, Ptr ptr, std::int64_t row_stride, SourceLine at) {
  parts_->dispatch.begin("load_into", at).execute(parts_->dma.load_into(out, ptr, row_stride));
}

TensorHandle Context::in_dtype_of(Ptr ptr, const TensorHandle& value) {
  const std::optional<Dtype> dtype = parts_->dma.cast_before_store(ptr, value);
  if (!dtype) return value;
  return parts_->dispatch.execute(parts_->compute.cast(value, *dtype, !is_float(*dtype)));
}

// The scratch of a cast is freed when the write has ended.
template <typename Write>
void Context::write_in_dtype_of(Ptr ptr, const TensorHandle& value, Write write) {
  if (!parts_->dma.cast_before_store(ptr, value)) return write(value);
  const Scratch scope(*this);
  write(in_dtype_of(ptr, value));
}

void Context::store(Ptr ptr, const TensorHandle& value, std::int64_t row_stride, SourceLine at) {
  parts_->dispatch.begin("store", at);
  write_in_dtype_of(ptr, value, [&](const TensorHandle& stored) {
    parts_->dispatch.execute(parts_->dma.store(ptr, stored, row_stride));
  });
}

Future Context::load_async(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride, SourceLine at) {
  return parts_->dispatch.begin("load_async", at).submit(parts_->dma.load(ptr, std::move(shape), dtype, row_stride));
}

Future Context::load_into_async(const TensorHandle& out, Ptr ptr, std::int64_t row_stride, SourceLine at) {
  return parts_->dispatch.begin("load_into_async", at).submit(parts_->dma.load_into(out, ptr, row_stride), out);
}

Future Context::store_async(Ptr ptr, const TensorHandle& value, std::int64_t row_stride, SourceLine at) {
  parts_->dispatch.begin("store_async", at);
  return parts_->dispatch.submit(parts_->dma.store(ptr, in_dtype_of(ptr, value), row_stride));
}

void Context::prefetch(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride, SourceLine at) {
  parts_->dispatch.begin("prefetch", at);
  parts_->dispatch.prefetch(ptr, row_stride, parts_->dma.load(ptr, std::move(shape), dtype, row_stride));
}

TensorHandle Context::ref(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride) {
  parts_->call.begin("ref");
  const Dtype type = parts_->addressing.dtype_of(ptr, dtype);
  std::vector<Extent> inside;
  parts_->addressing.append(ptr, shape, type, row_stride, inside);
  return parts_->tensors.refer(ptr, std::move(shape), type, row_stride);
}

TensorHandle Context::gather(Ptr ptr, const Indices& rows, std::int64_t row_elements, SourceLine at) {
  return parts_->dispatch.begin("gather", at).execute(parts_->dma.gather(ptr, rows, row_elements));
}

void Context::gather_into(const TensorHandle& out, Ptr ptr, const Indices& rows, SourceLine at) {
  parts_->dispatch.begin("gather_into", at).execute(parts_->dma.gather_into(out, ptr, rows));
}

void Context::scatter(Ptr ptr, const Indices& rows, const TensorHandle& value, SourceLine at) {
  parts_->dispatch.begin("scatter", at);
  write_in_dtype_of(ptr, value, [&](const TensorHandle& stored) {
    parts_->dispatch.execute(parts_->dma.scatter(ptr, rows, stored));
  });
}

TensorHandle Context::load(Ptr ptr, Shape shape, const Mask& mask, Scalar other, SourceLine at) {
  return parts_->dispatch.begin("load", at).execute(parts_->dma.load(ptr, std::move(shape), mask, other));
}

void Context::store(Ptr ptr, const TensorHandle& value, const Mask& mask, SourceLine at) {
  parts_->dispatch.begin("store", at);
  write_in_dtype_of(
      ptr, value, [&](const TensorHandle& stored) { parts_->dispatch.execute(parts_->dma.store(ptr, stored, mask)); });
}

void Context::atomic_add(Ptr ptr, const TensorHandle& value, SourceLine at) {
  parts_->dispatch.begin("atomic_add", at).execute(parts_->dma.add(ptr, value));
}

void Context::atomic_add(Ptr ptr, const Indices& rows, const TensorHandle& value, SourceLine at) {
  parts_->dispatch.begin("atomic_add", at).execute(parts_->dma.add(ptr, rows, value));
}

Future Context::gather_async(Ptr ptr, const Indices& rows, std::int64_t row_elements, SourceLine at) {
  return parts_->dispatch.begin("gather_async", at).submit(parts_->dma.gather(ptr, rows, row_elements));
}

Future Context::gather_into_async(const TensorHandle& out, Ptr ptr, const Indices& rows, SourceLine at) {
  return parts_->dispatch.begin("gather_into_async", at).submit(parts_->dma.gather_into(out, ptr, rows), out);
}

Future Context::scatter_async(Ptr ptr, const Indices& rows, const TensorHandle& value, SourceLine at) {
  parts_->dispatch.begin("scatter_async", at);
  return parts_->dispatch.submit(parts_->dma.scatter(ptr, rows, in_dtype_of(ptr, value)));
}

Future Context::load_async(Ptr ptr, Shape shape, const Mask& mask, Scalar other, SourceLine at) {
  return parts_->dispatch.begin("load_async", at).submit(parts_->dma.load(ptr, std::move(shape), mask, other));
}

Future Context::store_async(Ptr ptr, const TensorHandle& value, const Mask& mask, SourceLine at) {
  parts_->dispatch.begin("store_async", at);
  return parts_->dispatch.submit(parts_->dma.store(ptr, in_dtype_of(ptr, value), mask));
}

Future Context::atomic_add_async(Ptr ptr, const TensorHandle& value, SourceLine at) {
  return parts_->dispatch.begin("atomic_add_async", at).submit(parts_->dma.add(ptr, value));
}

Future Context::atomic_add_async(Ptr ptr, const Indices& rows, const TensorHandle& value, SourceLine at) {
  return parts_->dispatch.begin("atomic_add_async", at).submit(parts_->dma.add(ptr, rows, value));
}

TensorHandle Context::empty(Shape shape, Dtype dtype, SourceLine at) {
  parts_->call.begin("empty", at);
  return parts_->tensors.allocate(std::move(shape), dtype);
}

TensorHandle Context::zeros(Shape shape, Dtype dtype, SourceLine at) {
  parts_->call.begin("zeros", at);
  return parts_->tensors.zeros(std::move(shape), dtype);
}

TensorHandle Context::full(Shape shape, Scalar value, Dtype dtype, SourceLine at) {
  parts_->call.begin("full", at);
  return parts_->tensors.full(std::move(shape), value, dtype);
}

TensorHandle Context::arange(std::int64_t start, std::int64_t end, Dtype dtype, SourceLine at) {
  parts_->call.begin("arange", at);
  return parts_->tensors.arange(start, end, dtype);
}

TensorHandle Context::dot(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype, SourceLine at) {
  return parts_->dispatch.begin("dot", at).execute(parts_->compute.product(a, b, out_dtype));
}

void Context::dot_into(const TensorHandle& out, const TensorHandle& a, const TensorHandle& b, SourceLine at) {
  parts_->dispatch.begin("dot_into", at).execute(parts_->compute.product_into(out, 0, a, b, false));
}

TensorHandle Context::dot(const TensorHandle& a, const TensorHandle& b, const TensorHandle& acc, SourceLine at) {
  parts_->dispatch.begin("dot", at).execute(parts_->compute.product_into(acc, 3, a, b, true));
  return acc;
}

Future Context::dot_async(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype, SourceLine at) {
  return parts_->dispatch.begin("dot_async", at).submit(parts_->compute.product(a, b, out_dtype));
}

Future Context::dot_async(const TensorHandle& a, const TensorHandle& b, const TensorHandle& acc, SourceLine at) {
  return parts_->dispatch.begin("dot_async", at).submit(parts_->compute.product_into(acc, 3, a, b, true), acc);
}

Future Context::dot_into_async(const TensorHandle& out, const TensorHandle& a, const TensorHandle& b, SourceLine at) {
  return parts_->dispatch.begin("dot_into_async", at).submit(parts_->compute.product_into(out, 0, a, b, false), out);
}

TensorHandle Context::math(MathOp op, const char* call, SourceLine at, std::initializer_list<Operand> inputs,
                           std::optional<int> axis, std::optional<Dtype> out_dtype) {
  return parts_->dispatch.begin(call, at).execute(parts_->compute.math(op, inputs, axis, out_dtype));
}

TensorHandle Context::engine(std::string_view command, const std::vector<TensorHandle>& inputs,
                             std::initializer_list<EngineParameter> parameters, SourceLine at) {
  return parts_->dispatch.begin("engine", at).execute(parts_->engines.make(command, inputs, parameters));
}

void Context::engine_into(const TensorHandle& out, std::string_view command, const std::vector<TensorHandle>& inputs,
                          std::initializer_list<EngineParameter> parameters, SourceLine at) {
  parts_->dispatch.begin("engine_into", at).execute(parts_->engines.into(out, command, inputs, parameters));
}

Future Context::engine_async(std::string_view command, const std::vector<TensorHandle>& inputs,
                             std::initializer_list<EngineParameter> parameters, SourceLine at) {
  return parts_->dispatch.begin("engine_async", at).submit(parts_->engines.make(command, inputs, parameters));
}

Future Context::math_async(MathOp op, std::initializer_list<Operand> inputs, std::optional<int> axis,
                           std::optional<Dtype> out_dtype, SourceLine at) {
  return parts_->dispatch.begin(math_op_name(op).data(), at).submit(parts_->compute.math(op, inputs, axis, out_dtype));
}

void Context::compute_into(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs, SourceLine at) {
  parts_->dispatch.begin(math_op_name(op).data(), at).execute(parts_->compute.math_into(out, op, inputs));
}

Future Context::compute_into_async(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs,
                                   SourceLine at) {
  return parts_->dispatch.begin(math_op_name(op).data(), at).submit(parts_->compute.math_into(out, op, inputs), out);
}

TensorHandle Context::cast(const TensorHandle& x, Dtype dtype, SourceLine at) {
  return parts_->dispatch.begin("cast", at).execute(parts_->compute.cast(x, dtype));
}

void Context::assign(const TensorHandle& out, const TensorHandle& x, SourceLine at) {
  parts_->dispatch.begin("assign", at).execute(parts_->compute.cast_into(out, x));
}

TopK Context::topk(const TensorHandle& x, std::int64_t k, SourceLine at) {
  parts_->dispatch.begin("topk", at);
  TopK out;
  out.values = parts_->dispatch.execute(parts_->compute.topk(x, k, out.indices));
  return out;
}

TensorHandle Context::concat(const std::vector<TensorHandle>& parts, int axis, SourceLine at) {
  return parts_->dispatch.begin("concat", at).execute(parts_->compute.concat(parts, axis));
}

TensorHandle Context::rand(Shape shape, std::int64_t seed, std::int64_t offset, Dtype dtype, SourceLine at) {
  return parts_->dispatch.begin("rand", at).execute(parts_->compute.rand(std::move(shape), seed, offset, dtype));
}

Future Context::composite(const TensorHandle& a, const TensorHandle& b, Ptr out, const CompositeOptions& options,
                          SourceLine at) {
  return parts_->dispatch.begin("composite", at).submit(parts_->composites.gemm(a, b, out, options));
}

Future Context::composite(const TensorHandle& a, const TensorHandle& b, const TensorHandle& out,
                          const CompositeOptions& options, SourceLine at) {
  return parts_->dispatch.begin("composite", at).submit(parts_->composites.gemm(a, b, out, options));
}

Future Context::composite(MathOp op, const TensorHandle& x, Ptr out, const CompositeOptions& options, SourceLine at) {
  return parts_->dispatch.begin("composite", at).submit(parts_->composites.math(op, x, out, options));
}

Future Context::composite(MathOp op, const TensorHandle& x, const TensorHandle& out, const CompositeOptions& options,
                          SourceLine at) {
  return parts_->dispatch.begin("composite", at).submit(parts_->composites.math(op, x, out, options));
}

TensorHandle Context::wait(const Future& future, SourceLine at) {
  parts_->call.begin("wait", at);
  return parts_->dispatch.wait(future);
}

void Context::wait(SourceLine at) {
  parts_->call.begin("wait", at);
  parts_->dispatch.wait_for_all();
}

std::size_t Context::wait_any(const std::vector<Future>& futures, SourceLine at) {
  parts_->call.begin("wait_any", at);
  return parts_->dispatch.wait_any(futures);
}

TensorHandle Context::trans(const TensorHandle& x) {
  parts_->call.begin("trans");
  return parts_->tensors.trans(x);
}

TensorHandle Context::int4(const TensorHandle& x) {
  parts_->call.begin("int4");
  return parts_->tensors.int4(x);
}

TensorHandle Context::view(const TensorHandle& x, std::int64_t first, Shape shape) {
  parts_->call.begin("view");
  return parts_->tensors.view(x, first, std::move(shape));
}

std::vector<std::byte> Context::contents(const TensorHandle& handle) {
  parts_->call.begin("read");
  return parts_->tensors.read(handle);
}

std::int64_t Context::cdiv(std::int64_t a, std::int64_t b) {
  if (a < 0 || b <= 0) {
    throw Error::program("KERNEL_ERROR", fmt::format("tl.cdiv({}, {}): needs a >= 0 and b > 0", a, b));
  }
  return a / b + (a % b != 0 ? 1 : 0);
}

void Context::cycles(std::int64_t n, SourceLine at) {
  parts_->dispatch.begin("cycles", at);
  if (n < 0) parts_->call.raise("KERNEL_ERROR", fmt::format("{} cycles cannot be spent; give 0 or more", n));
  contract::Command command;
  command.kind = contract::CommandKind::cpu_overhead;
  command.cycles = n;
  parts_->dispatch.execute(command);
}

void Context::finish() {
  parts_->prefetches.drop_all();
  parts_->call.require_closed_ranges();
  parts_->dispatch.require_waited();
}

void Context::require(bool condition, std::string_view message) const {
  if (!condition) fail(message);
}

void Context::fail(std::string_view message) const {
  parts_->call.fail(std::string(message) + parts_->call.after_call());
}

void Context::require_matrices(std::initializer_list<Ptr> tensors) const {
  for (const Ptr tensor : tensors) {
    if (tensor.shape().size() == 2) continue;
    fail(fmt::format("tensor '{}' {} must have two dimensions", tensor.tensor().name, format_shape(tensor.shape())));
  }
}

const char* Context::current_call() const {
  return parts_->call.name();
}

std::uint64_t Context::calls() const {
  return parts_->call.number();
}

const std::string& Context::kernel() const {
  return parts_->call.kernel();
}

}  // namespace kb::tl
