// The manager of an AXI4 memory: read and write bursts, cycle by cycle.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "modules/rtl/axi.h"

namespace kb::modules {

// A read or write of the manager; `token` is returned with the last beat or with the answer. The first beat is aligned:
// bytes of the first and last beat outside [begin, end) have no strobe.
struct AxiBurst {
  static constexpr std::uint32_t kMaxBeats = 256;
  static constexpr std::uint64_t kBoundary = 4096;  // bursts do not cross multiples of it

  std::uint64_t token = 0;
  std::uint64_t begin = 0, end = 0;
  std::uint8_t size = AxiManagerPins::kWholeBeat;  // log2 of the bytes per beat
  std::uint8_t id = 0;

  std::uint64_t beat_bytes() const { return std::uint64_t{1} << size; }
  std::uint64_t address() const { return begin & ~(beat_bytes() - 1); }
  std::uint32_t beats() const { return static_cast<std::uint32_t>((end - address() + beat_bytes() - 1) >> size); }
};
// Calls f(burst) for the bursts of bytes [begin, end) with beats of 1 << size bytes.
template <typename F>
void for_each_axi_burst(std::uint64_t begin, std::uint64_t end, std::uint8_t size, F f) {
  const std::uint64_t most = std::uint64_t{AxiBurst::kMaxBeats} << size;
  while (begin < end) {
    AxiBurst burst;
    burst.begin = begin;
    burst.size = size;
    burst.end = std::min({end, (begin / AxiBurst::kBoundary + 1) * AxiBurst::kBoundary, burst.address() + most});
    begin = burst.end;
    f(burst);
  }
}

// step() returns the pins of this cycle, apply() handles the transfers at the edge that ends it. The pins do not depend
// on inputs of the same cycle, so that the manager works with any memory. Reads and writes start in the order of the
// calls; bursts with one id also end in that order. Written data are generated numbers that differ for each burst and
// address.
class AxiManager {
 public:
  // `max_reads` and `max_writes` limit the bursts that are accepted by the memory and not done.
  AxiManager(const AxiPort& port, std::size_t max_reads, std::size_t max_writes);

  void read(const AxiBurst& burst) { reads_.push_back(burst); }
  void write(const AxiBurst& burst);
  bool idle() const {
    return reads_.empty() && writes_.empty() && open_reads_ == 0 && open_writes_ == 0 && data_.empty();
  }

  struct Done {
    std::optional<std::uint64_t> read;   // token of the burst whose last beat came
    std::optional<std::uint64_t> write;  // token of the burst that was answered
    bool moved = false;                  // at least one transfer took place
  };
  const AxiManagerPins& step();
  Done apply(const AxiManagerPins& driven, const AxiMemoryPins& memory);

 private:
  using Open = std::array<std::deque<std::uint64_t>, 1u << AxiPort::kMaxIdBits>;  // tokens by id
  void drive_data();

  AxiPort port_;
  AxiManagerPins pins_;  // of this cycle; invalid signals keep their values
  std::size_t max_reads_, max_writes_;
  std::uint64_t address_mask_;
  std::deque<AxiBurst> reads_, writes_;  // bursts whose address the memory has not accepted
  struct Data {
    AxiBurst burst;
    std::uint64_t serial = 0;
  };
  std::deque<Data> data_;        // writes whose data the memory has not accepted completely
  std::uint32_t beat_ = 0;       // next beat of the first entry of data_
  std::int64_t addressed_ = 0;   // number of accepted write addresses minus number of sent data bursts
  Open read_open_, write_open_;  // bursts whose address the memory has accepted
  std::size_t open_reads_ = 0, open_writes_ = 0;
  std::uint64_t serial_ = 0;
};

}  // namespace kb::modules
