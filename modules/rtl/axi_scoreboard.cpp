#include "modules/rtl/axi_scoreboard.h"

#include <fmt/format.h>

#include <algorithm>

namespace kb::modules {

namespace {

// Address of the beat after the one at `address`: only the first beat may be unaligned.
std::uint64_t after(std::uint64_t address, std::uint8_t size) {
  const std::uint64_t bytes = std::uint64_t{1} << size;
  return (address & ~(bytes - 1)) + bytes;
}

}  // namespace

AxiScoreboard::AxiScoreboard(const AxiPort& port)
    : port_(port), address_mask_(port.contents_bytes == 0 ? ~std::uint64_t{0} : port.contents_bytes - 1) {}

void AxiScoreboard::observe(const AxiManagerPins& manager, const AxiMemoryPins& memory) {
  ++cycle_;
  if (manager.arvalid && !offering_) offered_ = cycle_;
  offering_ = manager.arvalid && !memory.arready;
  if (memory.rvalid && manager.rready) take_read(memory);
  if (memory.bvalid && manager.bready) take_answer(memory.bid);
  take_address(manager, memory);
  take_data(manager, memory);
}

void AxiScoreboard::take_address(const AxiManagerPins& manager, const AxiMemoryPins& memory) {
  if (manager.arvalid && memory.arready) {
    reads_.push_back({manager.araddr, 0, offered_, manager.arlen + 1u, manager.arid, manager.arsize});
  }
  if (manager.awvalid && memory.awready) {
    writes_.push_back({manager.awaddr, ++serial_, cycle_, manager.awlen + 1u, manager.awid, manager.awsize});
    answers_.emplace_back(manager.awid, serial_);
  }
}

void AxiScoreboard::take_data(const AxiManagerPins& manager, const AxiMemoryPins& memory) {
  if (manager.wvalid && memory.wready) early_.push_back({cycle_, manager.wstrb, manager.wdata});
  while (!early_.empty() && !writes_.empty()) {
    Burst& burst = writes_.front();
    write(burst, early_.front());
    early_.pop_front();
    burst.address = after(burst.address, burst.size);
    if (--burst.left == 0) writes_.pop_front();
  }
}

void AxiScoreboard::take_answer(std::uint8_t id) {
  const auto answered =
      std::find_if(answers_.begin(), answers_.end(), [id](const auto& answer) { return answer.first == id; });
  if (answered == answers_.end()) return;  // a violation that AxiRules reports
  for (const std::uint64_t line : lines_of_[answered->second]) {
    for (Version& version : lines_[line]) {
      if (version.serial == answered->second) version.done = cycle_;
    }
  }
  lines_of_.erase(answered->second);
  answers_.erase(answered);
}

void AxiScoreboard::take_read(const AxiMemoryPins& memory) {
  const auto read =
      std::find_if(reads_.begin(), reads_.end(), [&](const Burst& burst) { return burst.id == memory.rid; });
  if (read == reads_.end()) return;
  compare(*read, memory.rdata);
  read->address = after(read->address, read->size);
  if (--read->left == 0) reads_.erase(read);
}

void AxiScoreboard::write(const Burst& burst, const Beat& beat) {
  const std::uint64_t base = burst.address & ~std::uint64_t{port_.beat_bytes - 1};
  for (std::uint32_t lane = 0; lane < port_.beat_bytes; ++lane) {
    if (port_.strobes && (beat.strobes >> lane & 1u) == 0) continue;
    const std::uint64_t at = contents_address(base + lane), line = at / kLineBytes, offset = at % kLineBytes;
    std::vector<Version>& versions = lines_[line];
    if (versions.empty() || versions.back().serial != burst.serial) {
      drop_overwritten(versions);
      versions.emplace_back();
      versions.back().serial = burst.serial;
      versions.back().begin = beat.cycle;
      versions.back().id = burst.id;
      lines_of_[burst.serial].push_back(line);
    }
    versions.back().mask |= std::uint64_t{1} << offset;
    versions.back().bytes[offset] = beat.data[lane];
  }
}

void AxiScoreboard::compare(const Burst& burst, const AxiManagerPins::Beat& data) {
  const std::uint64_t end = after(burst.address, burst.size);
  for (std::uint64_t at = burst.address; at < end; ++at) compare_byte(burst, at, data[at % port_.beat_bytes]);
}

// True when AXI4 orders the two writes.
bool AxiScoreboard::follows(const Version& later, const Version& version) {
  return later.begin > version.done || (later.id == version.id && later.serial > version.serial);
}

void AxiScoreboard::compare_byte(const Burst& burst, std::uint64_t address, std::uint8_t read) {
  const std::uint64_t at = contents_address(address), offset = at % kLineBytes;
  const auto found = lines_.find(at / kLineBytes);
  if (found == lines_.end()) return;
  const auto has = [&](const Version& version) { return (version.mask >> offset & 1u) != 0; };
  const Version* expected = nullptr;
  for (const Version& version : found->second) {
    if (!has(version)) continue;
    const bool overwritten = std::any_of(found->second.begin(), found->second.end(), [&](const Version& later) {
      return has(later) && follows(later, version) && later.done < burst.since;
    });
    if (overwritten) continue;
    if (version.bytes[offset] == read) {
      ++compared_;
      return;
    }
    if (version.done < burst.since) expected = &version;
  }
  if (expected == nullptr) return;  // the old contents are not known
  throw rtl_error(RtlFault::wrong, fmt::format("rdata of address {:#x} is {:#04x}, but {:#04x} was written there (read "
                                               "of rid {}; verify)",
                                               address, read, expected->bytes[offset], burst.id));
}

std::int64_t AxiScoreboard::oldest_read() const {
  std::int64_t oldest = offering_ ? offered_ : cycle_;
  for (const Burst& burst : reads_) oldest = std::min(oldest, burst.since);
  return oldest;
}

void AxiScoreboard::drop_overwritten(std::vector<Version>& versions) const {
  const std::int64_t oldest = oldest_read();
  for (Version& version : versions) {
    for (const Version& later : versions) {
      if (follows(later, version) && later.done < oldest) version.mask &= ~later.mask;
    }
  }
  versions.erase(std::remove_if(versions.begin(), versions.end(), [](const Version& v) { return v.mask == 0; }),
                 versions.end());
}

}  // namespace kb::modules
