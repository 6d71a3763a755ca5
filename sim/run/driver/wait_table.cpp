#include "sim/run/driver/wait_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "platform/observe/text_table.h"

namespace kb::sim {
namespace {

constexpr std::size_t kMaxLines = 60;
constexpr std::size_t kMaxAlike = 4;
constexpr std::size_t kWidth = 120;  // columns of text output

// The text of a wait without numbers and addresses.
std::string kind_of(const elab::WaitInfo& wait) {
  const std::string text = wait.who + '\n' + wait.what;
  std::string kind;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      kind += text[i++];
      continue;
    }
    const bool address = text.compare(i, 2, "0x") == 0;
    for (i += address ? 2 : 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if ((address ? std::isxdigit(c) : std::isdigit(c)) == 0) break;
    }
    kind += '#';
  }
  return kind;
}

}  // namespace

std::string render_waits(std::vector<elab::WaitInfo> waits, TimeFs now) {
  using Align = observe::TextTable::Align;
  const auto begun =
      std::stable_partition(waits.begin(), waits.end(), [&](const auto& wait) { return wait.since <= now; });
  const auto later = static_cast<std::size_t>(waits.end() - begun);
  waits.erase(begun, waits.end());
  const std::string end = later == 0 ? "" : fmt::format("  (waits that begin later: {})\n", later);
  if (waits.empty()) return "No block reports what it waits for.\n" + end;
  std::stable_sort(waits.begin(), waits.end(),
                   [](const elab::WaitInfo& a, const elab::WaitInfo& b) { return a.since < b.since; });
  std::vector<std::vector<elab::WaitInfo>> groups;  // in the order of their oldest wait
  std::map<std::string, std::size_t> group_of;
  for (elab::WaitInfo& wait : waits) {
    const auto [place, fresh] = group_of.emplace(kind_of(wait), groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(std::move(wait));
  }
  observe::TextTable table({{"who waits", Align::left}, {"for what", Align::left, true}, {"since ns", Align::right}});
  std::size_t lines = 0, left_out = 0;
  for (const std::vector<elab::WaitInfo>& group : groups) {
    if (lines >= kMaxLines) {
      left_out += group.size();
      continue;
    }
    // Shows one more wait instead of a line that would replace only one.
    const std::size_t shown = group.size() <= kMaxAlike + 1 ? group.size() : kMaxAlike;
    for (std::size_t i = 0; i < shown; ++i) table.add({group[i].who, group[i].what, format_ns(group[i].since)});
    if (shown < group.size()) {
      table.add({"... and " + std::to_string(group.size() - shown) + " more like these", "", ""});
    }
    lines += shown;
  }
  std::string text = table.render("  ", kWidth);
  if (left_out > 0) text += "  ... and " + std::to_string(left_out) + " others\n";
  return text + end;
}

}  // namespace kb::sim
