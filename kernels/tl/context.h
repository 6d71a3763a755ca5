// The interface for which kernels are written (chapter 06, sections 8 and 9).
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
#include "kernels/tl/engine_parameter.h"
#include "kernels/tl/future.h"
#include "kernels/tl/indexed.h"
#include "kernels/tl/math_calls.h"
#include "kernels/tl/ptr.h"
#include "kernels/tl/range.h"
#include "kernels/tl/results.h"
#include "kernels/tl/tensor_handle.h"
#include "platform/contract/barrier_scope.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

using contract::BarrierScope;

// One running kernel on one PE. Calls look synchronous and take simulated time. Each issues at most one command to the
// PE (a store to another dtype issues two), after a cpu_overhead command when the PE charges dispatch_cycles (P-45).
// Errors are program Errors that name kernel, call and PE: "kernel gemm, tl.dot #17, sip0.cube0.pe3: ...".
//
// Calls named ..._async, prefetch and composites return immediately. Their operations run concurrently with the kernel;
// each engine (a read or write channel of PE_DMA, PE_GEMM, PE_MATH, one of a plug-in) keeps the order of the calls.
// Until the kernel has waited for an operation, it must not use scratch that the operation writes, or write scratch
// that the operation reads: KERNEL_ERROR that names both calls. Before it ends, a kernel must have waited for all
// operations with a result; the others are waited for when it ends.
//
// Shapes have one to four dimensions of at least 1. Results are allocated in the PE's scratch, aligned to 16 bytes
// (P-58); when it is full, the call fails with OUT_OF_SCRATCH.
class Context final : public MathCalls {
 public:
  Context(contract::IPe& pe, std::string kernel);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // --- Identity (P-55). Axis 0: PE in the cube; axis 1: cube in the SIP; axis 2: SIP. Another axis is a program Error
  // SHAPE_ERROR.
  std::int64_t program_id(int axis = 0) const;
  std::int64_t num_programs(int axis = 0) const;
  const contract::PeInfo& info() const;
  // The part that this PE owns of the tensor at `ptr`; with it, the same kernel runs on any set of PEs.
  LocalShard shard(Ptr ptr);
  // The part that all PEs of this cube own, from the first to the last element in shard order. It is one tile when the
  // tensor is split over cubes first, as every DPPolicy does. `shape` stays empty.
  LocalShard cube_shard(Ptr ptr);

  // --- Memory. Tensors are dense and row-major; `dtype` only repeats the pointer's (use Ptr::as to read the bytes as
  // another type). With `row_stride` (elements between the starts of rows, at least the row's length) shape (r, c) is a
  // tile of a wider row-major matrix, gathered or scattered row by row in one command. An access outside the tensor is
  // a program Error ADDRESS_ERROR.
  TensorHandle load(Ptr ptr, Shape shape, std::optional<Dtype> dtype = std::nullopt, std::int64_t row_stride = 0,
                    SourceLine at = SourceLine::here());
  // Loads into `out`, which determines shape and dtype; use it to load into an existing buffer.
  void load_into(const TensorHandle& out, Ptr ptr, std::int64_t row_stride = 0, SourceLine at = SourceLine::here());
  // A value of another dtype is cast first, by a MATH command that needs additional scratch: floats to the float dtype
  // of the tensor, integers to its integer dtype, which they must fit (program Error VALUE_ERROR). The same holds for
  // `store_async`, which returns when the cast has ended, for `scatter`, and for stores with a mask.
  void store(Ptr ptr, const TensorHandle& value, std::int64_t row_stride = 0, SourceLine at = SourceLine::here());
  Future load_async(Ptr ptr, Shape shape, std::optional<Dtype> dtype = std::nullopt, std::int64_t row_stride = 0,
                    SourceLine at = SourceLine::here());
  Future load_into_async(const TensorHandle& out, Ptr ptr, std::int64_t row_stride = 0,
                         SourceLine at = SourceLine::here());
  Future store_async(Ptr ptr, const TensorHandle& value, std::int64_t row_stride = 0,
                     SourceLine at = SourceLine::here());
  // Starts a load; the next load of the same place, shape and row stride returns its result instead of starting a new
  // load. The result lives in the scope of the prefetch. A prefetch without a load only costs time. A load never
  // returns data from before a write of this PE: a store, scatter, atomic_add, composite or receive to one of the bytes
  // (by physical address) drops the prefetch when it is called, and one in flight prevents the use of the prefetch.
  // barrier, every recv and wait() drop all prefetches; wait(future) drops none. The load is then an ordinary load. A
  // dropped prefetch runs to its end; its scratch is reused when both its scope and the transfer have ended.
  void prefetch(Ptr ptr, Shape shape, std::optional<Dtype> dtype = std::nullopt, std::int64_t row_stride = 0,
                SourceLine at = SourceLine::here());
  // Describes data that stays in memory; issues no command. Compute calls refuse a ref, because engines take operands
  // from scratch.
  TensorHandle ref(Ptr ptr, Shape shape, std::optional<Dtype> dtype = std::nullopt, std::int64_t row_stride = 0);

