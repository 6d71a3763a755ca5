// Keys of model files that the reader does not turn into a model.
#pragma once

#include <string>
#include <vector>

#include "platform/model/object_reader.h"

namespace kb::model {

// Reports what the readers of a file left: keys without effect on time are silent, keys that change the arithmetic are
// errors unless they have their neutral value, all others are named in a warning with the nearest known key.
void check_remaining_keys(ObjectReader& object, const std::vector<std::string>& read_elsewhere);
std::vector<std::string> keys_without_effect();

}  // namespace kb::model
