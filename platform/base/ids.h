// Index types of the machine's parts. Each part has its own integer type, so that a cube index cannot be passed as a PE
// index.
#pragma once

#include <cstdint>
#include <functional>

namespace kb {

template <typename Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  constexpr bool valid() const { return value != kNone; }
  friend constexpr bool operator==(Id a, Id b) { return a.value == b.value; }
  friend constexpr bool operator!=(Id a, Id b) { return a.value != b.value; }
  friend constexpr bool operator<(Id a, Id b) { return a.value < b.value; }
};

using SipId = Id<struct SipTag>;    // index of a SIP in the tray
using CubeId = Id<struct CubeTag>;  // index of a cube in its SIP, row-major
using PeId = Id<struct PeTag>;      // index of a PE in its cube
using NodeId = Id<struct NodeTag>;  // index into Graph::nodes
using EdgeId = Id<struct EdgeTag>;  // index into Graph::edges

// Structural coordinates of one PE (K-25: there is no flat PE index).
struct PeCoord {
  SipId sip;
  CubeId cube;
  PeId pe;
  friend constexpr bool operator==(const PeCoord& a, const PeCoord& b) {
    return a.sip == b.sip && a.cube == b.cube && a.pe == b.pe;
  }
  friend constexpr bool operator<(const PeCoord& a, const PeCoord& b) {
    if (a.sip != b.sip) return a.sip < b.sip;
    if (a.cube != b.cube) return a.cube < b.cube;
    return a.pe < b.pe;
  }
};

constexpr PeCoord pe_at(int sip, int cube, int pe) {
  return {SipId(static_cast<std::uint32_t>(sip)), CubeId(static_cast<std::uint32_t>(cube)),
          PeId(static_cast<std::uint32_t>(pe))};
}

}  // namespace kb

template <typename Tag>
struct std::hash<kb::Id<Tag>> {
  std::size_t operator()(kb::Id<Tag> id) const noexcept { return id.value; }
};
