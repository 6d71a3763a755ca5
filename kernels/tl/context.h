// The facade a kernel is written against (chapter 06, sections 8 and 9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tl/composite.h"
#include "kernels/tl/future.h"
#include "kernels/tl/indexed.h"
#include "kernels/tl/math_calls.h"
#include "kernels/tl/ptr.h"
#include "kernels/tl/results.h"
#include "kernels/tl/tensor_handle.h"
#include "platform/contract/barrier_scope.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

using contract::BarrierScope;

// One running kernel on one PE. Calls look synchronous and take simulated time; each emits at most one command to the
// PE, a store of another dtype two, after a cpu_overhead command when the PE charges dispatch_cycles (P-45). Mistakes
// are program Errors that name kernel, call and PE: "kernel gemm, tl.dot #17, sip0.cube0.pe3: ...".
//
// Calls named ..._async, prefetch and composites return at once: what they start goes on beside the kernel, each engine
// (a read or write channel of PE_DMA, PE_GEMM, PE_MATH) in the order of the calls. Until the kernel has waited for it,
// scratch that it writes must not be used and scratch that it reads must not be written: KERNEL_ERROR naming both
// calls. A kernel that ends has to have waited for what has a result; the rest is waited for then.
//
// Shapes have one to four dimensions of at least 1. Results are placed in the PE's scratch, aligned to 16 bytes (P-58);
// when it is full, the call fails with OUT_OF_SCRATCH.
class Context final : public MathCalls {
 public:
  Context(contract::IPe& pe, std::string kernel);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // --- Identity (P-55). Axis 0: PE in the cube; axis 1: cube in the SIP; axis 2: SIP; any other axis: program Error
  // SHAPE_ERROR.
  std::int64_t program_id(int axis = 0) const;
  std::int64_t num_programs(int axis = 0) const;
  const contract::PeInfo& info() const;
  // What this PE owns of the tensor `ptr` points into; the same kernel then runs on any set of PEs.
  LocalShard shard(Ptr ptr);
  // What all PEs of this cube own of it, from the first to the last element in shard order: one tile when the tensor is
  // split over cubes first, as every DPPolicy does. `shape` stays empty.
  LocalShard cube_shard(Ptr ptr);

  // --- Memory. Dense, row-major; `dtype` only repeats the pointer's (use Ptr::as to read the bytes as another type).
  // With `row_stride` (elements between the starts of rows, at least the row's length) shape (r, c) is a tile of a
  // wider row-major matrix, gathered or scattered row by row in one command. Out of the tensor: program Error
  // ADDRESS_ERROR.
  TensorHandle load(Ptr ptr, Shape shape, std::optional<Dtype> dtype = std::nullopt, std::int64_t row_stride = 0);
  // Into `out`, in whose shape and dtype the data is; the way to load into a buffer made before.
  void load_into(const TensorHandle& out, Ptr ptr, std::int64_t row_stride = 0);
  // A value of another dtype is cast first, which is a MATH command and takes scratch of its own: floats to the float
  // dtype of the tensor, integers to its integer dtype, into which they must fit (program Error VALUE_ERROR). So it is
  // in `store_async`, which returns when the cast has ended, and in `scatter` and stores with a mask.
  void store(Ptr ptr, const TensorHandle& value, std::int64_t row_stride = 0);
  Future load_async(Ptr ptr, Shape shape, std::optional<Dtype> dtype = std::nullopt, std::int64_t row_stride = 0);
  Future load_into_async(const TensorHandle& out, Ptr ptr, std::int64_t row_stride = 0);
  Future store_async(Ptr ptr, const TensorHandle& value, std::int64_t row_stride = 0);
  // Starts a load; the next load of the same place, shape and row stride gives its result instead of starting another.
  // The result lives in the scope of the prefetch. Never loaded: read for nothing.
  // The load never gives what was there before a write of this PE: a store, scatter, atomic_add, composite or receive
  // to one of the bytes, by physical address, drops the prefetch when it is called, and one that is under way keeps it
  // from being used. barrier, every recv and wait() drop all, wait(future) none. The load is then one as without
  // prefetch. What was dropped reads on; its scratch is used again, after the end of its scope, when it has ended.
  void prefetch(Ptr ptr, Shape shape, std::optional<Dtype> dtype = std::nullopt, std::int64_t row_stride = 0);
  // Describes data that stays in memory; no command. Engines take operands from scratch, so every compute call refuses
  // it.
  TensorHandle ref(Ptr ptr, Shape shape, std::optional<Dtype> dtype = std::nullopt, std::int64_t row_stride = 0);

