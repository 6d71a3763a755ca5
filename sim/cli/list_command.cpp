#include <CLI/CLI.hpp>

#include "platform/observe/json_writer.h"
#include "platform/observe/text_table.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/cli/workload_library.h"

namespace kb::cli {
namespace {

using observe::JsonWriter;
using observe::TextTable;

void write_parameter(JsonWriter& json, const sw::Workload& workload, const sw::Parameter& parameter) {
  json.begin_object(true).key("name").text(parameter.name).key("type").text(parameter_type_name(parameter.type));
  json.key("unit").text(parameter.unit).key("default").text(parameter.default_value).key("help").text(parameter.help);
  json.key("choices").begin_array();
  for (const std::string& choice : parameter.choices) json.text(choice);
  json.end_array()
      .key("environment")
      .text(sw::environment_name(workload.environment_prefix(), parameter.name))
      .end_object();
}

std::string render_json(const WorkloadLibrary& library) {
  JsonWriter json;
  json.begin_object().key("schema").integer(1).key("benches").begin_array();
  int index = 0;
  for (const std::string& name : library.workloads().names()) {
    const sw::Workload& workload = *library.workloads().find(name);
    json.begin_object()
        .key("index")
        .integer(++index)
        .key("name")
        .text(name)
        .key("description")
        .text(workload.description);
    json.key("parameters").begin_array();
    for (const sw::Parameter& parameter : workload.parameters) write_parameter(json, workload, parameter);
    json.end_array().end_object();
  }
  json.end_array().key("kernels").begin_array();
  for (const std::string& name : library.kernels().names()) {
    const contract::Kernel& kernel = *library.kernels().find(name);
    json.begin_object().key("name").text(name).key("description").text(kernel.description);
    json.key("parameters").begin_array(true);
    for (const contract::KernelParameter& parameter : kernel.parameters) json.text(parameter.text());
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.str() + '\n';
}

std::string parameter_text(const sw::Parameter& parameter) {
  std::string text = parameter.help;
  if (!parameter.unit.empty()) text += " [" + parameter.unit + "]";
  if (!parameter.choices.empty()) {
    std::string choices;
    for (const std::string& choice : parameter.choices) choices += (choices.empty() ? "" : ", ") + choice;
    text += " (" + choices + ")";
  }
  return text;
}

std::string render_text(const WorkloadLibrary& library) {
  std::string text = "Benches (kernbench run --bench NAME)\n";
  int index = 0;
  for (const std::string& name : library.workloads().names()) {
    const sw::Workload& workload = *library.workloads().find(name);
    text += "\n" + std::to_string(++index) + "  " + name + "  " + workload.description + "\n";
    TextTable table({{"parameter", TextTable::Align::left},
                     {"default", TextTable::Align::left},
                     {"meaning", TextTable::Align::left},
                     {"environment", TextTable::Align::left}});
    for (const sw::Parameter& parameter : workload.parameters) {
      table.add({parameter.name, parameter.default_value, parameter_text(parameter),
                 sw::environment_name(workload.environment_prefix(), parameter.name)});
    }
    if (!table.empty()) text += table.render("     ");
  }
  TextTable kernels({{"kernel", TextTable::Align::left}, {"description", TextTable::Align::left}});
  for (const std::string& name : library.kernels().names()) {
    kernels.add({name, library.kernels().find(name)->description});
  }
  return text + "\nKernels (launched by benches)\n\n" + kernels.render("   ");
}

class ListCommand final : public Command {
 public:
  explicit ListCommand(CLI::App& app) {
    app.footer(kListFooter);
    app.add_option("--plugin", plugins_, "Shared library with kernels and benches; may be repeated")
        ->type_name("FILE")
        ->expected(1)
        ->take_all();
    app.add_flag("--json", json_, "Print as JSON");
  }

  int run() override {
    const WorkloadLibrary library(plugins_);
    json_ ? print(render_json(library)) : print_text(render_text(library));
    return 0;
  }

 private:
  std::vector<std::string> plugins_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list_command(CLI::App& app, const Program&) {
  return std::make_unique<ListCommand>(app);
}

}  // namespace kb::cli
