// Compares data read from an AXI4 memory with the data written to it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "modules/rtl/axi.h"

namespace kb::modules {

// It observes only the pins. A byte that a read returns must come from the last write that was answered before the read
// was first offered, or from a write that was in progress after that. Bytes that were never written may have any value.
class AxiScoreboard {
 public:
  explicit AxiScoreboard(const AxiPort& port);

  // Processes the transfers at the end of a cycle. Model Error RTL_WRONG with address, expected and read byte.
  void observe(const AxiManagerPins& manager, const AxiMemoryPins& memory);
  std::int64_t compared() const { return compared_; }  // number of compared bytes

 private:
  static constexpr std::uint64_t kLineBytes = 64;
  static constexpr std::int64_t kOpen = INT64_MAX;  // cycle of an answer that has not come yet

  // The data that one write stores in one line.
  struct Version {
    std::uint64_t serial = 0;  // number of the write
    std::uint64_t mask = 0;    // bytes that it has stored
    std::int64_t begin = 0, done = kOpen;
    std::uint8_t id = 0;
    std::array<std::uint8_t, kLineBytes> bytes{};
  };
  struct Burst {
    std::uint64_t address = 0;  // address of the next beat
    std::uint64_t serial = 0;
    std::int64_t since = 0;  // cycle in which the read was first offered
    std::uint32_t left = 0;  // remaining beats
    std::uint8_t id = 0, size = 0;
  };
  struct Beat {
    std::int64_t cycle = 0;
    std::uint64_t strobes = 0;
    AxiManagerPins::Beat data{};
  };

  void take_address(const AxiManagerPins& manager, const AxiMemoryPins& memory);
  void take_data(const AxiManagerPins& manager, const AxiMemoryPins& memory);
  void take_read(const AxiMemoryPins& memory);
  void take_answer(std::uint8_t id);
  void write(const Burst& burst, const Beat& beat);
  void compare(const Burst& burst, const AxiManagerPins::Beat& data);
  void compare_byte(const Burst& burst, std::uint64_t address, std::uint8_t read);
  static bool follows(const Version& later, const Version& version);
  void drop_overwritten(std::vector<Version>& versions) const;
  std::int64_t oldest_read() const;
  std::uint64_t contents_address(std::uint64_t address) const { return address & address_mask_; }

  AxiPort port_;
  std::uint64_t address_mask_;
  std::unordered_map<std::uint64_t, std::vector<Version>> lines_;  // by address / kLineBytes; never iterated
  std::deque<Burst> reads_;
  std::deque<Burst> writes_;                                    // writes that wait for data
  std::deque<Beat> early_;                                      // data that wait for their address
  std::deque<std::pair<std::uint8_t, std::uint64_t>> answers_;  // id and serial, in the order of addresses
  // by serial: lines that the write has changed
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> lines_of_;
  std::int64_t cycle_ = 0, offered_ = 0;
  bool offering_ = false;
  std::uint64_t serial_ = 0;
  std::int64_t compared_ = 0;
};

}  // namespace kb::modules
