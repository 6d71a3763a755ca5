// The files in the folder of a run.
#pragma once

#include <string>

#include "platform/observe/output_set.h"
#include "platform/topology/topology.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

std::string file_in(const std::string& folder, const std::string& name);
std::string result_file(const std::string& folder);      // DIR/result.json
std::string inputs_file(const std::string& folder);      // DIR/inputs.json
std::string machine_file(const std::string& folder);     // DIR/topology.json
std::string operations_file(const std::string& folder);  // DIR/ops.sqlite

// Adds result.json, which write_result() writes, and the drawings that the topology requests; with `recorded` also
// topology.json. The folder must exist. Errors are those of OutputFile. result.json is the first file of an empty set,
// so that it appears last.
observe::OutputFile& add_run_files(observe::OutputSet& outputs, const topology::LoadedTopology& machine,
                                   const std::string& folder, bool recorded);
// Adds an operation log; its name determines the format.
observe::OutputFile& add_operations(observe::OutputSet& outputs, const std::string& file);

void write_result(const RunRecord& record, observe::OutputFile& result);
// Adds the tables of single launches, PEs and blocks to ops.sqlite, whose operation log is finished; without `recorded`
// there is none.
void write_details(const RunRecord& record, observe::OutputFile& operations, bool recorded);

}  // namespace kb::sim
