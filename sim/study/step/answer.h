// Times as text: femtoseconds with spaces between them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/base/units.h"

namespace kb::step {

std::string times_text(const std::vector<TimeFs>& times);
// The inverse; no value when the text is empty or has something else.
std::optional<std::vector<TimeFs>> times_of(const std::string& text);

}  // namespace kb::step
