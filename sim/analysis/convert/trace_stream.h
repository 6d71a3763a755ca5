// The packets of a trace of Perfetto (perfetto/protos/perfetto/trace) in few bytes.
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

// Each track on which something happens has a sequence of packets of its own. Its first packet sets defaults, so that
// the others name neither the track nor a clock, have the time since the packet before, and refer to names by number.
class TraceStream {
 public:
  // Times of a track do not go back.
  class Track {
   private:
    friend class TraceStream;
    std::uint32_t sequence = 0;
    std::uint64_t last_ns = 0;
    std::vector<bool> known;  // names that its sequence has
  };
  // Flows that are 0 are none.
  struct Slice {
    std::size_t name = 0;  // position in the list of names
    std::uint64_t seq = 0;
    std::uint64_t passes = 0;
    std::array<std::uint64_t, 2> arrives{};
  };

  TraceStream(std::vector<std::string> names, std::function<void(std::string_view)> write)
      : names_(std::move(names)), write_(std::move(write)) {}

  // The root is 0; its children are in the order of their ranks. A unit makes the track one of a counter.
  void describe_root();
  void describe(std::uint64_t uuid, std::uint64_t parent, std::string_view name, std::uint64_t rank,
                std::string_view counter_unit = {});
  Track start(std::uint64_t uuid);
  void begin(Track& track, std::int64_t time_fs, const Slice& slice);
  void begin(Track& track, std::int64_t time_fs, std::string_view name, std::uint64_t passes = 0,
             std::uint64_t arrives = 0);
  void end(Track& track, std::int64_t time_fs, std::uint64_t arrives = 0);
  void value(Track& track, std::int64_t time_fs, std::uint64_t value);
  // What is not written yet.
  void flush();

 private:
  void finish_packet(std::uint32_t sequence);
  void finish_event(Track& track, std::int64_t time_fs);
  void add_name(Track& track, std::size_t name);

  std::vector<std::string> names_;
  std::function<void(std::string_view)> write_;
  std::string buffer_;
  ProtoMessage packet_, event_, seq_;  // being built
  std::uint32_t last_sequence_ = 1;    // the first one describes tracks
};

}  // namespace kb::convert
