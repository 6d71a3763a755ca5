#include "sw/model/program_builder.h"

#include <fmt/format.h>

#include <utility>

namespace kb::sw {

std::size_t ProgramBuilder::add(ProgramTensor made) {
  made.part = spread_bytes(made.spread, made.shape, made.dtype, cubes_, pes_);
  const std::uint64_t period = geometry_.period();
  made.part = (made.part + period - 1) / period * period;
  program_.tensors.push_back(std::move(made));
  return program_.tensors.size() - 1;
}

ProgramTensor ProgramBuilder::made(const std::string& role, std::int64_t layer, Shape shape, Dtype dtype,
                                   Spread spread) const {
  ProgramTensor tensor;
  tensor.name = layer < 0 ? role : fmt::format("layers.{}.{}", layer, role);
  tensor.role = role;
  tensor.layer = layer;
  tensor.shape = std::move(shape);
  tensor.dtype = dtype;
  tensor.spread = spread;
  return tensor;
}

std::size_t ProgramBuilder::add_kept(ProgramTensor tensor) {
  tensor.stays = true;
  return add(std::move(tensor));
}

std::size_t ProgramBuilder::activation(const std::string& role, Shape shape, Spread spread, Dtype dtype) {
  return add(made(role, layer_, std::move(shape), dtype, spread));
}

std::size_t ProgramBuilder::activation(const std::string& role, Shape shape, Spread spread) {
  return activation(role, std::move(shape), spread, graph_.dtype);
}

std::size_t ProgramBuilder::weight(const std::string& role, const Indices& graph_tensors, Spread spread) {
  const auto known = weights_.find(graph_tensors);
  if (known != weights_.end()) return known->second;
  ProgramTensor whole = made(role, layer_, tensor(graph_tensors[0]).shape, graph_.dtype, spread);
  whole.shape[0] = 0;
  for (const std::size_t index : graph_tensors) {
    whole.shape[0] += tensor(index).shape[0];
    whole.weights.push_back(tensor(index).name);
  }
  if (whole.shape.size() == 1) whole.shape.insert(whole.shape.begin(), 1);
  const std::size_t index = add_kept(std::move(whole));
  weights_.emplace(graph_tensors, index);
  return index;
}

std::size_t ProgramBuilder::numbers(const std::string& role, const contract::IntegerMatrix& matrix, Spread spread) {
  const auto known = numbers_.find(role);
  if (known != numbers_.end()) return known->second;
  ProgramTensor tensor = made(role, -1, {matrix.rows, matrix.cols}, Dtype::i32, spread);
  tensor.numbers.assign(matrix.values.begin(), matrix.values.end());
  const std::size_t index = add_kept(std::move(tensor));
  numbers_.emplace(role, index);
  return index;
}

void ProgramBuilder::launch(const std::string& kernel, const std::string& name, std::vector<ProgramArg> args) {
  program_.launches.push_back({kernel, name, layer_, std::move(args), std::exchange(pending_ops_, {})});
}

}  // namespace kb::sw
