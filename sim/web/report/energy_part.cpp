#include "sim/web/report/energy_part.h"

#include <fmt/format.h>

#include "platform/energy/coefficient.h"
#include "platform/views/svg.h"

namespace kb::web {
namespace {

using energy::joules_text;
using views::escaped;

std::string cells(const std::string& name, const result::Joules& energy, double share, const std::string& more) {
  return fmt::format(
      "<tr><td>{}</td><td class=\"number\">{:.1f} %</td><td class=\"number\">{}</td><td>{} to "
      "{}</td><td>{}</td></tr>\n",
      escaped(name), 100.0 * share, joules_text(energy.value), joules_text(energy.low), joules_text(energy.high),
      escaped(more));
}

}  // namespace

std::string energy_part(const result::Result& result) {
  if (!result.energy) return "";
  const result::Energy& energy = *result.energy;
  const auto share = [&](const result::Joules& part) {
    return energy.total.value == 0 ? 0.0 : static_cast<double>(part.value) / static_cast<double>(energy.total.value);
  };
  std::string html = fmt::format(
      "<section>\n<h2>Energy</h2>\n<p>{} ({} to {}), {} W on average; coefficients {}; half "
      "of all bits toggle.</p>\n<div class=\"scrollx\"><table class=\"data\"><thead><tr>"
      "<th>part</th><th class=\"number\">share</th><th class=\"number\">energy</th>"
      "<th>range</th><th>source</th></tr></thead><tbody>\n",
      joules_text(energy.total.value), joules_text(energy.total.low), joules_text(energy.total.high),
      energy::three_digits(energy.power_w), escaped(energy.defaults));
  for (const result::EnergyEvent& event : energy.events) {
    html += cells(event.part + '.' + event.name, event.energy, share(event.energy), event.source);
  }
  html += "</tbody></table></div>\n<p>Not counted: ";
  for (const std::string& phrase : energy.not_counted) {
    html += (&phrase == &energy.not_counted.front() ? "" : "; ") + escaped(phrase);
  }
  return html + ".</p>\n</section>\n";
}

}  // namespace kb::web
