// The tensors and launches of a program while it is put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/contract/paged_attention.h"
#include "platform/model/arena.h"
#include "platform/model/graph.h"
#include "sw/model/program.h"

namespace kb::sw {

class ProgramBuilder {
 protected:
  using Indices = std::vector<std::size_t>;

  // Both outlive the builder.
  ProgramBuilder(const model::Graph& graph, const model::ArenaGeometry& geometry)
      : graph_(graph), geometry_(geometry), cubes_(geometry.pes / geometry.pes_per_cube), pes_(geometry.pes_per_cube) {}

  const model::GraphTensor& tensor(std::size_t index) const { return graph_.tensors[index]; }

  std::size_t add(ProgramTensor made);
  // A tensor with a place of its own.
  std::size_t add_kept(ProgramTensor tensor);
  ProgramTensor made(const std::string& role, std::int64_t layer, Shape shape, Dtype dtype, Spread spread) const;
  std::size_t activation(const std::string& role, Shape shape, Spread spread, Dtype dtype);
  std::size_t activation(const std::string& role, Shape shape, Spread spread);
  // Weights of the file, one above the other. A tied embedding is there already.
  std::size_t weight(const std::string& role, const Indices& graph_tensors, Spread spread);
  // Integers that the host writes before the step, once for all layers that need the same.
  std::size_t numbers(const std::string& role, const contract::IntegerMatrix& matrix, Spread spread);

  void launch(const std::string& kernel, const std::string& name, std::vector<ProgramArg> args);

  const model::Graph& graph_;
  const model::ArenaGeometry& geometry_;
  std::int64_t cubes_, pes_;
  Program program_;
  std::int64_t layer_ = -1;  // of what is added
  Indices pending_ops_;      // operations since the last launch

 private:
  std::map<Indices, std::size_t> weights_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace kb::sw
