#include "modules/bridge/address_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::modules {
namespace {

constexpr std::uint64_t kAddresses = UINT64_MAX;

std::string window_text(const AddressWindow& window) {
  return fmt::format("{:#x} to {:#x}", window.bus, window.bus + (window.size - 1));
}

}  // namespace

AddressWindows::AddressWindows(std::vector<AddressWindow> windows, const std::string& socket)
    : windows_(std::move(windows)) {
  for (const AddressWindow& window : windows_) {
    if (window.size == 0) {
      throw Error::configuration(fmt::format("socket {}: the window at {:#x} has no bytes", socket, window.bus));
    }
    if (window.size - 1 > kAddresses - window.bus || window.size - 1 > kAddresses - window.pa) {
      throw Error::configuration(
          fmt::format("socket {}: the window at {:#x} passes the end of the address space", socket, window.bus));
    }
  }
  std::sort(windows_.begin(), windows_.end(),
            [](const AddressWindow& a, const AddressWindow& b) { return a.bus < b.bus; });
  for (std::size_t i = 1; i < windows_.size(); ++i) {
    if (windows_[i].bus - windows_[i - 1].bus >= windows_[i - 1].size) continue;
    throw Error::configuration(fmt::format("socket {}: the windows {} and {} overlap", socket,
                                           window_text(windows_[i - 1]), window_text(windows_[i])));
  }
}

std::vector<AddressWindows::Piece> AddressWindows::find(std::uint64_t bus, std::uint64_t nbytes) const {
  if (windows_.empty()) return {{0, bus, nbytes}};
  std::vector<Piece> pieces;
  std::uint64_t done = 0;
  while (done < nbytes) {
    const std::uint64_t address = bus + done;
    if (address < bus) break;  // the address has wrapped around
    auto window = std::upper_bound(windows_.begin(), windows_.end(), address,
                                   [](std::uint64_t value, const AddressWindow& w) { return value < w.bus; });
    if (window == windows_.begin()) break;
    --window;
    const std::uint64_t into = address - window->bus;
    if (into >= window->size) break;
    const std::uint64_t part = std::min(nbytes - done, window->size - into);
    pieces.push_back({done, window->pa + into, part});
    done += part;
  }
  return pieces;
}

std::string AddressWindows::text() const {
  if (windows_.empty()) return "every physical address";
  std::string text;
  for (const AddressWindow& window : windows_) text += (text.empty() ? "" : ", ") + window_text(window);
  return text;
}

}  // namespace kb::modules
