#include <fmt/format.h>

#include "platform/observe/text_table.h"
#include "sim/study/verify/verification.h"

namespace kb::verify {
namespace {

std::string figure_text(double figure) {
  return fmt::format("{:.3g}", figure);
}

}  // namespace

std::string render_verify(const VerifyReport& report) {
  using Table = observe::TextTable;
  constexpr auto kLeft = Table::Align::left, kRight = Table::Align::right;
  Table table({{"check", kLeft},
               {"against", kLeft},
               {"measure", kLeft},
               {"found", kRight},
               {"bound", kRight},
               {"", kLeft},
               {"where", kLeft}});
  for (const Check& check : report.checks) {
    table.add({check.name, check.against, check.measure, figure_text(check.figure), figure_text(check.bound),
               check.passed() ? "ok" : "FAILED", check.where});
  }
  std::string out = fmt::format("Model     {} in {}, {}\n", report.model, dtype_name(report.dtype), report.weights);
  out += fmt::format("Machine   {}, {} {}\n", report.machine, report.tp,
                     report.tp == 1 ? "SIP" : "SIPs that share each layer");
  out += fmt::format("Run       {} prompt tokens, {} decoded ones; {} steps with {} launches\n\n", report.prompt,
                     report.decode, report.programs, report.launches);
  out += table.render("  ") + "\n";
  out += report.failed() == 0 ? fmt::format("All {} checks passed\n", report.checks.size())
                              : fmt::format("{} of {} checks failed\n", report.failed(), report.checks.size());
  return out;
}

}  // namespace kb::verify
