#pragma once

#include <functional>
#include <string_view>

namespace kb::observe {

// Gets a text piece by piece: a long one would take more memory than what it is made of.
using TextSink = std::function<void(std::string_view piece)>;

}  // namespace kb::observe
