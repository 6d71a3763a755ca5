// Reliefs of the family "code": what a kernel could do otherwise, and is not written yet.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/study/why/relief.h"

namespace kb::why {
namespace {

constexpr std::size_t kMostAlone = 4;
constexpr std::size_t kNamed = 4;

struct KindWords {
  CodeUse::Kind kind;
  const char* relief;     // of --relief
  const char *one, *all;  // texts of the relief of one and of all of them
};
constexpr KindWords kKinds[] = {
    {CodeUse::Kind::no_wait, "no-wait", "the kernel does not wait for {}: it is issued ahead",
     "the kernel waits for no transfer: it issues ahead {}"},
    {CodeUse::Kind::copies, "copies", "every PE has a copy in its memory of {}",
     "every PE has copies in its memory of {}"},
    {CodeUse::Kind::work, "work", "{} with as much work as the median PE", ""},
    {CodeUse::Kind::host_copies, "host-copies", "{} reads and writes no tensor while kernels wait", ""},
};

// Work has an entry for each PE.
std::vector<Change> changes_of(const KindWords& words, const CodeUse& use) {
  std::vector<Change> changes;
  std::string rest = use.name;
  for (std::size_t comma = rest.find(','); words.kind == CodeUse::Kind::work && comma != std::string::npos;
       comma = rest.find(',')) {
    changes.push_back({Change::Where::code, words.relief, "", rest.substr(0, comma)});
    rest.erase(0, comma + 1);
  }
  changes.push_back({Change::Where::code, words.relief, "", rest});
  return changes;
}

// "a.cpp:20 load h, a.cpp:9 load x and 2 more"
std::string list_of(const std::vector<CodeUse>& uses) {
  std::string text;
  for (std::size_t i = 0; i < std::min(uses.size(), kNamed); ++i) text += (i > 0 ? ", " : "") + uses[i].text;
  return uses.size() > kNamed ? text + fmt::format(" and {} more", uses.size() - kNamed) : text;
}

void add_kind(const KindWords& words, const std::vector<CodeUse>& uses, std::vector<Relief>& reliefs) {
  Relief together{std::string("code ") + words.relief, fmt::format(words.all, list_of(uses)), Scope::codes, 0_fs, {}};
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::vector<Change> changes = changes_of(words, uses[i]);
    accumulate(together.used, uses[i].time);
    together.changes.insert(together.changes.end(), changes.begin(), changes.end());
    if (i >= kMostAlone) continue;
    reliefs.push_back({together.id + (uses[i].name.empty() ? "" : " " + uses[i].name),
                       fmt::format(words.one, uses[i].text), Scope::code, uses[i].time, changes});
  }
  if (uses.size() > 1) reliefs.push_back(std::move(together));
}

}  // namespace

void add_code_reliefs(const std::vector<CodeUse>& uses, std::vector<Relief>& reliefs) {
  for (const KindWords& words : kKinds) {
    std::vector<CodeUse> kind;
    std::copy_if(uses.begin(), uses.end(), std::back_inserter(kind),
                 [&](const CodeUse& use) { return use.kind == words.kind; });
    if (!kind.empty()) add_kind(words, kind, reliefs);
  }
}

}  // namespace kb::why
