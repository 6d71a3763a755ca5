#include "modules/rtl/axi_manager.h"

#include <algorithm>
#include <cstring>

namespace kb::modules {

namespace {

// The bytes that a write puts at the 8 addresses from 8 * index.
std::uint64_t word_of(std::uint64_t serial, std::uint64_t index) {
  std::uint64_t x = (serial << 40) ^ index;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t low_bits(std::uint32_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

std::vector<AxiBurst> axi_bursts(std::uint64_t begin, std::uint64_t end, std::uint8_t size) {
  const std::uint64_t most = std::uint64_t{AxiBurst::kMaxBeats} << size;
  std::vector<AxiBurst> bursts;
  while (begin < end) {
    AxiBurst burst;
    burst.begin = begin;
    burst.size = size;
    burst.end = std::min({end, (begin / AxiBurst::kBoundary + 1) * AxiBurst::kBoundary, burst.address() + most});
    begin = burst.end;
    bursts.push_back(burst);
  }
  return bursts;
}

AxiManager::AxiManager(const AxiPort& port, std::size_t max_reads, std::size_t max_writes)
    : port_(port), max_reads_(max_reads), max_writes_(max_writes), address_mask_(low_bits(port.address_bits)) {}

void AxiManager::write(const AxiBurst& burst) {
  writes_.push_back(burst);
  data_.push_back({burst, ++serial_});
}

bool AxiManager::idle() const {
  return reads_.empty() && writes_.empty() && open_reads_ == 0 && open_writes_ == 0 && data_.empty();
}

AxiManagerPins AxiManager::step() const {
  AxiManagerPins pins;
  pins.rready = pins.bready = true;
  if (!reads_.empty() && open_reads_ < max_reads_) {
    const AxiBurst& burst = reads_.front();
    pins.arvalid = true;
    pins.arid = burst.id;
    pins.arsize = burst.size;
    pins.araddr = burst.address() & address_mask_;
    pins.arlen = static_cast<std::uint8_t>(burst.beats() - 1);
  }
  if (!writes_.empty() && !writes_wait()) {
    const AxiBurst& burst = writes_.front();
    pins.awvalid = true;
    pins.awid = burst.id;
    pins.awsize = burst.size;
    pins.awaddr = burst.address() & address_mask_;
    pins.awlen = static_cast<std::uint8_t>(burst.beats() - 1);
  }
  // A memory may wait for the first beat before it takes an address. One without strobes has never seen data come
  // before their address was taken, and does not have to.
  const bool early = port_.strobes && addressed_ == 0 && pins.awvalid;
  if (!data_.empty() && (addressed_ > 0 || early)) drive_data(pins);
  return pins;
}

void AxiManager::drive_data(AxiManagerPins& pins) const {
  const auto& [burst, serial] = data_.front();
  pins.wvalid = true;
  pins.wlast = beat_ + 1 == burst.beats();
  const std::uint64_t from = burst.address() + beat_ * burst.beat_bytes();
  const std::uint64_t begin = std::max(from, burst.begin), end = std::min(from + burst.beat_bytes(), burst.end);
  pins.wstrb = low_bits(static_cast<std::uint32_t>(end - begin)) << (begin % port_.beat_bytes);
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t word = word_of(serial, at / sizeof word);
    const std::uint64_t offset = at % sizeof word, count = std::min(end - at, sizeof word - offset);
    std::memcpy(&pins.wdata[at % port_.beat_bytes], reinterpret_cast<const char*>(&word) + offset, count);
    at += count;
  }
}

AxiManager::Done AxiManager::apply(const AxiManagerPins& driven, const AxiMemoryPins& memory) {
  Done done;
  const auto take = [](std::deque<std::uint64_t>& tokens) {
    const std::uint64_t token = tokens.front();
    tokens.pop_front();
    return token;
  };
  if (memory.rvalid && driven.rready) {
    done.moved = true;
    if (memory.rlast) done.read = take(read_open_[memory.rid]), --open_reads_;
  }
  if (memory.bvalid && driven.bready) {
    done.moved = true;
    done.write = take(write_open_[memory.bid]), --open_writes_;
  }
  if (driven.wvalid && memory.wready) {
    done.moved = true;
    beat_ = driven.wlast ? 0 : beat_ + 1;
    if (driven.wlast) data_.pop_front(), --addressed_;
  }
  if (driven.arvalid && memory.arready) {
    done.moved = true;
    read_open_[driven.arid].push_back(reads_.front().token), ++open_reads_;
    reads_.pop_front();
  }
  if (driven.awvalid && memory.awready) {
    done.moved = true;
    write_open_[driven.awid].push_back(writes_.front().token), ++open_writes_;
    writes_.pop_front();
    ++addressed_;
  }
  return done;
}

}  // namespace kb::modules
