#include "platform/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace kb {
namespace {

constexpr std::size_t kLongestCompared = 256;  // names are short; the distance takes the product of both lengths
constexpr std::size_t kMaxKnown = 100;
constexpr std::size_t kLeastPart = 3;  // minimum letters of a significant name part

// Number of insertions, deletions, substitutions and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// Maximum edit distance for a name with this number of letters.
std::size_t farthest(std::size_t letters) {
  if (letters <= 1) return 0;
  if (letters <= 4) return 1;
  return letters <= 8 ? 2 : letters / 3;
}

// The leading dashes of an option and capitals are not compared.
std::string letters_of(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string letters(name);
  for (char& letter : letters) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return letters;
}

bool contains(std::string_view text, std::string_view part) {
  return part.size() >= kLeastPart && text.find(part) != std::string_view::npos;
}

// Keeps the candidate with the lowest rank, the first of equal ones.
class Best {
 public:
  void offer(std::size_t rank, const std::string& candidate) {
    if (name_ != nullptr && rank >= rank_) return;
    name_ = &candidate;
    rank_ = rank;
  }
  const std::string* name() const { return name_; }

 private:
  const std::string* name_ = nullptr;
  std::size_t rank_ = 0;
};

}  // namespace

std::string nearest_name(std::string_view typed_word, const std::vector<std::string>& candidates) {
  if (typed_word.size() > kLongestCompared) return "";
  const std::string word = letters_of(typed_word);
  const std::size_t limit = farthest(word.size());
  Best beginning, inside, typed, around, part;
  for (const std::string& candidate : candidates) {
    const std::string name = letters_of(candidate);
    if (contains(name, word)) (name.find(word) == 0 ? beginning : inside).offer(name.size(), candidate);
    if (contains(word, name)) around.offer(word.size() - name.size(), candidate);
    if (name.size() <= word.size() + limit && word.size() <= name.size() + limit) {
      if (const std::size_t distance = edit_distance(word, name); distance <= limit) typed.offer(distance, candidate);
    }
    const std::string_view first = std::string_view(name).substr(0, name.find_first_of("-_."));
    if (first.size() >= kLeastPart && word.compare(0, first.size(), first) == 0) {
      part.offer(word.size() - first.size(), candidate);
    }
  }
  for (const Best& best : {beginning, inside, typed, around, part}) {
    if (best.name() != nullptr) return *best.name();
  }
  return "";
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest_name(word, candidates);
  if (!near.empty()) return "did you mean '" + near + "'?";
  std::string known;
  for (std::size_t i = 0; i < std::min(candidates.size(), kMaxKnown); ++i) {
    known += (known.empty() ? "known: " : ", ") + candidates[i];
  }
  if (candidates.size() > kMaxKnown) known += " and " + std::to_string(candidates.size() - kMaxKnown) + " more";
  return known;
}

}  // namespace kb
