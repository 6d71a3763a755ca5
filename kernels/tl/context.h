// The facade a kernel is written against (chapter 06, sections 8 and 9).
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tl/call.h"
#include "kernels/tl/composite.h"
#include "kernels/tl/future.h"
#include "kernels/tl/in_flight.h"
#include "kernels/tl/indexed.h"
#include "kernels/tl/math_calls.h"
#include "kernels/tl/ptr.h"
#include "kernels/tl/results.h"
#include "kernels/tl/scratch_allocator.h"
#include "kernels/tl/shard_map.h"
#include "kernels/tl/tensor_handle.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

using contract::BarrierScope;

// One running kernel on one PE. Calls look synchronous and take simulated time; each emits at most one command to the
// PE, after a cpu_overhead command when the PE charges dispatch_cycles (P-45). Mistakes are program Errors that name
// kernel, call and PE: "kernel gemm, tl.dot #17, sip0.cube0.pe3: ...".
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
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // --- Identity (P-55). Axis 0: PE in the cube; axis 1: cube in the SIP; any other axis: program Error SHAPE_ERROR.
  std::int64_t program_id(int axis = 0) const;
  std::int64_t num_programs(int axis = 0) const;
  const contract::PeInfo& info() const { return pe_.info(); }
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
  void store(Ptr ptr, const TensorHandle& value, std::int64_t row_stride = 0);
  Future load_async(Ptr ptr, Shape shape, std::optional<Dtype> dtype = std::nullopt, std::int64_t row_stride = 0);
  Future load_into_async(const TensorHandle& out, Ptr ptr, std::int64_t row_stride = 0);
  Future store_async(Ptr ptr, const TensorHandle& value, std::int64_t row_stride = 0);
  // Starts a load; the next load of the same place, shape and row stride gives its result instead of starting another.
  // The result lives in the scope of the prefetch. Never loaded: read for nothing.
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

  // --- GEMM. (m, k) x (k, n) -> (m, n) in `out_dtype` (absent: that of a and b, f32 when one of them is, f16 for e4m3
  // and e5m2), accumulated in f32 for floats, in i32 for integers (i64 when the inputs or the result are i64), rounded
  // once.
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
  // op(inputs) and the same into `out`, beside the kernel; `axis` as of reductions and softmax.
  Future math_async(MathOp op, std::initializer_list<Operand> inputs, std::optional<int> axis = std::nullopt);
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
  // Elements [first, first + those of `shape`) of x in row-major order, as a tensor of that shape on the same bytes. Of
  // a received message it cannot be written either. Program Error SHAPE_ERROR out of x, KERNEL_ERROR for transposed x.
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
  const char* current_call() const { return call_.name(); }
  std::uint64_t calls() const { return call_.number(); }
  const std::string& kernel() const { return call_.kernel(); }

 private:
  friend class Scratch;
  friend class TensorHandle;

  enum class Cost { free, dispatched };
  void begin(const char* call, Cost cost);
  void emit(contract::Command& command);
  void check_apart_from_others(const contract::Command& command) const;
  // Gives the PE a command that goes on beside the kernel; `value` is its result, an empty handle when it has none.
  Future submit(contract::Command& command, TensorHandle value);
  const InFlight::Operation* unfinished(const Future& future) const;
  void take(const InFlight::Operation& operation);
  contract::Command& new_dma(contract::CommandKind kind);
  TensorHandle allocate(Shape shape, Dtype dtype);
  void check_owner(const TensorHandle& handle, int position) const;
  void check(const TensorHandle& handle, int position) const;  // usable as an engine's operand
  void add_composite_input(contract::Command& command, const TensorHandle& handle, int index);
  void set_tile_shape(contract::Command& command, const CompositeOptions& options) const;
  kb::Epilogue resolved(const Epilogue& epilogue, int position) const;
  void check_apart(const contract::Command& command, const std::string& out) const;
  // Where the result of a composite goes.
  class CompositeTarget;
  Future composite_gemm(const TensorHandle& a, const TensorHandle& b, const CompositeTarget& out,
                        const CompositeOptions& options);
  Future composite_math(MathOp op, const TensorHandle& x, const CompositeTarget& out, const CompositeOptions& options);
  Future submit_composite(contract::Command& command, const CompositeTarget& out, TensorType result);
  std::string describe(const TensorHandle& handle, int position) const;
  OperandRef operand(const TensorHandle& handle, int position) const;
  std::vector<OperandRef> operands(MathOp op, const std::initializer_list<Operand>& inputs) const;
  Extent extent(const TensorHandle& handle) const { return {handle.pa_, handle.nbytes()}; }

  TensorHandle math(MathOp op, const char* call, std::initializer_list<Operand> inputs,
                    std::optional<int> axis) override;
  contract::Command math_command(MathOp op, std::vector<OperandRef>&& inputs, std::optional<int> axis,
                                 const TensorHandle& out) const;
  contract::Command math_into(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs) const;
  // A product and where it goes: a tensor of its own, `out`, or added to `acc`.
  struct Product {
    contract::Command command;
    TensorHandle out;
  };
  Product product(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype);
  contract::Command product_into(const TensorHandle& out, int position, const TensorHandle& a, const TensorHandle& b,
                                 bool accumulate) const;
  contract::Command gemm_command(OperandRef&& a, OperandRef&& b, const TensorHandle& out) const;
  void check_target(const TensorHandle& out, int position, const TensorType& result) const;

  std::optional<std::vector<std::int64_t>> known_integers(const TensorHandle& tensor, std::string_view what);
  std::vector<std::int64_t> assumed_rows(std::int64_t count, std::int64_t bound) const;
  Shape index_shape(const Indices& rows) const;
  std::int64_t row_elements_of(const Indices& rows, const TensorHandle& value) const;
  void append_rows(Ptr ptr, const Indices& rows, std::int64_t row_elements, contract::Command& command);
  std::vector<bool> known_mask(Ptr ptr, const Mask& mask, const Shape& shape);
  bool assumes(const Mask& mask) const;
  void append_masked(Ptr ptr, const TensorHandle& local, const std::vector<bool>& takes_part,
                     contract::Command& command);
  Dtype check_stored(Ptr ptr, const TensorHandle& value) const;  // the dtype of both
  Dtype check_added(Ptr ptr, const TensorHandle& value) const;
  // These leave their command in dma_.
  TensorHandle new_gather(Ptr ptr, const Indices& rows, std::int64_t row_elements);
  TensorHandle new_masked_load(Ptr ptr, Shape shape, const Mask& mask, Scalar other);
  contract::Command& rows_command(contract::CommandKind kind, Ptr ptr, const Indices& rows, const TensorHandle& value);
  contract::Command& masked_store_command(Ptr ptr, const TensorHandle& value, const Mask& mask);
  contract::Command& add_command(Ptr ptr, const TensorHandle& value);
  contract::Command& add_command(Ptr ptr, const Indices& rows, const TensorHandle& value);

  ShardMap& shard_map(const contract::TensorLayout& tensor);
  Dtype pointer_dtype(Ptr ptr, std::optional<Dtype> dtype) const;
  void append_extents(Ptr ptr, const Shape& shape, Dtype dtype, std::int64_t row_stride, std::vector<Extent>& out);
  void check_last_row(Ptr ptr, std::int64_t step, std::uint64_t row_bytes, const Shape& shape);
  void append_run(const ShardMap& map, std::int64_t offset, std::uint64_t nbytes, const Shape& shape,
                  std::vector<Extent>& out) const;
  contract::Command message(contract::CommandKind kind, std::string_view direction);
  TensorHandle new_handle(std::uint64_t address, Shape shape, Dtype dtype);
  TensorHandle message_value(Shape shape, Dtype dtype);
  contract::Command& load_command(const TensorHandle& out, Ptr ptr, std::int64_t row_stride);
  TensorHandle new_load(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride);
  TensorHandle take_prefetched(Ptr ptr, const Shape& shape, std::int64_t row_stride);
  void check_load_target(const TensorHandle& out, Ptr ptr) const;
  contract::Command& store_command(Ptr ptr, const TensorHandle& value, std::int64_t row_stride);
  TensorHandle receive(const char* call, std::string_view direction, Shape shape, Dtype dtype, bool charge_slot);
  void check_writable(const TensorHandle& out, int position) const;
  void check_not_in_use(std::uint64_t pa, std::uint64_t nbytes) const;
  template <typename Fill>
  TensorHandle seeded(Shape shape, Dtype dtype, Fill fill);
  std::vector<std::byte> contents(const TensorHandle& handle);
  std::vector<std::byte> look_at(const TensorHandle& handle) const;  // as part of another call

  contract::IPe& pe_;
  Call call_;
  ScratchAllocator scratch_;
  ScratchAllocator messages_;        // addresses of received values; its scopes are those of scratch_
  std::deque<ShardMap> shard_maps_;  // of the tensors used so far
  ShardMap* last_map_ = nullptr;
  InFlight in_flight_;
  std::uint64_t waited_for_all_ = 0;  // the last operation that wait() has waited for
  struct Prefetched {
    Ptr ptr;
    std::int64_t row_stride = 0;
    Future future;
  };
  std::vector<Prefetched> prefetched_;
  contract::Command dispatch_;  // cpu_overhead of P-45
  contract::Command dma_;       // of the latest load or store; used again, so that a call costs no allocation
};

}  // namespace kb::tl
