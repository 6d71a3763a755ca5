// Shipped machines can be named without their folder.
#pragma once

#include <string>

namespace kb::cli {

// Returns the file of the shipped machine "one_cube". A file of the user with that name takes precedence, and a
// name with a folder is always a file of the user. Configuration Error with the nearest name.
std::string machine_file(const std::string& name);

}  // namespace kb::cli
