// "Did you mean ...?" suggestions for misspelled names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb {

// Returns the most likely candidate for a misspelled `word`, or "" when none is close. The rules, in order of
// precedence: the shortest candidate that begins with or contains the word (at least three letters); the candidate with
// the smallest edit distance, at most 1 in up to 4 letters, 2 in up to 8, and a third of longer words; the longest
// candidate that the word contains; a candidate whose first part before '-', '_' or '.' begins the word. Ties go to the
// first candidate; capitals and the dashes before an option are ignored.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean 'x'?", or "known: a, b, c" when no candidate is close.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kb
