// Built-in entries of the collective configuration, with or without a user's file.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/ccl_config.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

// `names` followed by the built-in entries that it does not contain.
std::vector<std::string> with_built_in(std::vector<std::string> names);
// Adds the built-in entry `wanted` (or the default one) to a user's file unless the file defines it (K-5). The other
// built-in entries have no effect. Returns the name of the added entry, or "".
std::string add_built_in_entry(yaml::ValuePtr& root, const std::string& wanted);
// A built-in entry takes precedence over `defaults`; reports a wiring in `defaults` that would have no effect.
void check_built_in_entry(const std::string& entry, const CclConfig& defaults, const CclConfig& config,
                          ReadContext& context);

}  // namespace kb::topology
