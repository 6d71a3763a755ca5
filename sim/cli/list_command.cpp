#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/model/model_spec.h"
#include "platform/model/weights.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/text_table.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/cli/shipped_models.h"
#include "sim/cli/workload_library.h"
#include "sim/cli/workload_text.h"

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

// A workload with its number, which is its index in name order.
struct Numbered {
  std::size_t number;
  const sw::Workload* workload;
};

// Selects everything, or the entries with one name.
struct Selection {
  std::vector<Numbered> workloads;
  std::vector<const contract::Kernel*> kernels;
  const groups::Groups* workload_groups = nullptr;
  const groups::Groups* kernel_groups = nullptr;
};

Selection select(const WorkloadLibrary& library, const std::string& name) {
  Selection chosen{{}, {}, &library.workloads().groups(), &library.kernels().groups()};
  std::size_t number = 0;
  for (const std::string& one : library.workloads().names()) {
    ++number;
    const bool wanted = name.empty() || name == one || name == std::to_string(number);
    if (wanted) chosen.workloads.push_back({number, library.workloads().find(one)});
  }
  for (const std::string& one : library.kernels().names()) {
    if (name.empty() || name == one) chosen.kernels.push_back(library.kernels().find(one));
  }
  if (!chosen.workloads.empty() || !chosen.kernels.empty()) return chosen;
  std::vector<std::string> names = library.workloads().names();
  for (const std::string& one : library.kernels().names()) {
    if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  }
  const std::string near = nearest_name(name, names);
  throw Error::configuration("there is no workload and no kernel '" + name + "' (" +
                             (near.empty() ? "'kernbench list' shows them" : "did you mean '" + near + "'?") + ")");
}

std::string render_json(const Selection& chosen) {
  JsonWriter json;
  json.begin_object().key("schema").integer(1).key("benches").begin_array();
  for (const auto& [number, workload] : chosen.workloads) {
    json.begin_object().key("index").integer(static_cast<std::int64_t>(number));
    json.key("name").text(workload->name).key("group").text(chosen.workload_groups->of(workload->name));
    json.key("description").text(workload->description);
    json.key("parameters").begin_array();
    for (const sw::Parameter& parameter : workload->parameters) write_parameter(json, *workload, parameter);
    json.end_array().end_object();
  }
  json.end_array().key("kernels").begin_array();
  for (const contract::Kernel* kernel : chosen.kernels) {
    json.begin_object().key("name").text(kernel->name).key("group").text(chosen.kernel_groups->of(kernel->name));
    json.key("description").text(kernel->description);
    json.key("parameters").begin_array(true);
    for (const contract::KernelParameter& parameter : kernel->parameters) json.text(parameter.text());
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.str() + '\n';
}

std::string render_tables(const Selection& chosen) {
  TextTable workloads(
      {{"#", TextTable::Align::right}, {"workload", TextTable::Align::left}, {"what it does", TextTable::Align::left}});
  for (const std::string& group : chosen.workload_groups->names()) {
    workloads.add_heading(group);
    for (const auto& [number, workload] : chosen.workloads) {
      if (chosen.workload_groups->of(workload->name) != group) continue;
      workloads.add({std::to_string(number), workload->name, workload->description});
    }
  }
  TextTable kernels({{"kernel", TextTable::Align::left}, {"what it does", TextTable::Align::left}});
  for (const std::string& group : chosen.kernel_groups->names()) {
    kernels.add_heading(group);
    for (const contract::Kernel* kernel : chosen.kernels) {
      if (chosen.kernel_groups->of(kernel->name) == group) kernels.add({kernel->name, kernel->description});
    }
  }
  return "Workloads: 'kernbench run --bench NAME' runs one, 'kernbench list NAME' shows its parameters\n\n" +
         workloads.render("", kTextWidth) +
         "\nKernels: launched by workloads, 'kernbench list NAME' shows the parameters\n\n" +
         kernels.render("", kTextWidth);
}

// The file of the plug-in that brings a workload; "" for a built-in one.
std::string plugin_of(const std::string& workload, const WorkloadLibrary& library) {
  for (const PluginContents& plugin : library.plugins()) {
    const std::vector<std::string>& all = plugin.workloads;
    if (std::find(all.begin(), all.end(), workload) != all.end()) return plugin.file;
  }
  return "";
}

std::string render_details(const Selection& chosen, const WorkloadLibrary& library) {
  std::string text;
  for (const auto& [number, workload] : chosen.workloads) {
    text += workload_text(*workload, number, plugin_of(workload->name, library));
  }
  for (const contract::Kernel* kernel : chosen.kernels) text += (text.empty() ? "" : "\n") + kernel_text(*kernel);
  return text;
}

// The shipped models, with what their files say.
struct ShippedModel {
  std::string name;
  model::ModelSpec spec;
  std::int64_t parameters;
};

std::vector<ShippedModel> shipped_models() {
  std::vector<ShippedModel> models;
  for (const std::string& file : shipped_model_files()) {
    model::ModelSpec spec = model::load_model(file).spec;
    const std::int64_t parameters = model::parameters(spec).all;
    std::string name = spec.name();
    models.push_back({std::move(name), std::move(spec), parameters});
  }
  return models;
}

std::string render_models_json() {
  JsonWriter json;
  json.begin_object().key("schema").integer(1).key("models").begin_array();
  for (const ShippedModel& model : shipped_models()) {
    json.begin_object(true).key("name").text(model.name).key("family").text(model.spec.family);
    json.key("layers").integer(model.spec.layer_count()).key("hidden").integer(model.spec.hidden);
    json.key("parameters").integer(model.parameters).end_object();
  }
  json.end_array().end_object();
  return json.str() + '\n';
}

std::string render_models() {
  constexpr auto kRight = TextTable::Align::right;
  TextTable table({{"model"}, {"family"}, {"parameters", kRight}, {"layers", kRight}, {"width", kRight}});
  for (const ShippedModel& model : shipped_models()) {
    table.add({model.name, model.spec.family, observe::fixed(static_cast<double>(model.parameters) / 1e9, 2) + " G",
               std::to_string(model.spec.layer_count()), std::to_string(model.spec.hidden)});
  }
  return "Models: 'kernbench model show NAME' says what one needs\n\n" + table.render();
}

class ListCommand final : public Command {
 public:
  explicit ListCommand(CLI::App& app) {
    app.footer(kListFooter);
    app.add_option("NAME", name_,
                   "One workload by name or number, or one kernel: with its parameters; or the word models");
    add_plugin_option(app, plugins_);
    app.add_flag("--json", json_, "Print as JSON");
  }

  int run() override {
    if (name_ == "models") {
      if (!plugins_.empty()) throw usage_error("--plugin adds no models; leave it out");
      require_shipped_models();
      print(json_ ? render_models_json() : render_models());
      return 0;
    }
    const WorkloadLibrary library(plugins_);
    const Selection chosen = select(library, name_);
    if (json_) {
      print(render_json(chosen));
    } else {
      print_text(name_.empty() ? render_tables(chosen) : render_details(chosen, library));
    }
    return 0;
  }

 private:
  std::string name_;
  std::vector<std::string> plugins_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list_command(CLI::App& app, const Program&) {
  return std::make_unique<ListCommand>(app);
}

}  // namespace kb::cli
