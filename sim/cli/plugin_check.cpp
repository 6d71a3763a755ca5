#include "sim/cli/plugin_check.h"

#include <fmt/format.h>

#include "platform/base/nearest.h"
#include "platform/base/plugin_abi.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/observe/text_table.h"
#include "platform/topology/words.h"
#include "sim/cli/workload_text.h"

namespace kb::cli {
namespace {

using observe::TextTable;

std::string joined(const std::vector<std::string>& words, const std::string& otherwise) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? otherwise : text;
}

std::string parameters_of(const sw::Workload& workload) {
  std::vector<std::string> names;
  for (const sw::Parameter& parameter : workload.parameters) names.push_back(parameter.name);
  return joined(names, "no parameters");
}

std::string parameters_of(const contract::Kernel& kernel) {
  std::vector<std::string> names;
  for (const contract::KernelParameter& parameter : kernel.parameters) names.push_back(parameter.text());
  return joined(names, "no parameters");
}

std::string attributes_of(const params::FieldTable& table) {
  std::vector<std::string> names;
  for (const params::Field& field : table.fields()) names.push_back(field.name);
  return joined(names, "no attributes of its own");
}

// "transpose (x; block)"
std::string commands_of(const engine::EngineRow& row) {
  std::vector<std::string> commands;
  for (const engine::CommandRow& command : row.commands) {
    std::string text = command.name + " (" + joined(command.reads, "");
    for (const engine::Parameter& parameter : command.parameters) {
      text += (&parameter == &command.parameters.front() ? "; " : ", ") + parameter.name;
    }
    commands.push_back(text + ")");
  }
  return joined(commands, "no commands");
}

}  // namespace

std::string plugin_text(const PluginContents& plugin, const WorkloadLibrary& library) {
  TextTable table(
      {{"what", TextTable::Align::left}, {"name", TextTable::Align::left}, {"takes", TextTable::Align::left}});
  for (const std::string& name : plugin.workloads) {
    table.add({"workload", name, parameters_of(*library.workloads().find(name))});
  }
  for (const std::string& name : plugin.kernels) {
    table.add({"kernel", name, parameters_of(*library.kernels().find(name))});
  }
  for (const std::string& name : plugin.all_reduces) {
    table.add({"all-reduce", name, "kernel " + library.all_reduces().find(name).kernel});
  }
  for (const auto& [kind, name] : plugin.blocks) {
    table.add({std::string(topology::node_kind_name(kind)), name,
               attributes_of(*library.blocks().implementations().find(kind, name))});
  }
  for (const engine::EngineId id : plugin.engines) {
    const engine::EngineRow& row = library.blocks().implementations().engines().row(id);
    table.add({"engine", row.name, commands_of(row)});
  }
  using topology::plural;
  return fmt::format("{}: ok ({}; {}, {}, {}, {}{})\n", plugin.file, plugin_abi(),
                     plural(plugin.workloads.size(), "workload"), plural(plugin.kernels.size(), "kernel"),
                     plural(plugin.all_reduces.size(), "all-reduce"), plural(plugin.blocks.size(), "block"),
                     plugin.engines.empty() ? "" : ", " + plural(plugin.engines.size(), "engine")) +
         table.render("  ", kTextWidth);
}

void check_plugin(const PluginContents& plugin, const WorkloadLibrary& library, std::vector<Diagnostic>& problems) {
  if (plugin.workloads.empty() && plugin.kernels.empty() && plugin.all_reduces.empty() && plugin.blocks.empty() &&
      plugin.engines.empty()) {
    problems.push_back(
        {plugin.file, 0, 0, "", "the plug-in registers nothing",
         "call registrar.add_kernel(), add_workload() or add_all_reduce(), catalog.add_block() or add_engine()"});
  }
  for (const std::string& name : plugin.all_reduces) {
    const std::string& kernel = library.all_reduces().find(name).kernel;
    if (library.kernels().find(kernel) != nullptr) continue;
    problems.push_back(
        {plugin.file, 0, 0, "",
         fmt::format("the all-reduce '{}' launches the kernel '{}', which nobody has registered", name, kernel),
         suggest(kernel, library.kernels().names())});
  }
}

}  // namespace kb::cli
