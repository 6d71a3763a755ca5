// Checks of `check --dram-trace` on the commands of memory channels.
#pragma once

#include <string>

#include "modules/cube/dram/legality.h"

namespace kb::cli {

// Reads a trace, packed by gzip or not. Configuration Error when it cannot be read or is none.
dram::LegalityReport check_dram_trace(const std::string& file);

// "FILE: ok (...)" or what it violates, with a line for each of the first violations.
std::string dram_check_text(const std::string& file, const dram::LegalityReport& report);
std::string dram_check_json(const std::string& file, const dram::LegalityReport& report);

}  // namespace kb::cli
