#include "sw/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "platform/base/error.h"
#include "platform/contract/pattern.h"
#include "platform/contract/tensor_layout.h"
#include "platform/ops/op_types.h"
#include "sw/tensor/shard_runs.h"

namespace kb::sw {
namespace {

void check_same_type(const Tensor& target, const Shape& shape, Dtype dtype, const char* what) {
  if (shape != target.shape()) {
    throw Error::program("SHAPE_ERROR", fmt::format("{} tensor '{}': its shape is {}, the source's is {}", what,
                                                    target.name(), format_shape(target.shape()), format_shape(shape)));
  }
  if (dtype != target.dtype()) {
    throw Error::program("DTYPE_ERROR",
                         fmt::format("{} tensor '{}': it holds {}, the source {}; convert the source first", what,
                                     target.name(), dtype_name(target.dtype()), dtype_name(dtype)));
  }
}

Block2d resolve_block(const Tensor& tensor, Slice rows, Slice cols) {
  const Shape& shape = tensor.shape();
  if (shape.size() != 2) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("elements and slices are taken of tensors of two dimensions; tensor "
                                     "'{}' is {}: use to_host or copy_",
                                     tensor.name(), format_shape(shape)));
  }
  if (rows.end == -1) rows.end = shape[0];
  if (cols.end == -1) cols.end = shape[1];
  const bool rows_ok = 0 <= rows.begin && rows.begin < rows.end && rows.end <= shape[0];
  const bool cols_ok = 0 <= cols.begin && cols.begin < cols.end && cols.end <= shape[1];
  if (!rows_ok || !cols_ok) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("slice [{}:{}, {}:{}] is empty or outside of tensor '{}' of shape {}", rows.begin,
                                     rows.end, cols.begin, cols.end, tensor.name(), format_shape(shape)));
  }
  return {rows.begin, cols.begin, rows.end - rows.begin, cols.end - cols.begin};
}

// Removes shards that share memory with an earlier one: copies in the SRAM of one cube.
std::vector<std::size_t> distinct_memory(const contract::TensorLayout& layout, std::vector<std::size_t> shards) {
  if (layout.memory != MemoryKind::sram) return shards;
  std::set<std::uint64_t> seen;
  const auto again = [&](std::size_t i) { return !seen.insert(layout.shards[i].pa).second; };
  shards.erase(std::remove_if(shards.begin(), shards.end(), again), shards.end());
  return shards;
}

// The replicas that contain the block; throws when it crosses shards.
std::vector<std::size_t> holders(const Tensor& tensor, const Block2d& b, const char* instead) {
  std::vector<std::size_t> shards = shards_holding(tensor.placement(), b);
  if (!shards.empty()) return distinct_memory(tensor.layout(), std::move(shards));
  throw Error::program(
      "SHAPE_ERROR",
      fmt::format("slice [{}:{}, {}:{}] of tensor '{}' crosses shards of shape {}; use {}", b.row, b.row + b.rows,
                  b.col, b.col + b.cols, tensor.name(), format_shape(tensor.layout().shard_shape), instead));
}

std::vector<ShardRun> whole_runs(const std::vector<ShardSpec>& placement, const std::vector<std::size_t>& shards) {
  std::vector<ShardRun> runs;
  for (const std::size_t i : shards) runs.push_back({i, 0, placement[i].nbytes, placement[i].offset_bytes});
  return runs;
}

std::vector<std::size_t> written_shards(const contract::TensorLayout& layout) {
  std::vector<std::size_t> all(layout.shards.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return distinct_memory(layout, std::move(all));
}

contract::Pattern element_pattern(Dtype dtype, double value) {
  return {encode_element(dtype, value), static_cast<std::uint8_t>(item_size(dtype))};
}

}  // namespace

std::string_view host_read_name(HostRead read) {
  switch (read) {
    case HostRead::to_host:
      return "to_host";
    case HostRead::data:
      return "data";
    case HostRead::element:
      return "element read";
    case HostRead::slice:
      return "slice read";
    case HostRead::print:
      return "print";
    case HostRead::copy_source:
      return "copy_ source";
  }
  return "?";
}

TensorState::~TensorState() {
  if (layout == nullptr) return;
  if (const auto alive = context.lock()) alive->on_last_handle_gone(layout->id);
}

TensorState& Tensor::state() const {
  if (!state_)
    throw Error::program("TENSOR_ERROR", "an empty tensor handle was used; make the tensor with the runtime first");
  return *state_;
}

std::shared_ptr<ITensorContext> Tensor::context() const {
  static_cast<void>(layout());
  auto alive = state_->context.lock();
  if (!alive)
    throw Error::program("TENSOR_ERROR", fmt::format("tensor '{}' outlived its runtime context", state_->name));
  return alive;
}

const Shape& Tensor::shape() const {
  return deployed() ? state_->layout->shape : state().staged.shape();
}

Dtype Tensor::dtype() const {
  return deployed() ? state_->layout->dtype : state().staged.dtype();
}

const std::string& Tensor::name() const {
  return state().name;
}

const DPPolicy& Tensor::policy() const {
  return state().policy;
}

