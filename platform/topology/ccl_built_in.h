// The entries of the collective configuration that come with kernbench, in and beside a user's file.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/ccl_config.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

// The names and those of the built-in entries that are not among them.
std::vector<std::string> with_built_in(std::vector<std::string> names);
// A file adds entries to the built-in ones and replaces those that it names (K-5). Only the chosen one of the others
// matters. Returns its name when it was added.
std::string add_built_in_entry(yaml::ValuePtr& root, const std::string& wanted);
// A built-in entry goes before `defaults`, so that a wiring which is written there would do nothing.
void check_built_in_entry(const std::string& entry, const CclConfig& defaults, const CclConfig& config,
                          ReadContext& context);

}  // namespace kb::topology
