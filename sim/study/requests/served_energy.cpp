#include "sim/study/requests/served_energy.h"

#include <fmt/format.h>

#include <cmath>

#include "platform/energy/coefficient.h"
#include "platform/observe/text_table.h"

namespace kb::requests {

std::optional<ServedEnergy> energy_of(const serving::Statistics& statistics) {
  const std::optional<serving::Joules> total = statistics.joules();
  if (!total) return std::nullopt;
  const auto each = [&](double count) { return count > 0 ? total->value / count : 0.0; };
  ServedEnergy energy;
  energy.total = *total;
  energy.static_joules = statistics.energy->static_watts.value * statistics.seconds();
  energy.watts = each(statistics.seconds());
  energy.per_output_token = each(static_cast<double>(statistics.output_tokens));
  energy.per_request = each(static_cast<double>(statistics.latency.count()));
  return energy;
}

std::string joules_text(double joules) {
  constexpr double kMost = 10'000, kKilo = 1000, kFemto = 1e15;
  if (joules >= kMost) return energy::three_digits(joules / kKilo) + " kJ";
  return energy::joules_text(static_cast<std::uint64_t>(std::llround(joules * kFemto)));
}

std::string energy_text(const EnergyCount& count, const std::optional<ServedEnergy>& energy) {
  std::string text = fmt::format("\nenergy (coefficients: {}; half of all bits toggle)\n", count.defaults);
  if (energy) {
    text +=
        fmt::format("  {} ({} .. {}), {} W on average\n  {} per output token, {} per request; static power: {}\n",
                    joules_text(energy->total.value), joules_text(energy->total.low), joules_text(energy->total.high),
                    energy::three_digits(energy->watts), joules_text(energy->per_output_token),
                    joules_text(energy->per_request), joules_text(energy->static_joules));
  }
  constexpr std::size_t kWidth = 116;
  text += "  not counted:\n";
  for (const std::string& phrase : count.not_counted) {
    for (const std::string& line : observe::wrapped(phrase, kWidth)) text += "    " + line + "\n";
  }
  return text;
}

void put_energy(observe::JsonWriter& json, const std::optional<EnergyCount>& count,
                const std::optional<ServedEnergy>& energy) {
  json.key("joules");
  if (!count) {
    json.null();
    return;
  }
  json.begin_object().key("defaults").text(count->defaults);
  if (energy) {
    json.key("total").real(energy->total.value).key("low").real(energy->total.low);
    json.key("high").real(energy->total.high).key("static").real(energy->static_joules);
    json.key("watts").real(observe::tidy(energy->watts));
    json.key("per_output_token").real(observe::tidy(energy->per_output_token));
    json.key("per_request").real(observe::tidy(energy->per_request));
  }
  json.key("not_counted").begin_array();
  for (const std::string& phrase : count->not_counted) json.text(phrase);
  json.end_array().end_object();
}

}  // namespace kb::requests
