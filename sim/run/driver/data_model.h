// The data side of a simulation: memory contents, operation log, recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/account/place.h"
#include "platform/data/data_engine.h"
#include "platform/data/operation_recorder.h"
#include "platform/topology/graph.h"
#include "sim/run/driver/simulation.h"

namespace kb::sim {

class DataModel {
 public:
  // Uses the options for data, log and recorder.
  DataModel(const topology::Graph& graph, const SimulationOptions& options);
  ~DataModel();

  data::OperationRecorder& recorder() { return recorder_; }
  // Memory contents after all operations completed so far; zeros where data mode off does not know them.
  std::vector<std::byte> read(std::uint64_t pa, std::uint64_t nbytes) { return engine_.read({{pa, nbytes}}); }
  // Like read(), but returns no value when data mode off does not know the bytes.
  std::optional<std::vector<std::byte>> read_if_known(std::uint64_t pa, std::uint64_t nbytes) {
    return engine_.contents({{pa, nbytes}});
  }
  UnknownAccesses unknown_accesses() const;
  // A warning for each line of a kernel and tensor of which it read bytes that were never written. `places` names the
  // tensors; may be null.
  std::vector<std::string> unwritten_warnings(const account::PlaceTable* places) const;
  // Changes memory immediately, without an operation.
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