  // --- Indexed and masked accesses (decision 0033): one DMA command each, with a request per row or per run of
  // elements that take part. Contents of indices and masks are looked at when the command is given, which takes no
  // time: program Error DATA_ACCESS when a GEMM or MATH of data mode `replay` computed them (P-62). In mode `off` a
  // tensor of indices stands for random rows, a mask for all elements that the tensor has; numbers that the kernel
  // gives count in every mode.
  //
  // Row i of the result is row indices[i] of the tensor, `row_elements` elements in shard order counted from `ptr` on.
  // Shape: that of the indices, and row_elements unless it is 1. Program Error ADDRESS_ERROR names an index that is out
  // of bounds, and its element.
  TensorHandle gather(Ptr ptr, const Indices& rows, std::int64_t row_elements = 1);
  // Into `out`, which has the shape of the indices, or that and the elements of a row.
  void gather_into(const TensorHandle& out, Ptr ptr, const Indices& rows);
  // Writes row i of `value` to row indices[i]; of equal indices the last one stays.
  void scatter(Ptr ptr, const Indices& rows, const TensorHandle& value);
  // Elements that take part are read, the others are `other` and need not be inside of the tensor; or are written, the
  // others stay as they are.
  TensorHandle load(Ptr ptr, Shape shape, const Mask& mask, Scalar other = std::int64_t{0});
  void store(Ptr ptr, const TensorHandle& value, const Mask& mask);
  // Adds to what is in memory, in the dtype of the tensor, at once at the completion of the command: no other addition
  // is lost. Takes the time of a store. With indices also row by row; equal ones are all added.
  void atomic_add(Ptr ptr, const TensorHandle& value);
  void atomic_add(Ptr ptr, const Indices& rows, const TensorHandle& value);
  Future gather_async(Ptr ptr, const Indices& rows, std::int64_t row_elements = 1);
  Future gather_into_async(const TensorHandle& out, Ptr ptr, const Indices& rows);
  Future scatter_async(Ptr ptr, const Indices& rows, const TensorHandle& value);
  Future load_async(Ptr ptr, Shape shape, const Mask& mask, Scalar other = std::int64_t{0});
  Future store_async(Ptr ptr, const TensorHandle& value, const Mask& mask);
  Future atomic_add_async(Ptr ptr, const TensorHandle& value);
  Future atomic_add_async(Ptr ptr, const Indices& rows, const TensorHandle& value);

  // --- Known contents; no command, no time. `empty` has none: write it (dot_into, assign, ...) before reading.
  TensorHandle empty(Shape shape, Dtype dtype = Dtype::f16);
  TensorHandle zeros(Shape shape, Dtype dtype = Dtype::f16);
  TensorHandle full(Shape shape, Scalar value, Dtype dtype = Dtype::f16);
  TensorHandle arange(std::int64_t start, std::int64_t end, Dtype dtype = Dtype::i32);  // (end - start)