  // --- Indexed and masked accesses (decision 0033): one DMA command each, with a request per row or per run of
  // selected elements. The contents of indices and masks are read when the command is issued, which takes no time:
  // program Error DATA_ACCESS when a GEMM or MATH of data mode `replay` computed them (P-62). In mode `off` a tensor of
  // indices stands for random rows, and a mask selects all elements; numbers that the kernel gives are used in every
  // mode.
  //
  // Row i of the result is row indices[i] of the tensor; a row has `row_elements` elements in shard order, counted from
  // `ptr`. The shape is that of the indices, followed by row_elements unless it is 1. Program Error ADDRESS_ERROR names
  // an index that is out of bounds, and its element.
  TensorHandle gather(Ptr ptr, const Indices& rows, std::int64_t row_elements = 1, SourceLine at = SourceLine::here());
  // Gathers into `out`, whose shape is that of the indices, optionally followed by the elements of a row.
  void gather_into(const TensorHandle& out, Ptr ptr, const Indices& rows, SourceLine at = SourceLine::here());
  // Writes row i of `value` to row indices[i]; the last one of equal indices wins.
  void scatter(Ptr ptr, const Indices& rows, const TensorHandle& value, SourceLine at = SourceLine::here());
  // load() reads the selected elements; the others get the value `other` and may be outside the tensor. store() writes
  // the selected elements; the others are unchanged.
  TensorHandle load(Ptr ptr, Shape shape, const Mask& mask, Scalar other = std::int64_t{0},
                    SourceLine at = SourceLine::here());
  void store(Ptr ptr, const TensorHandle& value, const Mask& mask, SourceLine at = SourceLine::here());
  // Adds to the contents of memory, in the dtype of the tensor, atomically at the completion of the command. It takes
  // the time of a store. With indices it adds row by row; rows with equal indices are all added.
  void atomic_add(Ptr ptr, const TensorHandle& value, SourceLine at = SourceLine::here());
  void atomic_add(Ptr ptr, const Indices& rows, const TensorHandle& value, SourceLine at = SourceLine::here());
  Future gather_async(Ptr ptr, const Indices& rows, std::int64_t row_elements = 1, SourceLine at = SourceLine::here());
  Future gather_into_async(const TensorHandle& out, Ptr ptr, const Indices& rows, SourceLine at = SourceLine::here());
  Future scatter_async(Ptr ptr, const Indices& rows, const TensorHandle& value, SourceLine at = SourceLine::here());
  Future load_async(Ptr ptr, Shape shape, const Mask& mask, Scalar other = std::int64_t{0},
                    SourceLine at = SourceLine::here());
  Future store_async(Ptr ptr, const TensorHandle& value, const Mask& mask, SourceLine at = SourceLine::here());
  Future atomic_add_async(Ptr ptr, const TensorHandle& value, SourceLine at = SourceLine::here());
  Future atomic_add_async(Ptr ptr, const Indices& rows, const TensorHandle& value, SourceLine at = SourceLine::here());

