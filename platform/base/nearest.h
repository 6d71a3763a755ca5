// "Did you mean ...?" for names typed by a user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb {

// The candidate with the least edit distance to `word` (first wins a tie), or "" when none is close enough to help
// (more than half of the word's length away).
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean 'x'?" or, when nothing is near, "known: a, b, c".
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kb
