// The table of a block page: one row for each parameter.
#pragma once

#include <string>

#include "platform/params/field_table.h"

namespace kb::params {

// Markdown with the columns attribute, default, range and meaning, a line each; without optional fields.
std::string markdown_table(const FieldTable& table);

}  // namespace kb::params
