// What goes on beside the kernel: starting it, waiting for it, and that nothing uses its scratch meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/tl/context.h"

namespace kb::tl {

using contract::Command;

namespace {

std::string name_of(const InFlight::Operation& operation) {
  return fmt::format("tl.{} #{}", operation.call, operation.call_index);
}

}  // namespace

Future Context::submit(Command& command, TensorHandle value) {
  call_.label(command);
  if (!in_flight_.empty()) check_apart_from_others(command);
  Future future;
  const contract::IPe::Ticket ticket = call_.located([&] { return pe_.submit(command); });
  future.number_ = in_flight_.add(command, ticket, value.context_ != nullptr).number;
  future.value_ = std::move(value);
  future.context_id_ = call_.instance();
  future.call_ = call_.name();
  future.call_index_ = call_.number();
  return future;
}

// Neither reads what another operation is still writing nor writes what one is still using.
void Context::check_apart_from_others(const Command& command) const {
  const InFlight::Operation* const other = in_flight_.conflict(command);
  if (other == nullptr) return;
  call_.raise("KERNEL_ERROR",
              fmt::format("it uses scratch that {}, which was not waited for, is still working on; tl.wait for "
                          "that call first",
                          name_of(*other)));
}

// The room of an operation is taken again when the scope of its operands has ended too early.
void Context::check_not_in_use(std::uint64_t pa, std::uint64_t nbytes) const {
  const InFlight::Operation* const other = in_flight_.conflict({pa, nbytes}, true);
  if (other == nullptr) return;
  call_.raise(
      "KERNEL_ERROR",
      fmt::format("an operand of {}, which was not waited for, is to be overwritten: the tl::Scratch scope it was made "
                  "in has ended; tl.wait for that call first",
                  name_of(*other)));
}

// Null when wait() has waited for all operations since.
const InFlight::Operation* Context::unfinished(const Future& future) const {
  if (future.context_id_ == 0) {
    call_.raise("KERNEL_ERROR", "the future is empty; assign it what an asynchronous call or tl.composite returns");
  }
  if (future.context_id_ != call_.instance())
    call_.raise("KERNEL_ERROR", "the future belongs to another kernel instance");
  const InFlight::Operation* const operation = in_flight_.find(future.number_);
  if (operation == nullptr && future.number_ > waited_for_all_) {
    call_.raise("KERNEL_ERROR", fmt::format("tl.{} #{} was waited for before; keep what the first tl.wait gave",
                                            future.call_, future.call_index_));
  }
  return operation;
}

// Removed first: a failed operation is over, too.
void Context::take(const InFlight::Operation& operation) {
  const contract::IPe::Ticket ticket = operation.ticket;
  in_flight_.remove(operation.number);
  call_.located([&] { pe_.wait(ticket); });
}

TensorHandle Context::wait(const Future& future) {
  begin("wait", Cost::free);
  if (const InFlight::Operation* const operation = unfinished(future)) take(*operation);
  return future.value_;
}

void Context::wait() {
  begin("wait", Cost::free);
  waited_for_all_ = in_flight_.started();
  while (!in_flight_.empty()) take(in_flight_.open().front());
}

std::size_t Context::wait_any(const std::vector<Future>& futures) {
  begin("wait_any", Cost::free);
  if (futures.empty()) call_.raise("KERNEL_ERROR", "there is nothing to wait for; give at least one future");
  std::vector<contract::IPe::Ticket> tickets;
  tickets.reserve(futures.size());
  for (const Future& future : futures) {
    const InFlight::Operation* const operation = unfinished(future);
    if (operation == nullptr) return tickets.size();
    tickets.push_back(operation->ticket);
  }
  return call_.located([&] { return pe_.wait_any(tickets); });
}

void Context::finish() {
  for (const InFlight::Operation& operation : in_flight_.open()) {
    if (!operation.has_result || std::string_view(operation.call) == "prefetch") continue;
    fail(
        fmt::format("{} was never waited for: its result cannot be used; give its future to tl.wait, or tl.wait() for "
                    "all",
                    name_of(operation)));
  }
}

Future Context::load_async(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride) {
  begin("load_async", Cost::dispatched);
  TensorHandle value = new_load(ptr, std::move(shape), dtype, row_stride);
  return submit(dma_, std::move(value));
}

Future Context::load_into_async(const TensorHandle& out, Ptr ptr, std::int64_t row_stride) {
  begin("load_into_async", Cost::dispatched);
  check_load_target(out, ptr);
  return submit(load_command(out, ptr, row_stride), out);
}

Future Context::store_async(Ptr ptr, const TensorHandle& value, std::int64_t row_stride) {
  begin("store_async", Cost::dispatched);
  return submit(store_command(ptr, value, row_stride), {});
}

void Context::prefetch(Ptr ptr, Shape shape, std::optional<Dtype> dtype, std::int64_t row_stride) {
  begin("prefetch", Cost::dispatched);
  TensorHandle value = new_load(ptr, std::move(shape), dtype, row_stride);
  prefetched_.push_back({ptr, row_stride, submit(dma_, std::move(value))});
}

// The result of the oldest prefetch of this data that is still there; an empty handle when there is none.
TensorHandle Context::take_prefetched(Ptr ptr, const Shape& shape, std::int64_t row_stride) {
  const auto gone = [&](const Prefetched& one) { return !scratch_.alive(one.future.value_.scope_); };
  prefetched_.erase(std::remove_if(prefetched_.begin(), prefetched_.end(), gone), prefetched_.end());
  for (auto it = prefetched_.begin(); it != prefetched_.end(); ++it) {
    if (!(it->ptr == ptr) || it->row_stride != row_stride || it->future.value_.shape_ != shape) continue;
    const Future future = std::move(it->future);
    prefetched_.erase(it);
    if (const InFlight::Operation* const operation = in_flight_.find(future.number_)) take(*operation);
    return future.value_;
  }
  return {};
}

Future Context::dot_async(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype) {
  begin("dot_async", Cost::dispatched);
  Product product = this->product(a, b, out_dtype);
  return submit(product.command, std::move(product.out));
}

Future Context::dot_async(const TensorHandle& a, const TensorHandle& b, const TensorHandle& acc) {
  begin("dot_async", Cost::dispatched);
  Command command = product_into(acc, 3, a, b, true);
  return submit(command, acc);
}

Future Context::dot_into_async(const TensorHandle& out, const TensorHandle& a, const TensorHandle& b) {
  begin("dot_into_async", Cost::dispatched);
  Command command = product_into(out, 0, a, b, false);
  return submit(command, out);
}

Future Context::math_async(MathOp op, std::initializer_list<Operand> inputs, std::optional<int> axis) {
  begin(math_op_name(op).data(), Cost::dispatched);
  std::vector<OperandRef> refs = operands(op, inputs);
  TensorType result = call_.located([&] { return math_result(op, refs, axis); });
  TensorHandle out = allocate(std::move(result.shape), result.dtype);
  Command command = math_command(op, std::move(refs), axis, out);
  return submit(command, std::move(out));
}

Future Context::compute_into_async(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs) {
  begin(math_op_name(op).data(), Cost::dispatched);
  Command command = math_into(out, op, inputs);
  return submit(command, out);
}

}  // namespace kb::tl