  // --- Messages to and from neighbouring PEs (chapter 07), by direction label ("E", "global_W"). A message is one
  // slot. Unknown direction, a message larger than a slot, a message of another size than expected: program Error
  // QUEUE_ERROR.
  //
  // Goes on when the message is with PE_DMA: after a free slot at the receiver, not after the transfer. The contents
  // are taken as they are now.
  void send(std::string_view direction, const TensorHandle& value);
  // Straight from memory, which costs no read.
  void send(std::string_view direction, Ptr ptr, Shape shape, std::int64_t row_stride = 0);
  // Waits for the oldest message, reads its slot and returns when the sender has its credit. The result is the
  // message's own copy: it outlives the slot, cannot be written, and lives until the tl::Scratch scope it was received
  // in ends.
  TensorHandle recv(std::string_view direction, Shape shape, Dtype dtype = Dtype::f16);
  // The next message of any direction, in turn.
  Message recv_any(Shape shape, Dtype dtype = Dtype::f16);
  // The same into a tensor in scratch, or into memory, at no more cost than the slot read.
  void recv_into(std::string_view direction, const TensorHandle& out);
  void recv_into(std::string_view direction, Ptr ptr, Shape shape, std::int64_t row_stride = 0);
  // Diagnostic: without the cost of the slot read.
  TensorHandle recv_no_consume(std::string_view direction, Shape shape, Dtype dtype = Dtype::f16);
  // Goes on at once; receives of one direction complete in the order of these calls.
  Future recv_async(std::string_view direction, Shape shape, Dtype dtype = Dtype::f16);
  // The same into memory; what wait() gives refers to it.
  Future recv_async(std::string_view direction, Ptr ptr, Shape shape);

  // --- Barrier: until all PEs of the launch in this cube, or in this SIP, are here. A PE whose kernel ends first, or
  // that comes to a barrier of the other kind: BARRIER_ERROR at the others. What a PE wrote before the barrier and
  // waited for, the others see after it.
  void barrier(BarrierScope scope = BarrierScope::cube);

  // --- GEMM. (m, k) x (k, n) -> (m, n) in `out_dtype` (absent: f32 for floats, i32 for integers, i64 for i64),
  // accumulated in f32 for floats, in i32 for integers (i64 when the inputs or the result are i64), rounded once. An
  // integer sum that does not fit the accumulator or the result: program Error VALUE_ERROR.
  TensorHandle dot(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype = std::nullopt);
  // The same into `out`, in out's dtype.
  void dot_into(const TensorHandle& out, const TensorHandle& a, const TensorHandle& b);
  // acc += a x b in place, accumulated in the array and rounded once to acc's dtype; returns acc.
  TensorHandle dot(const TensorHandle& a, const TensorHandle& b, const TensorHandle& acc);
  Future dot_async(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype = std::nullopt);
  Future dot_async(const TensorHandle& a, const TensorHandle& b, const TensorHandle& acc);
  Future dot_into_async(const TensorHandle& out, const TensorHandle& a, const TensorHandle& b);

  // --- More of PE_MATH, beside MathCalls: one command each.
  //
  // Another dtype; also makes a dense copy of a transposed view.
  TensorHandle cast(const TensorHandle& x, Dtype dtype);
  // op(inputs) into `out`, whose shape and dtype the result must have; `out` may be one of the inputs.
  void compute_into(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs);
  // op(inputs) and the same into `out`, beside the kernel; `axis` as of reductions and softmax, `out_dtype` as of
  // reductions.
  Future math_async(MathOp op, std::initializer_list<Operand> inputs, std::optional<int> axis = std::nullopt,
                    std::optional<Dtype> out_dtype = std::nullopt);
  Future compute_into_async(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs);
  // Overwrites `out` with x in out's dtype; the way to keep a result beyond the scope it was computed in.
  void assign(const TensorHandle& out, const TensorHandle& x);

  // The k largest along the last axis, 1 <= k <= its size, largest first, with their positions; of equal ones the
  // first. A NaN is larger than all. One MATH command.
  TopK topk(const TensorHandle& x, std::int64_t k);
  // One after the other along an axis; the other sizes and the dtypes agree. One MATH command, which copies.
  TensorHandle concat(const std::vector<TensorHandle>& parts, int axis = 0);
  // Numbers that depend on seed and position alone (Philox 4x32-10): element i is word e % 4 of block e / 4 with
  // e = offset + i. f16, bf16, f32: uniform in [0, 1), in steps of 2^-11, 2^-8, 2^-24; i32: all 32 bits.
  TensorHandle rand(Shape shape, std::int64_t seed, std::int64_t offset = 0, Dtype dtype = Dtype::f32);