const contract::TensorLayout& Tensor::layout() const {
  return *shared_layout();
}

std::shared_ptr<const contract::TensorLayout> Tensor::shared_layout() const {
  if (!state().layout) {
    throw Error::program("TENSOR_ERROR",
                         fmt::format("tensor '{}' is a staging tensor in host memory; make a device tensor "
                                     "with empty() and copy_ it there",
                                     state_->name));
  }
  return state_->layout;
}

const std::vector<ShardSpec>& Tensor::placement() const {
  static_cast<void>(layout());
  return state_->placement;
}

HostArray Tensor::read_all(HostRead why) const {
  if (!deployed()) return state().staged;
  const auto ctx = context();
  const std::vector<ShardSpec>& shards = state_->placement;
  const std::vector<ShardRun> runs = whole_runs(shards, distinct_shards(shards));
  const ITensorContext::Contents gathered = ctx->read(why, layout(), runs);
  std::vector<std::byte> ordered(gathered.bytes.size());
  std::size_t from = 0;
  for (const ShardRun& run : runs) {
    std::copy_n(gathered.bytes.begin() + static_cast<std::ptrdiff_t>(from), run.nbytes,
                ordered.begin() + static_cast<std::ptrdiff_t>(run.buffer_offset));
    from += run.nbytes;
  }
  HostArray out(shape(), dtype(), to_row_major(shards, shape(), item_size(dtype()), ordered));
  out.set_placeholder(!gathered.known);
  return out;
}

HostArray Tensor::read_block(HostRead why, Slice rows, Slice cols) const {
  const auto ctx = context();
  const Block2d block = resolve_block(*this, rows, cols);
  const std::size_t shard = holders(*this, block, "to_host").front();
  ITensorContext::Contents read = ctx->read(why, layout(), block_runs(placement(), shard, block, item_size(dtype())));
  HostArray out({block.rows, block.cols}, dtype(), std::move(read.bytes));
  out.set_placeholder(!read.known);
  return out;
}

HostArray Tensor::to_host() const {
  return read_all(HostRead::to_host);
}

HostArray Tensor::data() const {
  return read_all(HostRead::data);
}

double Tensor::get(std::int64_t row, std::int64_t col) const {
  return read_block(HostRead::element, Slice::one(row), Slice::one(col)).at(0, 0);
}

HostArray Tensor::get(Slice rows, Slice cols) const {
  return read_block(HostRead::slice, rows, cols);
}

std::string Tensor::to_string() const {
  if (!valid()) return "empty tensor handle";
  return fmt::format("tensor '{}' {}", name(), read_all(HostRead::print).to_string());
}

const Tensor& Tensor::copy_(const HostArray& source) const {
  const auto ctx = context();
  check_same_type(*this, source.shape(), source.dtype(), "copying into");
  const std::vector<ShardSpec>& shards = state_->placement;
  const bool unknown = source.placeholder() && source.bytes().empty();
  auto buffer = std::make_shared<const std::vector<std::byte>>(
      unknown ? std::vector<std::byte>() : to_shard_order(shards, shape(), item_size(dtype()), source.bytes()));
  ctx->write(layout(), whole_runs(shards, written_shards(layout())), std::move(buffer), !source.placeholder());
  return *this;
}

const Tensor& Tensor::copy_(const Tensor& source) const {
  static_cast<void>(context());
  check_same_type(*this, source.shape(), source.dtype(), "copying into");
  return copy_(source.read_all(HostRead::copy_source));
}

void Tensor::set(std::int64_t row, std::int64_t col, double value) const {
  set(Slice::one(row), Slice::one(col), value);
}

void Tensor::set(Slice rows, Slice cols, double value) const {
  const auto ctx = context();
  const Block2d block = resolve_block(*this, rows, cols);
  std::vector<ShardRun> runs;
  for (const std::size_t shard : holders(*this, block, "copy_")) {
    for (const ShardRun& run : block_runs(placement(), shard, block, item_size(dtype()))) runs.push_back(run);
  }
  ctx->fill(layout(), runs, element_pattern(dtype(), value));
}

void Tensor::set(Slice rows, Slice cols, const HostArray& values) const {
  const auto ctx = context();
  const Block2d block = resolve_block(*this, rows, cols);
  if (values.shape() != Shape{block.rows, block.cols} || values.dtype() != dtype()) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("tensor '{}': a {} block of shape {} cannot be set from a {} array of shape {}",
                                     name(), dtype_name(dtype()), format_shape({block.rows, block.cols}),
                                     dtype_name(values.dtype()), format_shape(values.shape())));
  }
  std::vector<ShardRun> runs;
  for (const std::size_t shard : holders(*this, block, "copy_")) {
    for (const ShardRun& run : block_runs(placement(), shard, block, item_size(dtype()))) runs.push_back(run);
  }
  ctx->write(layout(), runs, std::make_shared<const std::vector<std::byte>>(values.bytes()), !values.placeholder());
}

void Tensor::fill(double value) const {
  const auto ctx = context();
  ctx->fill(layout(), whole_runs(placement(), written_shards(layout())), element_pattern(dtype(), value));
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << tensor.to_string();
}

}  // namespace kb::sw
