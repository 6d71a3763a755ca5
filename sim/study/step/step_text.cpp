#include <fmt/format.h>

#include "platform/observe/text_table.h"
#include "sim/study/step/step_report.h"

namespace kb::step {
namespace {

using observe::fixed;
using observe::TextTable;
constexpr auto kLeft = TextTable::Align::left, kRight = TextTable::Align::right;

std::string microseconds(TimeFs time) {
  return fixed(fs_to_ns(time) / 1000, 3);
}

std::string percent(TimeFs part, TimeFs whole) {
  return whole == 0_fs ? "" : fixed(100 * fs_to_ns(part) / fs_to_ns(whole), 1) + " %";
}

std::string each_text(const StepRow& row) {
  return row.least == row.most ? microseconds(row.least) : microseconds(row.least) + " to " + microseconds(row.most);
}

}  // namespace

std::string render_step(const StepReport& report) {
  const TimeFs step = report.step();
  TextTable table({{"launch", kLeft},
                   {"kernel", kLeft},
                   {"count", kRight},
                   {"each us", kRight},
                   {"all us", kRight},
                   {"share", kRight},
                   {"least us", kRight},
                   {"of least", kRight},
                   {"limit", kLeft}});
  for (const StepRow& row : report.rows) {
    table.add({row.name, row.kernel.empty() ? "sum over SIPs" : row.kernel, std::to_string(row.count), each_text(row),
               microseconds(row.all), percent(row.all, step), microseconds(row.roof_all),
               row.roof_all == 0_fs ? "" : percent(row.roof_all, row.all),
               row.roof_all == 0_fs ? "" : std::string(model::limit_name(row.roof.limit()))});
  }
  const std::size_t launches = report.program.launches.size();
  table.add({"(gaps)", "", std::to_string(launches - 1), microseconds(report.times.gap), microseconds(report.gaps),
             percent(report.gaps, step), "", "", ""});
  table.add({"(host)", "", "1", microseconds(report.times.host), microseconds(report.times.host),
             percent(report.times.host, step), "", "", ""});
  const model::Batch& batch = report.model.batch;
  const bool decode = batch.phase == model::Phase::decode;
  std::string out = model::render_head(report.model) + "\n";
  out += fmt::format("{} of {}, on the slowest of {} {}\n", decode ? "Decode" : "Prefill", batch.text(),
                     report.program.ranks, report.program.ranks == 1 ? "SIP" : "SIPs") +
         table.render("  ") + "\n";
  out += fmt::format("{}  {} us, {} tokens/s; least time {} us, {} of it\n",
                     decode ? "Time per token      " : "Time to first token ", microseconds(step),
                     fixed(report.tokens_per_second(), 0), microseconds(report.roof), percent(report.roof, step));
  out +=
      report.composed ? fmt::format("{} of {} launches on {} {}: {} simulated, {} of {} known{}\n",
                                    report.approximations.empty() ? "Exact sum" : "Sum", launches, report.program.ranks,
                                    report.program.ranks == 1 ? "SIP" : "SIPs", report.times.simulated,
                                    report.times.looked_up, launches * report.times.launches.size(),
                                    report.times.checked > 0 ? fmt::format(", {} checked", report.times.checked) : "")
      : report.sample ? fmt::format("{} of {} layers simulated in one run; a layer takes {} to {} us, mean {}\n",
                                    report.sample->layers, report.sample->of_layers, microseconds(report.sample->least),
                                    microseconds(report.sample->most), microseconds(report.sample->mean))
                      : std::string("Simulated in one run\n");
  for (const std::string& text : report.approximations) out += "Not exact: " + text + "\n";
  return out;
}

}  // namespace kb::step
