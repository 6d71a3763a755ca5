// "Did you mean ...?" for names typed by a user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb {

// The candidate that a user who typed `word` most likely meant, or "" when none is close. In this order: the shortest
// that begins with the word or contains it (from three letters on); the one with the fewest typing errors, at most 1 in
// up to 4 letters, 2 in up to 8 and a third of more; the longest that the word contains; one of whose parts before '-',
// '_' or '.' the first begins the word. The first of equal ones wins, and the dashes before an option do not count.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean 'x'?" or, when nothing is near, "known: a, b, c".
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kb
