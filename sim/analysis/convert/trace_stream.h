// Compact encoding of a Perfetto trace (perfetto/protos/perfetto/trace).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/analysis/convert/proto_message.h"

namespace kb::convert {

// Each track with events has its own packet sequence. The first packet sets defaults, so that later ones omit the track
// and the clock, store times relative to the previous packet, and refer to names by number.
class TraceStream {
 public:
  // Times on a track must not decrease.
  class Track {
   private:
    friend class TraceStream;
    std::uint32_t sequence = 0;
    std::uint64_t last_ns = 0;
    std::vector<bool> known, known_lines;  // names and lines that the sequence has already defined
  };
  // Flow number 0 means no flow.
  struct Slice {
    std::size_t name = 0;  // index in the list of names
    std::size_t line = 0;  // index in the list of lines; 0: no line
    std::uint64_t seq = 0;
    std::uint64_t passes = 0;
    std::array<std::uint64_t, 2> arrives{};
  };

  // The first of `lines` stands for no line.
  TraceStream(std::vector<std::string> names, std::vector<std::string> lines,
              std::function<void(std::string_view)> write)
      : names_(std::move(names)), lines_(std::move(lines)), write_(std::move(write)) {}

  // The root is track 0; children are ordered by rank. A unit makes the track a counter.
  void describe_root();
  void describe(std::uint64_t uuid, std::uint64_t parent, std::string_view name, std::uint64_t rank,
                std::string_view counter_unit = {});
  Track start(std::uint64_t uuid);
  void begin(Track& track, std::int64_t time_fs, const Slice& slice);
  void begin(Track& track, std::int64_t time_fs, std::string_view name, std::uint64_t passes = 0,
             std::uint64_t arrives = 0);
  void end(Track& track, std::int64_t time_fs, std::uint64_t arrives = 0);
  void value(Track& track, std::int64_t time_fs, std::uint64_t value);
  // Writes the buffered packets.
  void flush();

 private:
  void finish_packet(std::uint32_t sequence);
  void finish_event(Track& track, std::int64_t time_fs);
  void define(Track& track, const Slice& slice);

  std::vector<std::string> names_, lines_;
  std::function<void(std::string_view)> write_;
  std::string buffer_;
  ProtoMessage packet_, event_, annotation_;  // under construction
  std::uint32_t last_sequence_ = 1;           // sequence 1 describes tracks
};

}  // namespace kb::convert