  // --- Composites: one command each, split into tiles that run beside the kernel; the call returns at once (P-10).
  // Inputs are refs to data in memory, also of a tile of a wider matrix, or tensors in scratch, which are then pinned:
  // no tile reads them again (P-23) and they must live until the composite has ended. Operands of a GEMM may be
  // transposed views. The result goes to memory, in the dtype of `out`, or to a tensor in scratch.
  // Without epilogues the same numbers as load, dot and store would give. Epilogues work on the product before it is
  // stored, in f32 or the integers of the accumulator, in their order within a scope (P-12, P-14); their tensors are in
  // scratch and must live as long as pinned inputs.
  Future composite(const TensorHandle& a, const TensorHandle& b, Ptr out, const CompositeOptions& options = {});
  Future composite(const TensorHandle& a, const TensorHandle& b, const TensorHandle& out,
                   const CompositeOptions& options = {});
  // op(x), element-wise.
  Future composite(MathOp op, const TensorHandle& x, Ptr out, const CompositeOptions& options = {});
  Future composite(MathOp op, const TensorHandle& x, const TensorHandle& out, const CompositeOptions& options = {});

  // --- Waiting. Until the operation has ended, at once when it has. Gives its result; an empty handle when it has
  // none. A second wait for the same operation is a mistake: keep what the first one gave.
  TensorHandle wait(const Future& future);
  // Until all have ended that are under way; results can be fetched with wait(future) afterwards.
  void wait();
  // Until one of these has ended, with its position: the first in the list when there are several. It is still to be
  // waited for. An empty list, or one that was waited for: program Error KERNEL_ERROR.
  std::size_t wait_any(const std::vector<Future>& futures);

  // --- Views and helpers; no command.
  TensorHandle trans(const TensorHandle& x);  // the last two dimensions swapped, same bytes (P-70); also of a ref
  // x, of i8, as an operand of dot and composites that has two integers of 4 bits in each byte; also of a ref. Of the
  // two dimensions the one twice as long is that in which x lies in memory: the last one unless x is transposed.
  TensorHandle int4(const TensorHandle& x);
  // Elements [first, first + those of `shape`) of x in row-major order, as a tensor of that shape on the same bytes. A
  // received message cannot be written, either. Program Error SHAPE_ERROR out of x, KERNEL_ERROR for transposed x.
  TensorHandle view(const TensorHandle& x, std::int64_t first, Shape shape);
  static std::int64_t cdiv(std::int64_t a, std::int64_t b);  // ceiling of a / b; program Error unless a >= 0, b > 0
  // Explicit scalar work of the PE's CPU, n >= 0 cycles.
  void cycles(std::int64_t n);

  // Called when the kernel's function has returned: what was started for its result and never waited for is a program
  // Error KERNEL_ERROR.
  void finish();

  // The kernel's own checks: program Error KERNEL_ERROR naming kernel and PE.
  void require(bool condition, std::string_view message) const;
  [[noreturn]] void fail(std::string_view message) const;
  // That the tensors have two dimensions.
  void require_matrices(std::initializer_list<Ptr> tensors) const;

  // What the kernel is doing, for reports: the name of the latest call and how many there were.
  const char* current_call() const;
  std::uint64_t calls() const;
  const std::string& kernel() const;

 private:
  friend class Scratch;
  friend class TensorHandle;

  TensorHandle math(MathOp op, const char* call, std::initializer_list<Operand> inputs, std::optional<int> axis,
                    std::optional<Dtype> out_dtype) override;
  // `value` in the dtype of the tensor, as stores write it.
  TensorHandle in_dtype_of(Ptr ptr, const TensorHandle& value);
  template <typename Write>
  void write_in_dtype_of(Ptr ptr, const TensorHandle& value, Write write);
  std::vector<std::byte> contents(const TensorHandle& handle);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kb::tl
