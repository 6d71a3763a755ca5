// Reliefs of the family "code": what a kernel could do otherwise, and is not written yet.
#include <fmt/format.h>

#include <algorithm>

#include "sim/study/why/relief.h"

namespace kb::why {
namespace {

constexpr std::size_t kMostAlone = 4;
constexpr std::size_t kNamed = 4;

Change change_of(const CodeUse& use) {
  return {Change::Where::code, use.copies ? "copies" : "no-wait", "", use.name};
}

std::string text_of(const CodeUse& use) {
  return use.copies ? "every PE has a copy of " + use.text + " in its memory"
                    : "the kernel does not wait for " + use.text + ": it is issued ahead";
}

// "a.cpp:20 load h, a.cpp:9 load x and 2 more"
std::string list_of(const std::vector<CodeUse>& uses) {
  std::string text;
  for (std::size_t i = 0; i < std::min(uses.size(), kNamed); ++i) text += (i > 0 ? ", " : "") + uses[i].text;
  return uses.size() > kNamed ? text + fmt::format(" and {} more", uses.size() - kNamed) : text;
}

void add_kind(const std::vector<CodeUse>& uses, std::vector<Relief>& reliefs) {
  TimeFs all = 0_fs;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    accumulate(all, uses[i].time);
    if (i >= kMostAlone) continue;
    const Change change = change_of(uses[i]);
    reliefs.push_back(
        {"code " + change.what + " " + change.value, text_of(uses[i]), Scope::code, uses[i].time, {change}});
  }
  if (uses.size() < 2) return;
  const bool copies = uses.front().copies;
  Relief together{copies ? "code copies" : "code no-wait",
                  copies ? "every PE has copies in its memory of " + list_of(uses)
                         : "the kernel waits for no transfer: it issues ahead " + list_of(uses),
                  Scope::codes,
                  all,
                  {}};
  for (const CodeUse& use : uses) together.changes.push_back(change_of(use));
  reliefs.push_back(std::move(together));
}

}  // namespace

void add_code_reliefs(const std::vector<CodeUse>& uses, std::vector<Relief>& reliefs) {
  for (const bool copies : {false, true}) {
    std::vector<CodeUse> kind;
    std::copy_if(uses.begin(), uses.end(), std::back_inserter(kind),
                 [copies](const CodeUse& use) { return use.copies == copies; });
    if (!kind.empty()) add_kind(kind, reliefs);
  }
}

}  // namespace kb::why
