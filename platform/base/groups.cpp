#include "platform/base/groups.h"

#include <algorithm>

namespace kb::groups {

void Groups::add(const std::string& name, const std::string& group) {
  group_of_[name] = group;
  if (std::find(names_.begin(), names_.end(), group) == names_.end()) names_.push_back(group);
}

}  // namespace kb::groups
