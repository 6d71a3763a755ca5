// The tables of ops.sqlite about single launches, PEs and blocks (docs/guides/oplog.md).
#pragma once

#include "platform/observe/output_file.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// Adds launch, launch_part, launch_pe, launch_use and block_statistic to the database of a finished operation log.
// Equal records give equal bytes. Throws the errors of OutputFile::write().
void add_detail_tables(const RunRecord& run, observe::OutputFile& operations);
// Writes a database with these tables only, without operations.
void write_empty_log(const RunRecord& run, observe::OutputFile& operations);

}  // namespace kb::sim
