#include "platform/base/nearest.h"

#include <algorithm>
#include <numeric>

namespace kb {
namespace {

constexpr std::size_t kLongestWord = 256;  // names are short; the distance takes the product of both lengths
constexpr std::size_t kMostKnown = 100;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  if (word.size() > kLongestWord) return best;
  std::size_t best_distance = word.size() / 2 + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() >= word.size() + best_distance) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest_name(word, candidates);
  if (!near.empty()) return "did you mean '" + near + "'?";
  std::string known;
  for (std::size_t i = 0; i < std::min(candidates.size(), kMostKnown); ++i) {
    known += (known.empty() ? "known: " : ", ") + candidates[i];
  }
  if (candidates.size() > kMostKnown) known += " and " + std::to_string(candidates.size() - kMostKnown) + " more";
  return known;
}

}  // namespace kb
