// Decodes a Perfetto trace independently of its writer.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kb::convert::test {

struct DecodedTrack {
  std::string name;
  std::uint64_t parent = 0;
};

struct Slice {
  std::string track, name;  // "sip0.cube0.pe0.pe_dma"
  std::uint64_t begin_ns = 0, end_ns = 0, seq = 0;

  std::tuple<std::uint64_t, std::string, std::string, std::uint64_t, std::uint64_t> key() const {
    return {seq, track, name, begin_ns, end_ns};
  }
  friend bool operator==(const Slice& a, const Slice& b) { return a.key() == b.key(); }
  friend bool operator<(const Slice& a, const Slice& b) { return a.key() < b.key(); }
};
void PrintTo(const Slice& slice, std::ostream* out);

struct DecodedTrace {
  std::map<std::uint64_t, DecodedTrack> tracks;
  std::vector<Slice> operations, launches, ranges;
  std::map<std::uint64_t, std::string> lines;                                     // annotation of an operation, by seq
  std::map<std::string, std::vector<std::pair<std::uint64_t, double>>> counters;  // by track
  // Times and slices (seq and name) of a flow in order, and whether it ends.
  struct Flow {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> steps;
    bool ends = false;
  };
  std::map<std::uint64_t, Flow> flows;

  std::string path(std::uint64_t uuid) const;
  // The seq of both ends of each step of a flow between operations.
  std::set<std::pair<std::uint64_t, std::uint64_t>> links() const;
};

// Fails the test unless the trace is well-formed: tracks are described before their first use, the slices of a track
// are nested, and every flow has a begin and an end and advances in time.
void decode_trace(const std::string& bytes, DecodedTrace& trace);

}  // namespace kb::convert::test
