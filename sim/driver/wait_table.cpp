#include "sim/driver/wait_table.h"

#include <algorithm>

#include "platform/observe/text_table.h"

namespace kb::sim {

std::string render_waits(std::vector<elab::WaitInfo> waits) {
  constexpr std::size_t kMostLines = 60;
  using Align = observe::TextTable::Align;
  if (waits.empty()) return "No block reports what it waits for.\n";
  std::stable_sort(waits.begin(), waits.end(),
                   [](const elab::WaitInfo& a, const elab::WaitInfo& b) { return a.since < b.since; });
  observe::TextTable table({{"who waits", Align::left}, {"for what", Align::left}, {"since ns", Align::right}});
  for (std::size_t i = 0; i < waits.size() && i < kMostLines; ++i) {
    table.add({waits[i].who, waits[i].what, format_ns(waits[i].since)});
  }
  std::string text = table.render("  ");
  if (waits.size() > kMostLines) text += "  ... and " + std::to_string(waits.size() - kMostLines) + " more\n";
  return text;
}

}  // namespace kb::sim
