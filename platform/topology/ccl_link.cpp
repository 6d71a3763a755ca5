#include "platform/topology/ccl_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/whole_number.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {
namespace {

constexpr std::size_t kMaxLinks = 1024;
constexpr const char* kLevels[] = {"sip", "cube", "pe"};

std::optional<PePattern> read_pe(MapReader& link, const char* key) {
  const std::string text = link.text(key, std::nullopt);
  if (link.context().is_bad(link.path(key))) return std::nullopt;
  const std::optional<PePattern> pattern = parse_pe_pattern(text);
  if (!pattern) {
    link.report(key, fmt::format("'{}' names no PE", text),
                "write for example sip0.cube3.pe1, with * for any number that both ends share");
  }
  return pattern;
}

std::optional<CclLink> read_link(MapReader& link) {
  CclLink out;
  const std::optional<PePattern> from = read_pe(link, "from"), to = read_pe(link, "to");
  out.send = link.text("send", std::nullopt);
  out.receive = link.text("receive", std::nullopt);
  out.both = link.flag("both", false);
  out.place = link.context().place({link.path("from")});
  link.done();
  if (!from || !to) return std::nullopt;
  out.from = *from;
  out.to = *to;
  for (std::size_t level = 0; level < out.from.places.size(); ++level) {
    if (out.from.places[level].has_value() == out.to.places[level].has_value()) continue;
    link.report("to",
                fmt::format("'*' stands for the same {} at both ends, but only one of them has it", kLevels[level]),
                "write it in from and in to, or a number in both");
    return std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<PePattern> parse_pe_pattern(const std::string& text) {
  PePattern pattern;
  std::size_t at = 0;
  for (std::size_t level = 0; level < pattern.places.size(); ++level) {
    const std::string word = (level == 0 ? "" : ".") + std::string(kLevels[level]);
    if (text.compare(at, word.size(), word) != 0) return std::nullopt;
    at += word.size();
    const std::size_t end = std::min(text.find('.', at), text.size());
    const std::string place = text.substr(at, end - at);
    at = end;
    if (place == "*") continue;
    std::uint64_t number = 0;
    constexpr std::size_t kMaxDigits = 4;
    if (place.empty() || place.size() > kMaxDigits || place.find_first_not_of("0123456789") != std::string::npos ||
        parse_whole(place, number) != std::errc{}) {
      return std::nullopt;
    }
    pattern.places[level] = static_cast<int>(number);
  }
  return at == text.size() ? std::optional(pattern) : std::nullopt;
}

std::vector<CclLink> read_ccl_links(MapReader& entry) {
  std::vector<CclLink> links;
  for (MapReader& one : entry.list_of_maps("links", kMaxLinks, "links of one entry, but it can have")) {
    if (std::optional<CclLink> link = read_link(one)) links.push_back(std::move(*link));
  }
  return links;
}

}  // namespace kb::topology
