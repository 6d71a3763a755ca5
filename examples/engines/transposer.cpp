#include "transposer.h"

#include <kernbench/platform/base/error.h>
#include <kernbench/platform/elab/block_plugin.h>

#include <algorithm>

namespace {

using kb::engine::Call;
using kb::engine::Tensor;

// The type of the result: (m, n) gives (n, m), of the same dtype.
kb::TensorType result(const Call& call) {
  const kb::OperandRef& x = call.inputs[0];
  if (x.shape.size() == 2) return {x.dtype, {x.shape[1], x.shape[0]}};
  throw kb::Error::program("SHAPE_ERROR", "transpose needs a matrix, not " + kb::format_operand(x));
}

// How much it works, in elements: whole blocks, also at the edges.
double work(const Call& call) {
  const std::int64_t block = call.parameters[0];
  const auto padded = [&](std::int64_t size) { return static_cast<double>((size + block - 1) / block * block); };
  return padded(call.inputs[0].shape[0]) * padded(call.inputs[0].shape[1]);
}

// What it computes. The result has room for its elements.
void compute(const Call&, const std::vector<Tensor>& inputs, Tensor& out) {
  const std::size_t item = kb::item_size(out.dtype);
  const auto rows = static_cast<std::size_t>(inputs[0].shape[0]),
             columns = static_cast<std::size_t>(inputs[0].shape[1]);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::byte* const from = inputs[0].bytes.data() + (row * columns + column) * item;
      std::copy(from, from + item, out.bytes.data() + (column * rows + row) * item);
    }
  }
}

}  // namespace

kb::engine::EngineRow transposer() {
  kb::engine::CommandRow transpose;
  transpose.name = "transpose";
  transpose.text = "a matrix with rows and columns swapped";
  transpose.reads = {"x"};
  transpose.parameters = {{"block", 8, 1, 64, "side of the blocks that it works in"}};
  transpose.result = result;
  transpose.work = work;
  transpose.compute = compute;

  kb::engine::EngineRow row;
  row.name = "transpose";
  row.text = "transposes matrices in square blocks";
  row.advice = "this is the roof of PE_TRANSPOSE: transpose less, or give products a transposed view (tl.trans)";
  row.colour = "#3f8f6b";
  row.rate = 64;  // elements of f16 in a ns, unless the topology says elements_per_ns
  row.commands = {transpose};
  return row;
}

KERNBENCH_BLOCKS(catalog) {
  catalog.add_engine(transposer());
}
