// The tray (T-58): the PCIe switch is a bar with SIPs below it and, when there are many, also above it. The host is
// next to the switch; its requests enter each SIP without passing the switch (H-19).
#include <fmt/format.h>

#include <algorithm>

#include "platform/base/machine_choices.h"
#include "platform/routing/address_resolver.h"
#include "platform/views/drawing.h"

namespace kb::views {
namespace {

constexpr int kSipsInOneRow = 8;
constexpr double kSipGap = 24, kWireLength = 60, kBarHeight = 40, kEndpointHeight = 22, kEndpointGap = 10;
constexpr Rect kHost{-kSipGap - 110, 0, 110, kBarHeight};

class SystemDrawing {
 public:
  explicit SystemDrawing(const topology::LoadedTopology& machine)
      : drawing_(machine, "system", "The machine: SIPs on one PCIe switch"),
        spec_(drawing_.spec()),
        endpoint_width_(widest_endpoint()),
        lines_({fmt::format("{} x {} cubes", spec_.cube_mesh_w, spec_.cube_mesh_h),
                plural(static_cast<std::size_t>(spec_.cubes_per_sip() * spec_.pes_per_cube()), "PE")}) {
    const double endpoints = static_cast<double>(spec_.io_chiplets.size());
    sip_width_ = std::max(110.0, endpoints * (endpoint_width_ + kEndpointGap) + kEndpointGap);
    for (const std::string& line : lines_) sip_width_ = std::max(sip_width_, label_width(line) + 2 * kEndpointGap);
    sip_height_ = kEndpointHeight + 2 * kEndpointGap + 4 * kLineHeight;
  }

  View draw() {
    const int below = spec_.sip_count <= kSipsInOneRow ? spec_.sip_count : (spec_.sip_count + 1) / 2;
    const double width = std::max(below * (sip_width_ + kSipGap) - kSipGap, 160.0);
    drawing_.node("fabric.switch0", {"fabric.switch0"}, Role::pcie, {0, 0, width, kBarHeight});
    drawing_.node("host", {"host"}, Role::host, kHost);
    for (int sip = 0; sip < spec_.sip_count; ++sip) draw_sip(sip, sip < below ? sip : sip - below, sip < below);
    drawing_.note(fmt::format("SIP topology {}; PCIe {} each way; the host enters each SIP at {}.pcie_ep",
                              name_of(spec_.sip_topology), bandwidth_text(spec_.io_ep_to_switch_bw),
                              routing::kDefaultIoId));
    return drawing_.take();
  }

 private:
  double widest_endpoint() const {
    double width = 0;
    for (const auto& chiplet : spec_.io_chiplets) width = std::max(width, label_width(chiplet.id + ".pcie_ep"));
    return width;
  }

  void draw_sip(int sip, int place, bool below) {
    const double x = place * (sip_width_ + kSipGap), y = below ? kBarHeight + kWireLength : -kWireLength - sip_height_;
    const Rect at{x, y, sip_width_, sip_height_};
    const std::string id = fmt::format("sip{}", sip);
    drawing_.frame(id, "", fmt::format("{}\n{}\n{}", id, lines_[0], lines_[1]), Role::sip, at);
    const double row = below ? y + kEndpointGap : at.bottom() - kEndpointGap - kEndpointHeight;
    double text = below ? row + kEndpointHeight + kLineHeight + 4 : y + kLineHeight + 6;
    for (const std::string& line : {id, lines_[0], lines_[1]}) {
      drawing_.label(line, {x + kEndpointGap, text}, line == id);
      text += kLineHeight + 2;
    }
    double endpoint_x = x + kEndpointGap;
    for (const auto& chiplet : spec_.io_chiplets) {
      const std::string node = fmt::format("{}.{}.pcie_ep", id, chiplet.id);
      drawing_.node(node, {chiplet.id + ".pcie_ep"}, Role::io, {endpoint_x, row, endpoint_width_, kEndpointHeight});
      const double middle = endpoint_x + endpoint_width_ / 2;
      drawing_.wire("fabric.switch0", node,
                    {{middle, below ? kBarHeight : 0}, {middle, below ? row : row + kEndpointHeight}});
      if (chiplet.id == routing::kDefaultIoId) draw_entry(node, endpoint_x + endpoint_width_ / 4, row, below);
      endpoint_x += endpoint_width_ + kEndpointGap;
    }
  }

  // Line from the host along the row of SIPs to the endpoint.
  void draw_entry(const std::string& endpoint, double x, double row, bool below) {
    const double host_x = kHost.center().x, between = below ? kBarHeight + kWireLength / 2 : -kWireLength / 2;
    drawing_.passage("host", endpoint, fmt::format("host to {}: requests of the host enter here, in no time", endpoint),
                     {{host_x, below ? kHost.bottom() : kHost.y},
                      {host_x, between},
                      {x, between},
                      {x, below ? row : row + kEndpointHeight}});
  }

  Drawing drawing_;
  const topology::MachineSpec& spec_;
  double endpoint_width_;
  std::vector<std::string> lines_;
  double sip_width_ = 0, sip_height_ = 0;
};

}  // namespace

View system_view(const topology::LoadedTopology& machine) {
  return SystemDrawing(machine).draw();
}

}  // namespace kb::views
