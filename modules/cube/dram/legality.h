// Checks a text of commands (command_trace.h) against the constraints of its standard, which are typed here a second
// time, from the data sheets' point of view: for each command, what must have happened before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kb::dram {

struct Violation {
  std::uint64_t line = 0;
  std::int64_t time_fs = 0;
  std::uint32_t channel = 0, bank = 0, row = 0;
  std::string command;
  std::string rule;          // "tRCDRD", or a sentence: "the bank is closed"
  std::int64_t needed = -1;  // ticks; -1 when the rule is no distance in time
  double seen = 0.0;         // ticks

  // "RD of bank 3 in channel 0 at 12.5 ns: tRCDRD needs 14 ticks, has 13"
  std::string text() const;
};

struct LegalityReport {
  std::string preset;                          // as the header names it
  std::map<std::string, std::int64_t> timing;  // of the header, in ticks
  std::uint64_t commands = 0;
  std::vector<std::pair<std::string, std::uint64_t>> counts;  // by command, in the order of legality.cpp
  std::size_t channels = 0;                                   // that have commands
  std::uint64_t violations = 0;
  std::vector<Violation> first;  // of the violations
};

// Reads line by line, so that a trace may be of any length. `name` is the file in messages. Configuration Error when
// the text is no trace of commands.
LegalityReport check_legality(std::istream& from, const std::string& name, std::size_t max_violations = 10);

}  // namespace kb::dram
