// How far off interpolated times of launches are, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "platform/observe/json_writer.h"
#include "sw/profile/launch_tables.h"

namespace kb::requests {

// "1.23 %"
std::string percent_text(double share);
// A heading and a row per table; "" without tables.
std::string table_errors_text(const std::vector<profile::LeaveOneOut>& tables);
// The member "leave_one_out".
void put_table_errors(observe::JsonWriter& json, const std::vector<profile::LeaveOneOut>& tables);

}  // namespace kb::requests
