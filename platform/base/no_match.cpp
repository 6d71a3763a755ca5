#include "platform/base/no_match.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

#include "platform/base/glob.h"
#include "platform/base/nearest.h"

namespace kb {
namespace {

constexpr std::size_t kMaxParts = 12;
constexpr std::size_t kMaxDigits = 9;

// "cube12" is number 12 of "cube"; a name without a number stays separate.
struct Part {
  std::string stem;
  std::int64_t number = -1;

  explicit Part(std::string_view name) : stem(name) {
    const std::size_t digits = name.size() - (name.find_last_not_of("0123456789") + 1);
    if (digits == 0 || digits == name.size() || digits > kMaxDigits) return;
    stem.resize(name.size() - digits);
    number = std::stoll(std::string(name.substr(stem.size())));
  }
  std::string name() const { return number < 0 ? stem : stem + std::to_string(number); }
  bool operator<(const Part& other) const { return std::tie(stem, number) < std::tie(other.stem, other.number); }
};

// "cube0 to cube3, m_cpu"
std::string ranges(const std::set<Part>& parts) {
  std::string text;
  std::size_t written = 0;
  for (auto first = parts.begin(); first != parts.end();) {
    auto last = first, next = std::next(first);
    while (next != parts.end() && next->stem == last->stem && next->number == last->number + 1) last = next++;
    if (written++ == kMaxParts) return text + " and more";
    text += (text.empty() ? "" : ", ") + first->name() + (first == last ? "" : " to " + last->name());
    first = next;
  }
  return text;
}

// The first `levels` levels of a name or pattern.
std::string_view beginning(std::string_view name, std::size_t levels) {
  std::size_t end = 0;
  for (std::size_t level = 0; level < levels && end != std::string_view::npos; ++level) {
    end = name.find('.', level == 0 ? 0 : end + 1);
  }
  return name.substr(0, levels == 0 ? 0 : end);
}

// The end of the first level (of the name or its parents) at which the pattern matches; npos when there is none. A `*`
// may match several levels.
std::size_t matching_level(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return 0;
  for (std::size_t end = name.find('.');; end = name.find('.', end + 1)) {
    if (glob_match(pattern, name.substr(0, end))) return std::min(end, name.size());
    if (end == std::string_view::npos) return end;
  }
}

}  // namespace

std::string existing_names(std::string_view pattern, const std::vector<std::string>& names) {
  const auto matches = [&](std::size_t levels) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return matching_level(beginning(pattern, levels), name) != std::string_view::npos;
    });
  };
  const auto all = static_cast<std::size_t>(1 + std::count(pattern.begin(), pattern.end(), '.'));
  std::size_t good = 0;
  while (good < all && matches(good + 1)) ++good;
  const std::string_view above = beginning(pattern, good);
  std::string parent;  // the first matching parent; others may have other children
  std::set<Part> below;
  for (const std::string& name : names) {
    const std::size_t level = matching_level(above, name);
    if (level == std::string_view::npos || level == name.size()) continue;
    if (below.empty()) parent = name.substr(0, level);
    if (name.compare(0, level, parent) != 0) continue;
    const std::size_t begin = level == 0 ? 0 : level + 1;
    below.insert(Part(std::string_view(name).substr(begin, name.find('.', begin) - begin)));
  }
  if (below.empty()) return "";
  std::set<Part> alike;  // names of the same kind as the pattern's
  const std::string_view wanted =
      beginning(pattern, good + 1).substr(good == 0 ? 0 : std::min(above.size() + 1, pattern.size()));
  for (const Part& part : below) {
    if (part.stem == Part(wanted).stem) alike.insert(part);
  }
  return (parent.empty() ? "names begin with " : parent + " has ") + ranges(alike.empty() ? below : alike);
}

std::string near_match(std::string_view pattern, const std::vector<std::string>& names) {
  if (pattern.find_first_of("*?") != std::string_view::npos) return "";
  const std::string inside = std::string(pattern) + ".";
  const bool level = std::any_of(names.begin(), names.end(),
                                 [&](const std::string& name) { return name.compare(0, inside.size(), inside) == 0; });
  if (level) return "write '" + inside + "*' for what is in it";
  const std::string near = nearest_name(pattern, names);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

std::string no_match_help(std::string_view pattern, const std::vector<std::string>& names) {
  const std::string near = near_match(pattern, names);
  return near.empty() ? existing_names(pattern, names) : near;
}

}  // namespace kb
