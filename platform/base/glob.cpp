#include "platform/base/glob.h"

#include <cstddef>
#include <vector>

namespace kb {

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool globs_meet(std::string_view a, std::string_view b) {
  // meets[j]: some text matches both the first i characters of `a` and the first j of `b`.
  std::vector<bool> meets(b.size() + 1, false), above;
  for (std::size_t i = 0; i <= a.size(); ++i) {
    above.assign(b.size() + 1, false);
    above.swap(meets);
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 && j == 0) {
        meets[j] = true;
        continue;
      }
      const char x = i > 0 ? a[i - 1] : '\0', y = j > 0 ? b[j - 1] : '\0';
      bool one = false;
      if (i > 0 && j > 0 && x != '*' && y != '*') one = above[j - 1] && (x == y || x == '?' || y == '?');
      if (x == '*') one = one || above[j] || (j > 0 && meets[j - 1]);
      if (y == '*') one = one || (j > 0 && meets[j - 1]) || (i > 0 && above[j]);
      meets[j] = one;
    }
  }
  return meets[b.size()];
}

}  // namespace kb
