// Checks a text of commands (command_trace.h) against the constraints of its standard, which are typed here a second
// time, from the data sheets' point of view: for each command, what must have happened before.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace kb::dram {

struct LegalityReport {
  std::uint64_t commands = 0;
  std::uint64_t violations = 0;
  std::vector<std::string> messages;  // of the first violations: "line 7: RD ...: tRCDRD needs 14 ticks, has 13"
};

// `name` is the file in messages. Configuration Error when the text is no trace of commands.
LegalityReport check_legality(std::istream& from, const std::string& name, std::size_t max_messages = 10);

}  // namespace kb::dram
