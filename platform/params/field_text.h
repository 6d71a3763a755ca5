// Renders the parameter table of a block page: one row per parameter.
#pragma once

#include <string>

#include "platform/params/field_table.h"

namespace kb::params {

// Markdown rows with the columns attribute, default, range and meaning; optional fields are left out.
std::string markdown_table(const FieldTable& table);

}  // namespace kb::params
