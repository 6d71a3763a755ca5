// The ladder as a table and as why.json.
#pragma once

#include <string>

#include "sim/study/why/ladder.h"
#include "sim/study/why/repeat.h"

namespace kb::why {

std::string render_text(const Ladder& ladder, const Repeat& repeat, std::size_t steps);
std::string render_json(const Ladder& ladder, const Repeat& repeat);

}  // namespace kb::why
