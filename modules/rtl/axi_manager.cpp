#include "modules/rtl/axi_manager.h"

#include <algorithm>
#include <cstring>

namespace kb::modules {

namespace {

// The bytes that a write puts at the 8 addresses from 8 * index.
std::uint64_t word_of(std::uint64_t serial, std::uint64_t index) {
  const std::uint64_t x = (serial * 0x9e3779b97f4a7c15u ^ index) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

// The bytes that it puts at [begin, end).
void fill(std::uint8_t* bytes, std::uint64_t serial, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  if ((begin | end) % kWord == 0) {
    for (std::uint64_t index = begin / kWord; index < end / kWord; ++index, bytes += kWord) {
      const std::uint64_t word = word_of(serial, index);
      std::memcpy(bytes, &word, kWord);
    }
    return;
  }
  for (std::uint64_t at = begin; at < end; ++at) {
    *bytes++ = static_cast<std::uint8_t>(word_of(serial, at / kWord) >> (8 * (at % kWord)));
  }
}

std::uint64_t low_bits(std::uint32_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

AxiManager::AxiManager(const AxiPort& port, std::size_t max_reads, std::size_t max_writes)
    : port_(port), max_reads_(max_reads), max_writes_(max_writes), address_mask_(low_bits(port.address_bits)) {
  pins_.rready = pins_.bready = true;
}

void AxiManager::write(const AxiBurst& burst) {
  writes_.push_back(burst);
  data_.push_back({burst, ++serial_});
}

const AxiManagerPins& AxiManager::step() {
  AxiManagerPins& pins = pins_;
  pins.arvalid = !reads_.empty() && open_reads_ < max_reads_;
  if (pins.arvalid) {
    const AxiBurst& burst = reads_.front();
    pins.arid = burst.id;
    pins.arsize = burst.size;
    pins.araddr = burst.address() & address_mask_;
    pins.arlen = static_cast<std::uint8_t>(burst.beats() - 1);
  }
  pins.awvalid = !writes_.empty() && open_writes_ < max_writes_;
  if (pins.awvalid) {
    const AxiBurst& burst = writes_.front();
    pins.awid = burst.id;
    pins.awsize = burst.size;
    pins.awaddr = burst.address() & address_mask_;
    pins.awlen = static_cast<std::uint8_t>(burst.beats() - 1);
  }
  // A memory may wait for the first beat before it takes an address. One without strobes has never seen data come
  // before their address was taken, and does not have to.
  const bool early = port_.strobes && addressed_ == 0 && pins.awvalid;
  pins.wvalid = !data_.empty() && (addressed_ > 0 || early);
  pins.wlast = false;
  if (pins.wvalid) drive_data();
  return pins;
}

void AxiManager::drive_data() {
  const auto& [burst, serial] = data_.front();
  pins_.wlast = beat_ + 1 == burst.beats();
  const std::uint64_t from = burst.address() + beat_ * burst.beat_bytes();
  const std::uint64_t begin = std::max(from, burst.begin), end = std::min(from + burst.beat_bytes(), burst.end);
  const std::uint64_t lane = begin & (port_.beat_bytes - 1);
  pins_.wstrb = low_bits(static_cast<std::uint32_t>(end - begin)) << lane;
  fill(&pins_.wdata[lane], serial, begin, end);
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