  // --- Known contents; these need no command and no time. `empty` has no contents: write it (dot_into, assign, ...)
  // before reading.
  TensorHandle empty(Shape shape, Dtype dtype = Dtype::f16, SourceLine at = SourceLine::here());
  TensorHandle zeros(Shape shape, Dtype dtype = Dtype::f16, SourceLine at = SourceLine::here());
  TensorHandle full(Shape shape, Scalar value, Dtype dtype = Dtype::f16, SourceLine at = SourceLine::here());
  TensorHandle arange(std::int64_t start, std::int64_t end, Dtype dtype = Dtype::i32,
                      SourceLine at = SourceLine::here());  // (end - start)

  // --- Messages to and from neighbouring PEs (chapter 07), by direction label ("E", "global_W"). A message takes one
  // slot. An unknown direction, a message that is larger than a slot, and a message of an unexpected size are a program
  // Error QUEUE_ERROR.
  //
  // Returns when PE_DMA has the message: after the receiver has a free slot, but before the transfer has ended. The
  // message has the current contents of `value`.
  void send(std::string_view direction, const TensorHandle& value, SourceLine at = SourceLine::here());
  // Sends directly from memory, without the cost of a load.
  void send(std::string_view direction, Ptr ptr, Shape shape, std::int64_t row_stride = 0,
            SourceLine at = SourceLine::here());
  // Waits for the oldest message, reads its slot and returns when the sender has its credit. The result is a read-only
  // copy of the message, which is independent of the slot and lives until the enclosing tl::Scratch scope ends.
  TensorHandle recv(std::string_view direction, Shape shape, Dtype dtype = Dtype::f16,
                    SourceLine at = SourceLine::here());
  // Receives the next message of any direction, in round robin.
  Message recv_any(Shape shape, Dtype dtype = Dtype::f16, SourceLine at = SourceLine::here());
  // The same into a tensor in scratch or into memory, at no more cost than the slot read.
  void recv_into(std::string_view direction, const TensorHandle& out, SourceLine at = SourceLine::here());
  void recv_into(std::string_view direction, Ptr ptr, Shape shape, std::int64_t row_stride = 0,
                 SourceLine at = SourceLine::here());
  // For diagnosis: receives without the cost of the slot read.
  TensorHandle recv_no_consume(std::string_view direction, Shape shape, Dtype dtype = Dtype::f16,
                               SourceLine at = SourceLine::here());
  // Returns immediately; receives of one direction complete in the order of these calls.
  Future recv_async(std::string_view direction, Shape shape, Dtype dtype = Dtype::f16,
                    SourceLine at = SourceLine::here());
  // The same into memory; the result of wait() refers to it.
  Future recv_async(std::string_view direction, Ptr ptr, Shape shape, SourceLine at = SourceLine::here());

  // --- Barrier: waits until all PEs of the launch in this cube or SIP have called it. If a PE's kernel ends before, or
  // calls a barrier of the other scope, the others get BARRIER_ERROR. Writes that a PE has waited for before the
  // barrier are visible to the others after it.
  void barrier(BarrierScope scope = BarrierScope::cube, SourceLine at = SourceLine::here());

