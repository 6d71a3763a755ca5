// User-defined links of the collective configuration (K-5a).
//   links: [{ from: sip*.cube*.pe0, to: sip*.cube*.pe3, send: next, receive: previous }]
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/error.h"

namespace kb::topology {

class MapReader;

// "sip0.cube*.pe3": numbers, or wildcards that match the same index at the other end of the link.
struct PePattern {
  std::array<std::optional<int>, 3> places;  // sip, cube, pe
};
std::optional<PePattern> parse_pe_pattern(const std::string& text);

struct CclLink {
  PePattern from, to;
  std::string send, receive;  // labels of the sending and the receiving end
  bool both = false;          // also links `to` to `from`, with the labels swapped
  Diagnostic place;           // position of the entry, for problems that depend on the machine
};

// Reads the list `links` of an entry; problems are reported to the context.
std::vector<CclLink> read_ccl_links(MapReader& entry);

}  // namespace kb::topology
