// Files that were meant to be text and are something else.
#pragma once

#include <string>
#include <string_view>

namespace kb {

// Configuration error for a pointer of Git LFS and for UTF-16, with what to do. `begin`: the file's first bytes, 23 are
// enough.
void check_text_kind(const std::string& file, std::string_view begin);

}  // namespace kb
