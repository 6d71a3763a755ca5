// The files of the page, which are embedded in the program.
#pragma once

#include <string_view>
#include <vector>

namespace kb::web {

struct Asset {
  std::string_view path;  // URL path: "/app.js"
  std::string_view type;
  std::string_view content;
};

const std::vector<Asset>& assets();

}  // namespace kb::web
