#pragma once

#include <string>

namespace kb::cli {

// docs/schema/result.schema.json, by a generated source.
std::string result_schema();

}  // namespace kb::cli