  // --- GEMM. (m, k) x (k, n) -> (m, n) in `out_dtype` (no value: f32 for floats, i32 for integers, i64 for i64),
  // accumulated in f32 for floats and in i32 for integers (i64 when an input or the result is i64), rounded once. An
  // integer sum that does not fit the accumulator or the result is a program Error VALUE_ERROR.
  TensorHandle dot(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype = std::nullopt,
                   SourceLine at = SourceLine::here());
  // Stores the product in `out`, in out's dtype.
  void dot_into(const TensorHandle& out, const TensorHandle& a, const TensorHandle& b,
                SourceLine at = SourceLine::here());
  // acc += a x b in place, accumulated in the array and rounded once to acc's dtype; returns acc.
  TensorHandle dot(const TensorHandle& a, const TensorHandle& b, const TensorHandle& acc,
                   SourceLine at = SourceLine::here());
  Future dot_async(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype = std::nullopt,
                   SourceLine at = SourceLine::here());
  Future dot_async(const TensorHandle& a, const TensorHandle& b, const TensorHandle& acc,
                   SourceLine at = SourceLine::here());
  Future dot_into_async(const TensorHandle& out, const TensorHandle& a, const TensorHandle& b,
                        SourceLine at = SourceLine::here());

  // --- More operations of PE_MATH, in addition to MathCalls: one command each.
  //
  // Converts to another dtype; also makes a dense copy of a transposed view.
  TensorHandle cast(const TensorHandle& x, Dtype dtype, SourceLine at = SourceLine::here());
  // Stores op(inputs) in `out`, whose shape and dtype must be those of the result; `out` may be one of the inputs.
  void compute_into(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs,
                    SourceLine at = SourceLine::here());
  // Asynchronous op(inputs), with a new result or into `out`; `axis` as for reductions and softmax, `out_dtype` as for
  // reductions.
  Future math_async(MathOp op, std::initializer_list<Operand> inputs, std::optional<int> axis = std::nullopt,
                    std::optional<Dtype> out_dtype = std::nullopt, SourceLine at = SourceLine::here());
  Future compute_into_async(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs,
                            SourceLine at = SourceLine::here());
  // Overwrites `out` with x in out's dtype; use it to keep a result beyond its scope.
  void assign(const TensorHandle& out, const TensorHandle& x, SourceLine at = SourceLine::here());

  // The k largest elements along the last axis, 1 <= k <= its size, largest first, with their positions; among equal
  // ones the first precedes. A NaN is larger than all numbers. One MATH command.
  TopK topk(const TensorHandle& x, std::int64_t k, SourceLine at = SourceLine::here());
  // Concatenates along an axis; the other sizes and the dtypes must agree. One MATH command, which copies.
  TensorHandle concat(const std::vector<TensorHandle>& parts, int axis = 0, SourceLine at = SourceLine::here());
  // Random numbers that depend only on seed and position (Philox 4x32-10): element i is word e % 4 of block e / 4 with
  // e = offset + i. f16, bf16, f32: uniform in [0, 1), in steps of 2^-11, 2^-8, 2^-24; i32: all 32 bits.
  TensorHandle rand(Shape shape, std::int64_t seed, std::int64_t offset = 0, Dtype dtype = Dtype::f32,
                    SourceLine at = SourceLine::here());

  // --- Engines that plug-ins bring (P-105): a command by its name, with its operands and parameters. The engine's row
  // defines how many operands there are and the type of the result; errors name the command. KERNEL_ERROR when no
  // engine of the machine has the command.
  TensorHandle engine(std::string_view command, const std::vector<TensorHandle>& inputs,
                      std::initializer_list<EngineParameter> parameters = {}, SourceLine at = SourceLine::here());
  // Writes the result into `out`, which must have its shape and dtype.
  void engine_into(const TensorHandle& out, std::string_view command, const std::vector<TensorHandle>& inputs,
                   std::initializer_list<EngineParameter> parameters = {}, SourceLine at = SourceLine::here());
  Future engine_async(std::string_view command, const std::vector<TensorHandle>& inputs,
                      std::initializer_list<EngineParameter> parameters = {}, SourceLine at = SourceLine::here());

