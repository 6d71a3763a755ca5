// A link of one's own in the collective configuration: who can send to whom (K-5a).
//   links: [{ from: sip*.cube*.pe0, to: sip*.cube*.pe3, send: next, receive: previous }]
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/error.h"

namespace kb::topology {

class MapReader;

// "sip0.cube*.pe3": a number, or any where the other end of the link has the same.
struct PePattern {
  std::array<std::optional<int>, 3> places;  // sip, cube, pe
};
std::optional<PePattern> parse_pe_pattern(const std::string& text);

struct CclLink {
  PePattern from, to;
  std::string send, receive;  // the labels under which `from` sends and `to` receives
  bool both = false;          // `to` sends back under its label, too
  Diagnostic place;           // of the entry, for what only the machine shows
};

// The list `links` of an entry; problems are left in the context.
std::vector<CclLink> read_ccl_links(MapReader& entry);

}  // namespace kb::topology
