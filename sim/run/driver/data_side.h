// What a simulation computes besides its times: memory, operation log, recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "platform/data/data_engine.h"
#include "platform/data/operation_recorder.h"
#include "platform/topology/graph.h"
#include "sim/run/driver/simulation.h"

namespace kb::sim {

class DataSide {
 public:
  // It uses the options of data, log and recorder.
  DataSide(const topology::Graph& graph, const SimulationOptions& options);
  ~DataSide();

  data::OperationRecorder& recorder() { return recorder_; }
  // Contents of memory as of all operations completed so far; zeros where data mode off does not know them.
  std::vector<std::byte> read(std::uint64_t pa, std::uint64_t nbytes) { return engine_.read({{pa, nbytes}}); }
  // The same, but nothing instead of those zeros.
  std::optional<std::vector<std::byte>> read_if_known(std::uint64_t pa, std::uint64_t nbytes) {
    return engine_.contents({{pa, nbytes}});
  }
  UnknownAccesses unknown_accesses() const;
  // Changes memory at once, without an operation.
  void poke(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes);
  data::MemoryStore& memory() { return memory_; }
  void finish();
  void finish_log();

 private:
  const topology::Graph& graph_;
  data::MemoryStore memory_;
  std::unique_ptr<data::IOpSink> log_;
  data::DataEngine engine_;
  data::OperationRecorder recorder_;
};

}  // namespace kb::sim