  // --- Composites: one asynchronous command each, split into tiles (P-10). Inputs are refs to data in memory (also to
  // a tile of a wider matrix), or tensors in scratch. The latter are pinned: no tile loads them (P-23), and they must
  // live until the composite has ended. Operands of a GEMM may be transposed views. The result goes to memory, in the
  // dtype of `out`, or to a tensor in scratch. Without epilogues the numbers are those of load, dot and store.
  // Epilogues work on the product before it is stored, in f32 or the integers of the accumulator, in list order within
  // a scope (P-12, P-14); their tensors are in scratch and must live as long as pinned inputs.
  Future composite(const TensorHandle& a, const TensorHandle& b, Ptr out, const CompositeOptions& options = {},
                   SourceLine at = SourceLine::here());
  Future composite(const TensorHandle& a, const TensorHandle& b, const TensorHandle& out,
                   const CompositeOptions& options = {}, SourceLine at = SourceLine::here());
  // Element-wise op(x).
  Future composite(MathOp op, const TensorHandle& x, Ptr out, const CompositeOptions& options = {},
                   SourceLine at = SourceLine::here());
  Future composite(MathOp op, const TensorHandle& x, const TensorHandle& out, const CompositeOptions& options = {},
                   SourceLine at = SourceLine::here());

  // --- Waiting. Returns when the operation has ended, with its result or an empty handle. A second wait for the same
  // operation is an error: keep the first result.
  TensorHandle wait(const Future& future, SourceLine at = SourceLine::here());
  // Waits for all operations in flight; their results are available from wait(future) afterwards.
  void wait(SourceLine at = SourceLine::here());
  // Returns when one of these operations has ended, with its position in the list (the first one when there are
  // several). It still has to be waited for. An empty list, or an operation that was waited for, is a program Error
  // KERNEL_ERROR.
  std::size_t wait_any(const std::vector<Future>& futures, SourceLine at = SourceLine::here());

  // --- Views and helpers, which issue no command.
  TensorHandle trans(const TensorHandle& x);  // swaps the last two dimensions of the same bytes (P-70); also for a ref
  // Views x, of i8, as an operand of dot and composites that has two 4-bit integers per byte; also for a ref. The
  // dimension that is contiguous in memory doubles: the last one unless x is transposed.
  TensorHandle int4(const TensorHandle& x);
  // Views elements [first, first + size) of x in row-major order as a tensor of `shape` on the same bytes. A view of a
  // received message is read-only, too. Program Error SHAPE_ERROR when it exceeds x, KERNEL_ERROR for transposed x.
  TensorHandle view(const TensorHandle& x, std::int64_t first, Shape shape);
  static std::int64_t cdiv(std::int64_t a, std::int64_t b);  // ceiling of a / b; program Error unless a >= 0 and b > 0
  // Spends n >= 0 cycles of scalar work on the PE's CPU.
  void cycles(std::int64_t n, SourceLine at = SourceLine::here());

  // Names what the kernel does until the returned object is destroyed; ranges nest. Reports give the time, the bytes
  // and the waits of each range.
  //   const auto range = tl.range("gather h");
  Range range(std::string_view name) { return Range(*this, name); }

  // Called after the kernel's function has returned: program Error KERNEL_ERROR when an operation with a result was not
  // waited for.
  void finish();

  // Checks for kernels: program Error KERNEL_ERROR that names kernel and PE.
  void require(bool condition, std::string_view message) const;
  [[noreturn]] void fail(std::string_view message) const;
  // Requires that the tensors have two dimensions.
  void require_matrices(std::initializer_list<Ptr> tensors) const;

  // Name of the latest call and number of calls, for reports.
  const char* current_call() const;
  std::uint64_t calls() const;
  const std::string& kernel() const;

 private:
  friend class Range;
  friend class Scratch;
  friend class TensorHandle;

  TensorHandle math(MathOp op, const char* call, SourceLine at, std::initializer_list<Operand> inputs,
                    std::optional<int> axis, std::optional<Dtype> out_dtype) override;
  // Casts `value` to the dtype of the tensor for a store.
  TensorHandle in_dtype_of(Ptr ptr, const TensorHandle& value);
  template <typename Write>
  void write_in_dtype_of(Ptr ptr, const TensorHandle& value, Write write);
  std::vector<std::byte> contents(const TensorHandle& handle);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kb::tl
