// Commands of engines that plug-ins bring: their rows have the function that computes them.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/executor.h"
#include "platform/engine/engine_row.h"

namespace kb::data {
namespace {

// The same elements with the last two dimensions swapped; `shape` is the result's.
std::vector<std::byte> transposed(const std::vector<std::byte>& stored, const Shape& shape, std::size_t item) {
  std::vector<std::byte> out(stored.size());
  const auto columns = static_cast<std::size_t>(shape.back());
  const auto rows = static_cast<std::size_t>(shape[shape.size() - 2]);
  const std::size_t matrix = rows * columns;
  const std::size_t elements = matrix == 0 ? 0 : stored.size() / item;
  for (std::size_t i = 0; i < elements; ++i) {
    const std::size_t row = i % matrix / columns, column = i % columns;
    const std::byte* const from = stored.data() + (i - i % matrix + column * rows + row) * item;
    std::copy(from, from + item, out.data() + i * item);
  }
  return out;
}

}  // namespace

void Executor::run(const EngineOp& op) {
  std::vector<engine::Tensor> inputs;
  inputs.reserve(op.inputs.size());
  for (const OperandRef& input : op.inputs) {
    check_extents(input);
    std::vector<std::byte> bytes = memory_.gather(input.extents);
    if (input.transposed) bytes = transposed(bytes, input.shape, item_size(input.dtype));
    inputs.push_back({input.dtype, input.shape, std::move(bytes)});
  }
  check_extents(op.out);
  engine::Tensor out{op.out.dtype, op.out.shape, std::vector<std::byte>(op.out.nbytes())};
  try {
    op.row->compute({op.inputs, op.parameters}, inputs, out);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error::model(fmt::format("`compute` of command '{}' failed: {}", op.row->name, error.what()));
  }
  if (out.bytes.size() != op.out.nbytes()) {
    throw Error::model(fmt::format("`compute` of command '{}' left {} bytes in a result of {}", op.row->name,
                                   out.bytes.size(), op.out.nbytes()));
  }
  memory_.scatter(op.out.extents, out.bytes.data());
}

}  // namespace kb::data
