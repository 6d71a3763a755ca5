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

using energy::joules_text;
using energy::three_digits;

std::string range_text(const energy::Energy& energy) {
  return joules_text(energy.low) + " .. " + joules_text(energy.high);
}

std::string energy_share(const energy::Energy& part, const StepEnergy& energy) {
  return fixed(energy.total.value == 0
                   ? 0.0
                   : 100 * static_cast<double>(part.value) / static_cast<double>(energy.total.value),
               1) +
         " %";
}

std::string energy_text(const StepReport& report) {
  const StepEnergy& energy = *report.energy;
  const auto tokens = static_cast<std::uint64_t>(report.model.batch.tokens());
  std::string out = fmt::format("\nEnergy of a step (coefficients: {}; half of all bits toggle)\n", energy.defaults);
  out += fmt::format("  {} ({}), {} W, {} per token", joules_text(energy.total.value), range_text(energy.total),
                     three_digits(sim::watts(energy.total.value, report.step())),
                     joules_text(energy.total.value / tokens));
  const auto per = [&](double count, const char* what) {
    if (count > 0) {
      out += fmt::format(", {} pJ per {}", three_digits(static_cast<double>(energy.total.value) / 1e3 / count), what);
    }
  };
  per(report.flop(), "FLOP");
  per(static_cast<double>(energy.memory_bytes), "byte of HBM");
  TextTable parts({{"part", kLeft}, {"energy", kRight}, {"share", kRight}, {"low", kRight}, {"high", kRight}});
  for (const sim::EnergyPart& part : energy.parts) {
    parts.add({part.label, joules_text(part.energy.value), energy_share(part.energy, energy),
               joules_text(part.energy.low), joules_text(part.energy.high)});
  }
  TextTable rows({{"launches", kLeft}, {"energy", kRight}, {"share", kRight}, {"W", kRight}});
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    rows.add({report.rows[i].name, joules_text(energy.rows[i].value), energy_share(energy.rows[i], energy),
              three_digits(sim::watts(energy.rows[i].value, report.rows[i].all))});
  }
  rows.add({"(no launch: static power, refresh)", joules_text(energy.nobodys.value),
            energy_share(energy.nobodys, energy), ""});
  out += '\n' + parts.render("  ") + '\n' + rows.render("  ") + "  not counted:\n";
  for (const std::string& phrase : energy.not_counted) out += "    " + phrase + '\n';
  return out;
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
  if (report.energy) out += energy_text(report);
  return out;
}

}  // namespace kb::step
