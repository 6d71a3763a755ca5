#include "sim/cli/workload_text.h"

#include "platform/contract/kernel.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/observe/text_table.h"
#include "sim/study/why/point.h"

namespace kb::cli {
namespace {

using observe::TextTable;

constexpr const char* kIndent = "  ";

std::string meaning(const sw::Parameter& parameter) {
  std::string text = parameter.help;
  if (!parameter.unit.empty()) text += " [" + parameter.unit + "]";
  if (!parameter.choices.empty()) {
    std::string choices;
    for (const std::string& choice : parameter.choices) choices += (choices.empty() ? "" : ", ") + choice;
    text += " (" + choices + ")";
  }
  return text;
}

std::string paragraph(const std::string& text) {
  std::string out;
  for (const std::string& line : observe::wrapped(text, kTextWidth - 2)) out += kIndent + line + "\n";
  return out;
}

}  // namespace

std::string parameters_text(const sw::Workload& workload) {
  if (workload.parameters.empty()) return "";
  TextTable table({{"parameter", TextTable::Align::left},
                   {"default", TextTable::Align::left},
                   {"meaning", TextTable::Align::left}});
  for (const sw::Parameter& parameter : workload.parameters) {
    table.add({parameter.name, parameter.default_value, meaning(parameter)});
  }
  const std::string first = workload.parameters.front().name;
  return table.render(kIndent, kTextWidth) + "\n" +
         paragraph("Set them with --set, e.g. --set " + first + "=" + workload.parameters.front().default_value +
                   ", or in the environment, e.g. " + sw::environment_name(workload.environment_prefix(), first) + ".");
}

std::string workload_text(const sw::Workload& workload, std::size_t number, const std::string& plugin) {
  std::string text = "Workload " + workload.name + ", number " + std::to_string(number) + "\n";
  text += paragraph(workload.description) + "\n";
  const std::string parameters = parameters_text(workload);
  text += parameters.empty() ? paragraph("It has no parameters.") : parameters;
  const std::string option = plugin.empty() ? "" : "--plugin " + why::quoted(plugin) + " ";
  return text + kIndent + "Run it: kernbench run " + option + "--bench " + workload.name + "\n";
}

std::string kernel_text(const contract::Kernel& kernel) {
  std::string text = "Kernel " + kernel.name + ", launched by workloads\n" + paragraph(kernel.description);
  if (kernel.parameters.empty()) return text + "\n" + paragraph("It has no parameters.");
  text += "\n  Parameters:\n";
  for (const contract::KernelParameter& parameter : kernel.parameters) text += "    " + parameter.text() + "\n";
  return text;
}

}  // namespace kb::cli
