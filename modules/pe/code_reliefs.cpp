#include "modules/pe/code_reliefs.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "platform/base/glob.h"

namespace kb::modules {
namespace {

// True when `name` is the end of `path` and begins at one of its folders.
bool ends_with(std::string_view path, std::string_view name) {
  if (path.size() < name.size() || path.substr(path.size() - name.size()) != name) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '/';
}

}  // namespace

std::uint8_t CodeReliefs::look(const account::PlaceTable& places, account::PlaceId place) {
  const std::size_t site = places.site(place).value;
  if (site >= sites_.size()) sites_.resize(places.sites());
  if (sites_[site] == 0) sites_[site] = kKnown | compare(places, places[places.site(place)]);
  return sites_[site];
}

std::uint8_t CodeReliefs::compare(const account::PlaceTable& places, const account::Place& site) {
  if (!site.has_line()) return 0;
  const std::string line = places[site.file] + ':' + std::to_string(site.line);
  std::uint8_t flags = 0;
  for (const std::string& wanted : no_wait) {
    if (!ends_with(line, wanted)) continue;
    flags |= kNoWait;
    used_.push_back(wanted);
  }
  for (const std::string& wanted : copies) {
    if (places[site.tensor] != wanted) continue;
    flags |= kCopy;
    used_.push_back(wanted);
  }
  return flags;
}

double CodeReliefs::work_of(const std::string& pe) {
  for (const Work& one : work) {
    if (!glob_match(one.pes, pe)) continue;
    used_.push_back(one.pes);
    return one.share;
  }
  return 1;
}

std::vector<std::string> CodeReliefs::unused() const {
  std::vector<std::string> names;
  for (const std::vector<std::string>* const list : {&no_wait, &copies}) {
    std::copy_if(list->begin(), list->end(), std::back_inserter(names),
                 [&](const std::string& name) { return !is_used(name); });
  }
  return names;
}

std::vector<std::string> CodeReliefs::unused_work() const {
  std::vector<std::string> patterns;
  for (const Work& one : work) {
    if (!is_used(one.pes)) patterns.push_back(one.pes);
  }
  return patterns;
}

bool CodeReliefs::is_used(const std::string& name) const {
  return std::find(used_.begin(), used_.end(), name) != used_.end();
}

}  // namespace kb::modules
