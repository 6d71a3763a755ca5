// Launches of one layer, run again with everything observed: the files of `kernbench run --record`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/observe/output_set.h"
#include "platform/topology/topology.h"
#include "sim/study/step/step_times.h"

namespace kb::step {

struct RecordChoice {
  std::string folder;
  std::int64_t layer = 0;
  std::string model;                                       // its name, for the record
  std::map<std::string, topology::ConfigValue> reference;  // configuration with which the machine's is compared
  std::vector<std::string> plugins;                        // where the source of their kernels may lie
};

// The launches of a layer on one SIP, without sums over SIPs. Configuration Error when there is no such layer.
sw::Program layer_program(const sw::Program& program, std::int64_t layer);

// The record of a layer: result.json, topology.json and ops.sqlite, which appear together.
class LayerRecord {
 public:
  // Makes the folder and opens the files. Errors are those of OutputFile; configuration Error when the program has no
  // such layer.
  LayerRecord(const StepRun& run, RecordChoice choice);

  // Runs the launches of the layer on a machine of one SIP, queued as in a step. In this process, because SystemC
  // elaborates once per process. Errors are those of the run.
  void write();

 private:
  std::vector<std::string> notes() const;

  const StepRun& run_;
  RecordChoice choice_;
  sw::Program part_;
  observe::OutputSet outputs_;
  observe::OutputFile* result_ = nullptr;
  observe::OutputFile* operations_ = nullptr;
};

}  // namespace kb::step
