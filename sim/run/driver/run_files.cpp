#include "sim/run/driver/run_files.h"

#include <string_view>

#include "platform/data/op_log_file.h"
#include "platform/views/view_files.h"
#include "sim/result/inputs.h"
#include "sim/result/write.h"
#include "sim/run/driver/detail_tables.h"
#include "sim/run/driver/run_result.h"

namespace kb::sim {

std::string file_in(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + "/" + name;
}

std::string result_file(const std::string& folder) {
  return file_in(folder, "result.json");
}

std::string inputs_file(const std::string& folder) {
  return file_in(folder, result::kInputsFile);
}

std::string machine_file(const std::string& folder) {
  return file_in(folder, "topology.json");
}

std::string operations_file(const std::string& folder) {
  return file_in(folder, "ops.sqlite");
}

observe::OutputFile& add_run_files(observe::OutputSet& outputs, const topology::LoadedTopology& machine,
                                   const std::string& folder, bool recorded) {
  observe::OutputFile& result = outputs.add(result_file(folder), "the result file");
  if (recorded) {
    outputs.add(machine_file(folder), "the machine's description").write(topology::render_json(machine));
  }
  views::add_views(outputs, machine, folder, machine.graph.spec.emit_views);
  return result;
}

observe::OutputFile& add_operations(observe::OutputSet& outputs, const std::string& file) {
  return outputs.add(file, "the operation log", data::op_log_target(file));
}

void write_result(const RunRecord& record, observe::OutputFile& result) {
  result::render(result_of(record, Detail::sums), [&result](std::string_view text) { result.write(text); });
}

void write_details(const RunRecord& record, observe::OutputFile& operations, bool recorded) {
  if (!recorded) write_empty_log(record, operations);
  add_detail_tables(record, operations);
}

}  // namespace kb::sim
